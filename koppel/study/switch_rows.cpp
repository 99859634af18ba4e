#include <koppel/study/switch_rows.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

std::string column_name(const std::string& quantity, std::size_t number) {
  return fmt::format("switch {} of {}", number, quantity);
}

// What decides between pieces: a of |a| and sign a, a − b of comparisons, min and max.
std::vector<Expr> arguments_of(Graph& graph, Expr f) {
  std::vector<Expr> out;
  if (f.is_constant()) return out;
  Postorder order(graph);
  order.visit(f);
  std::vector<Expr> nodes;  // differences grow the graph
  for (std::size_t i = 0; i < order.size(); ++i) nodes.push_back(order[i]);
  for (const Expr node : nodes) {
    switch (node.op()) {
      case Op::Abs:
      case Op::Sign: out.push_back(node.operand(0)); break;
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::LessEqual: out.push_back(node.operand(0) - node.operand(1)); break;
      default: break;
    }
  }
  std::erase_if(out, [](Expr argument) { return argument.is_constant(); });
  return out;
}

// The polynomial through up to five rows, by Neville's scheme, at x.
double interpolate(std::span<const double> t, std::span<const double> y, double x) {
  double p[5] = {};
  std::copy(y.begin(), y.end(), p);
  for (std::size_t order = 1; order < t.size(); ++order) {
    for (std::size_t i = 0; i + order < t.size(); ++i) {
      p[i] = ((x - t[i + order]) * p[i] + (t[i] - x) * p[i + 1]) / (t[i] - t[i + order]);
    }
  }
  return p[0];
}

// From a to b, with the parabola through three rows (or what there is): Simpson's rule is exact.
double under_end(double a, double b, std::span<const double> t, std::span<const double> y) {
  const auto at = [&](double x) { return interpolate(t, y, x); };
  return (b - a) / 6 * (at(a) + 4 * at((a + b) / 2) + at(b));
}

// Rows [first, last) from a to b.
double integrate_piece(double a, double b, std::span<const double> t, std::span<const double> y) {
  const std::size_t n = std::min<std::size_t>(t.size(), 3);
  return under_end(a, t.front(), t.first(n), y.first(n)) + integrate_samples(t, y) +
         under_end(t.back(), b, t.last(n), y.last(n));
}

}  // namespace

void add_switches(std::span<const Criterion> criteria, Model& model) {
  for (const Criterion& criterion : criteria) {
    if (criterion.reduction != Reduce::Mean && criterion.reduction != Reduce::Integral) continue;
    const auto has_name = [&](const std::string& name) {
      return [&name](const Output& output) { return output.name == name; };
    };
    const auto quantity =
        std::find_if(model.outputs.begin(), model.outputs.end(), has_name(criterion.quantity));
    if (quantity == model.outputs.end()) continue;  // a column that the model has by itself
    const std::string first = column_name(criterion.quantity, 0);
    if (std::any_of(model.outputs.begin(), model.outputs.end(), has_name(first))) continue;
    const std::vector<Expr> arguments = arguments_of(*model.graph, quantity->value);
    for (std::size_t k = 0; k < arguments.size(); ++k) {
      model.outputs.push_back({column_name(criterion.quantity, k), arguments[k], {}});
    }
  }
}

std::vector<std::span<const double>> switch_columns(const std::string& quantity,
                                                    const Trajectory& trajectory) {
  std::vector<std::span<const double>> out;
  for (std::size_t k = 0;; ++k) {
    const std::string name = column_name(quantity, k);
    if (trajectory.find(name) < 0) return out;
    out.push_back(trajectory[name]);
  }
}

// A zero has the sign before it: what only touches zero does not switch.
std::vector<double> find_zeros(std::span<const double> t, std::span<const double> argument) {
  std::vector<double> out;
  constexpr std::size_t kRows = 5;
  double side = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double a = argument[i];
    if (!std::isfinite(a)) return {};
    if (a == 0) continue;
    const bool passes = a * side < 0;
    side = a > 0 ? 1 : -1;
    if (!passes) continue;
    const std::size_t count = std::min(kRows, t.size());
    const std::size_t first = std::min(i < 3 ? 0 : i - 3, t.size() - count);
    const std::span<const double> times = t.subspan(first, count);
    const std::span<const double> values = argument.subspan(first, count);
    double low = t[i - 1], high = t[i];
    while (true) {
      const double middle = low + 0.5 * (high - low);
      if (!(low < middle && middle < high)) break;
      (interpolate(times, values, middle) * side >= 0 ? high : low) = middle;
    }
    out.push_back(high);
  }
  return out;
}

double integrate_pieces(std::span<const double> t, std::span<const double> y,
                        std::vector<double> breaks) {
  std::erase_if(breaks, [&](double x) { return !(t.front() < x && x < t.back()); });
  if (breaks.empty()) return integrate_samples(t, y);
  std::sort(breaks.begin(), breaks.end());
  breaks.push_back(t.back());
  // A row at the end of a piece may be of either side. Pieces without rows have the mean of the
  // values on both sides.
  const double near = 1e-9 * (t.back() - t.front()) / static_cast<double>(t.size());
  double sum = 0, from = t.front();
  std::size_t first = 0;
  for (const double to : breaks) {
    const bool is_last = to == t.back();
    while (first < t.size() && first > 0 && t[first] < from + near) ++first;
    std::size_t last = first;
    while (last < t.size() && (is_last || t[last] < to - near)) ++last;
    if (last > first) {
      sum +=
          integrate_piece(from, to, t.subspan(first, last - first), y.subspan(first, last - first));
    } else {
      const std::size_t after = std::min(last, t.size() - 1), before = first > 0 ? first - 1 : 0;
      sum += (to - from) * 0.5 * (y[before] + y[after]);
    }
    first = last;
    from = to;
  }
  return sum;
}

}  // namespace koppel
