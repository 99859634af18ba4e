#include <koppel/study/fit_statistics.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppel {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

FitStatistics::FitStatistics(const MatrixXd& J, std::span<const std::size_t> column_of,
                             std::vector<bool> is_given)
    : svd_(dense::singular_values(J, dense::Vectors::Thin)),
      Phi_(MatrixXd::Zero(J.cols(), J.cols())) {
  for (const bool given : is_given) {
    columns_.push_back({given, 0, MatrixXd::Zero(J.cols(), J.cols())});
  }
  for (Index k = 0; k < svd_.s.size(); ++k) {
    if (!is_seen(k)) continue;
    const VectorXd direction = svd_.V.col(k) / svd_.s[k];
    Phi_ += direction * direction.transpose();
  }
  for (std::size_t i = 0; i < column_of.size(); ++i) {
    Column& column = columns_[column_of[i]];
    const auto row = static_cast<Index>(i);
    column.F += J.row(row).transpose() * J.row(row);
    column.degrees += 1;  // Eq. (1)
    for (Index k = 0; k < svd_.s.size(); ++k) {
      if (is_seen(k)) column.degrees -= svd_.U(row, k) * svd_.U(row, k);
    }
  }
}

bool FitStatistics::is_seen(Index direction) const {
  const VectorXd& s = svd_.s;
  return direction < s.size() && s[0] > 0 && s[direction] > kBlind * s[0];
}

// Eq. (2)
MatrixXd FitStatistics::covariance() const {
  MatrixXd C = Phi_;
  for (const Column& column : columns_) {
    if (!column.is_estimated()) continue;
    const MatrixXd& F = column.F;
    C += 4 / column.degrees * Phi_ * (F - F * Phi_ * F) * Phi_;
  }
  return C;
}

// Eq. (3)
double FitStatistics::degrees_of_parameter(Index j) const {
  double spread = 0;
  bool is_unknown = false;
  for (const Column& column : columns_) {
    const double part = Phi_.row(j) * column.F * Phi_.col(j);
    if (column.is_given || part == 0) continue;
    is_unknown = is_unknown || !column.is_estimated();
    if (column.is_estimated()) spread += part * part / column.degrees;
  }
  if (is_unknown) return 0;
  return spread > 0 ? Phi_(j, j) * Phi_(j, j) / spread : std::numeric_limits<double>::infinity();
}

VectorXd sizes_of(std::span<const double> parameters) {
  VectorXd out(static_cast<Index>(parameters.size()));
  std::transform(parameters.begin(), parameters.end(), out.begin(),
                 [](double value) { return value != 0 ? std::abs(value) : 1.0; });
  return out;
}

// From five degrees on by the expansion for many [Hill 1970]; below, its logarithm is nearly linear
// in the inverse of the degrees.
double student(double degrees) {
  if (!(degrees >= 1)) return std::numeric_limits<double>::infinity();
  constexpr double kFew[] = {12.706, 4.303, 3.182, 2.776, 2.571};
  if (degrees < 5) {
    const auto n = static_cast<std::size_t>(degrees);
    const double low = static_cast<double>(n);
    const double part = (1 / low - 1 / degrees) / (1 / low - 1 / (low + 1));
    return kFew[n - 1] * std::pow(kFew[n] / kFew[n - 1], part);
  }
  const double z = 1.959964, z2 = z * z, n = degrees;
  return z * (1 + (z2 + 1) / (4 * n) + ((5 * z2 + 16) * z2 + 3) / (96 * n * n) +
              (((3 * z2 + 19) * z2 + 17) * z2 - 15) / (384 * n * n * n));
}

}  // namespace koppel
