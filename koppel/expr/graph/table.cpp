#include <koppel/expr/graph/table.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include <koppel/runtime/table.h>
#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

void check_points(std::span<const double> x, std::span<const double> y, std::size_t least) {
  const auto fail = [](const std::string& what) { throw Error("expr.bad-table", what); };
  if (x.size() != y.size()) {
    fail("a table has " + std::to_string(x.size()) + " points but " + std::to_string(y.size()) +
         " values; one value a point is needed.");
  }
  if (x.size() < least) {
    fail("a table has " + std::to_string(x.size()) + " points; at least " + std::to_string(least) +
         " are needed.");
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
      fail("point " + std::to_string(i + 1) + " of a table is not a finite number.");
    }
    if (i > 0 && x[i] <= x[i - 1]) {
      fail("the points of a table must ascend; point " + std::to_string(i + 1) + " (" +
           std::to_string(x[i]) + ") does not.");
    }
  }
}

// Second derivatives m_i of the natural cubic spline at the points: m₀ = mₙ₋₁ = 0 and, with
// h_i = x_{i+1} − x_i and s_i the slope of piece i,
//   h_{i−1} m_{i−1} + 2 (h_{i−1} + h_i) m_i + h_i m_{i+1} = 6 (s_i − s_{i−1}).
// The matrix is diagonally dominant: elimination without pivoting is stable.
std::vector<double> spline_curvatures(std::span<const double> x, std::span<const double> y) {
  const std::size_t n = x.size();
  std::vector<double> m(n, 0.0), diagonal(n, 1.0);
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];
    const double factor = i > 1 ? h0 / diagonal[i - 1] : 0.0;
    diagonal[i] = 2 * (h0 + h1) - factor * h0;
    m[i] = 6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) - factor * m[i - 1];
  }
  for (std::size_t i = n - 1; i-- > 1;) {
    m[i] = (m[i] - (x[i + 1] - x[i]) * m[i + 1]) / diagonal[i];
  }
  return m;
}

}  // namespace

TableData::TableData(int degree, std::span<const double> x, std::span<const double> y,
                     Outside outside)
    : degree_(degree), num_points_(static_cast<int>(x.size())) {
  const std::size_t n = x.size();
  data_.assign(x.begin(), x.end());
  data_.resize(n + 4 * (n + 1), 0.0);
  double* piece = data_.data() + n;
  const std::vector<double> m = degree == 3 ? spline_curvatures(x, y) : std::vector<double>(n);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    double* c = piece + 4 * (i + 1);
    const double h = x[i + 1] - x[i];
    c[0] = y[i];
    if (degree == 0) continue;
    c[1] = (y[i + 1] - y[i]) / h - h * (2 * m[i] + m[i + 1]) / 6;
    c[2] = m[i] / 2;
    c[3] = (m[i + 1] - m[i]) / (6 * h);
  }
  double* before = piece;
  double* after = piece + 4 * n;
  before[0] = y[0];
  after[0] = y[n - 1];
  if (degree > 0 && outside != Outside::Hold) {
    before[1] = piece[4 + 1];
    after[1] = koppel_table(data_.data(), num_points_, 1, std::nextafter(x[n - 1], x[0]));
  }
  if (outside == Outside::Refuse) refuse_outside();
}

// The last point itself still belongs to the table: the piece after it ends at the next number.
void TableData::refuse_outside() {
  const auto n = static_cast<std::size_t>(num_points_);
  data_.insert(data_.begin() + num_points_,
               std::nextafter(data_[n - 1], std::numeric_limits<double>::infinity()));
  ++num_points_;
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::fill_n(data_.begin() + num_points_, 4, kNone);
  data_.insert(data_.end(), 4, kNone);
}

TableData TableData::held(std::span<const double> x, std::span<const double> y) {
  check_points(x, y, 1);
  return {0, x, y, Outside::Hold};
}

TableData TableData::linear(std::span<const double> x, std::span<const double> y, Outside outside) {
  check_points(x, y, 2);
  return {1, x, y, outside};
}

TableData TableData::spline(std::span<const double> x, std::span<const double> y, Outside outside) {
  check_points(x, y, 2);
  return {3, x, y, outside};
}

double TableData::evaluate(double x, int m) const {
  return koppel_table(data_.data(), num_points_, m, x);
}

}  // namespace koppel
