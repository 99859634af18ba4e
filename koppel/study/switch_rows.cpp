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
    if (criterion.reduction == Reduce::Final || criterion.reduction == Reduce::Time) continue;
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

namespace {

// Rows between two breaks, neither of which they are at: a row there may be of either side.
struct Rows {
  double from, to;
  std::size_t first, last;  // [first, last)
};

double near_row(std::span<const double> t) {
  return 1e-9 * (t.back() - t.front()) / static_cast<double>(t.size());
}

std::vector<Rows> rows_between(std::span<const double> t, std::vector<double> breaks) {
  std::erase_if(breaks, [&](double x) { return !(t.front() < x && x < t.back()); });
  std::sort(breaks.begin(), breaks.end());
  breaks.push_back(t.back());
  const double near = near_row(t);
  std::vector<Rows> out;
  double from = t.front();
  std::size_t first = 0;
  for (std::size_t i = 0; i < breaks.size(); ++i) {
    const double to = breaks[i];
    while (first < t.size() && i > 0 && t[first] < from + near) ++first;
    std::size_t last = first;
    while (last < t.size() && (i + 1 == breaks.size() || t[last] < to - near)) ++last;
    out.push_back({from, to, first, last});
    first = last;
    from = to;
  }
  return out;
}

// By the polynomial through the five of these rows, or as many as there are, that are nearest to x.
double value_near(std::span<const double> t, std::span<const double> y, double x) {
  constexpr std::size_t kRows = 5;
  const std::size_t count = std::min(kRows, t.size());
  const auto next = static_cast<std::size_t>(std::lower_bound(t.begin(), t.end(), x) - t.begin());
  const std::size_t first = std::min(next < 3 ? 0 : next - 3, t.size() - count);
  return interpolate(t.subspan(first, count), y.subspan(first, count), x);
}

}  // namespace

// A zero has the sign before it: what only touches zero does not switch. Rows on the other side of
// an event say nothing of the argument on this one; up to the event it goes on as the last rows do.
std::vector<double> find_zeros(std::span<const double> t, std::span<const double> argument,
                               const std::vector<double>& events) {
  std::vector<double> out;
  if (!std::all_of(argument.begin(), argument.end(), [](double a) { return std::isfinite(a); }))
    return out;
  for (const Rows& piece : rows_between(t, events)) {
    const std::size_t count = piece.last - piece.first;
    if (count < 2) continue;
    const std::span<const double> times = t.subspan(piece.first, count);
    const std::span<const double> values = argument.subspan(piece.first, count);
    std::vector<double> at(times.begin(), times.end());
    if (piece.from < at.front()) at.insert(at.begin(), piece.from);
    if (piece.to > at.back()) at.push_back(piece.to);
    double side = 0;
    for (std::size_t i = 0; i < at.size(); ++i) {
      const double a = value_near(times, values, at[i]);
      if (a == 0) continue;
      const bool passes = a * side < 0;
      side = a > 0 ? 1 : -1;
      if (!passes) continue;
      double low = at[i - 1], high = at[i];
      while (true) {
        const double middle = low + 0.5 * (high - low);
        if (!(low < middle && middle < high)) break;
        (value_near(times, values, middle) * side >= 0 ? high : low) = middle;
      }
      out.push_back(high);
    }
  }
  return out;
}

std::vector<double> limits_at(std::span<const double> t, std::span<const double> y,
                              std::span<const double> zeros, std::vector<double> breaks) {
  constexpr std::size_t kFewest = 3;  // rows that say how the quantity goes on
  std::vector<double> out;
  for (const Rows& piece : rows_between(t, std::move(breaks))) {
    const std::size_t count = piece.last - piece.first;
    if (count < kFewest) continue;
    for (const double x : {piece.from, piece.to}) {
      if (std::find(zeros.begin(), zeros.end(), x) == zeros.end()) continue;
      out.push_back(value_near(t.subspan(piece.first, count), y.subspan(piece.first, count), x));
    }
  }
  return out;
}

double integrate_pieces(std::span<const double> t, std::span<const double> y,
                        std::vector<double> breaks) {
  const std::vector<Rows> pieces = rows_between(t, std::move(breaks));
  if (pieces.size() == 1) return integrate_samples(t, y);
  double sum = 0;
  for (const Rows& piece : pieces) {
    const std::size_t count = piece.last - piece.first;
    if (count > 0) {
      sum += integrate_piece(piece.from, piece.to, t.subspan(piece.first, count),
                             y.subspan(piece.first, count));
      continue;
    }
    // Without rows: the mean of the values on both sides.
    const std::size_t after = std::min(piece.last, t.size() - 1);
    const std::size_t before = piece.first > 0 ? piece.first - 1 : 0;
    sum += (piece.to - piece.from) * 0.5 * (y[before] + y[after]);
  }
  return sum;
}

}  // namespace koppel
