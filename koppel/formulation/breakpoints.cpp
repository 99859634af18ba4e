#include <koppel/formulation/breakpoints.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

#include <koppel/expr/algebra/enclosure.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// Looking for the switches of one argument, and over all of them.
constexpr int kMostPieces = 20'000;
constexpr std::size_t kMostLevels = 1000, kMostFound = 100'000;
// Of the range: no switch is narrower.
constexpr double kNarrowest = 1e-13;
// Solving a linear argument is wrong by a few roundings of its terms.
constexpr int kUlps = 64;

class Finder {
 public:
  Finder(Expr t, std::span<const Expr> parameters, std::span<const double> values, Interval range)
      : t_(t), parameters_(parameters), values_(values), range_(range) {}

  std::vector<double> run(std::span<const Expr> expressions) {
    Graph* graph = graph_of(expressions);
    if (graph == nullptr) return {};
    Postorder order(*graph);
    order.visit(expressions);
    const std::vector<Expr> time = {t_};
    const std::vector<char> varies = dependent_nodes(order, time);
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (varies[i]) look_at(order[i]);
    }
    std::sort(found_.begin(), found_.end());
    found_.erase(std::unique(found_.begin(), found_.end()), found_.end());
    return std::move(found_);
  }

 private:
  void look_at(Expr e) {
    switch (e.op()) {
      case Op::Table: {
        const Graph& graph = *e.graph();
        solve(e.operand(0), graph.table_data(graph.node(e.id()).operand[1]).breakpoints());
        break;
      }
      case Op::Abs:
      case Op::Sign: solve(e.operand(0), kZero); break;
      case Op::Min:
      case Op::Max:
      case Op::Less:
      case Op::Equal: solve(e.operand(0) - e.operand(1), kZero); break;
      case Op::LessEqual: solve(e.operand(0) - e.operand(1), kZero, true); break;
      default: break;
    }
  }

  // The times at which an expression passes one of the values: from where it is not below them any
  // more, or above them where they belong to what is below.
  void solve(Expr e, std::span<const double> levels, bool belongs_below = false) {
    const std::vector<Expr> f = {e}, time = {t_};
    std::vector<Expr> in = {t_};
    for (const Expr& symbol : symbols_of(f)) {
      if (symbol == t_) continue;
      if (std::find(parameters_.begin(), parameters_.end(), symbol) == parameters_.end()) return;
    }
    in.insert(in.end(), parameters_.begin(), parameters_.end());
    const Function value(in, f);
    Workspace work = value.make_workspace();
    std::vector<double> at(values_.begin(), values_.end());
    at.insert(at.begin(), 0.0);
    const auto is_below = [&](double t, double level) {
      double out = 0;
      at[0] = t;
      value.evaluate(at, {&out, 1}, work);
      return belongs_below ? out <= level : out < level;
    };
    const auto form = linear_form(f, time);
    if (!form) {
      search(e, levels, is_below);
    } else if (!form->A.values.empty()) {
      const std::vector<Expr> line = {form->A.values[0], form->b[0]};
      const std::vector<double> numbers = Function(parameters_, line)(values_);
      for (const double level : levels) {
        const double about = (level - numbers[1]) / numbers[0];
        if (std::isfinite(about)) found_.push_back(refine(about, level, is_below));
      }
    }
  }

  // The first number on the side that holds after `about`.
  template <typename F>
  static double refine(double about, double level, F&& is_below) {
    double before = about, after = about;
    for (int i = 0; i < kUlps; ++i) {
      before = std::nextafter(before, -HUGE_VAL);
      after = std::nextafter(after, HUGE_VAL);
    }
    const bool from = is_below(before, level), to = is_below(after, level);
    if (from == to) return about;
    return bisect(before, after, [&](double t) { return is_below(t, level) == to; });
  }

  template <typename F>
  static double bisect(double before, double after, F&& has_passed) {
    for (;;) {
      const double middle = before + 0.5 * (after - before);
      if (!(before < middle && middle < after)) return after;
      (has_passed(middle) ? after : before) = middle;
    }
  }

  // By halving the range until bounds of e exclude all levels, or e is monotonic.
  template <typename F>
  void search(Expr e, std::span<const double> levels, F&& is_below) {
    if (!(range_.width() > 0) || levels.size() > kMostLevels) return;
    const std::vector<Expr> f = {e};
    Enclosure bounds(f, t_, parameters_, values_);
    std::vector<Interval> open = {range_};
    for (int pieces = 0; pieces < kMostPieces && !open.empty(); ++pieces) {
      const Interval piece = open.back();
      open.pop_back();
      bounds.evaluate(piece);
      const Enclosure::Bounds found = bounds[0];
      const auto first = std::lower_bound(levels.begin(), levels.end(), found.value.lo);
      if (first == levels.end() || *first > found.value.hi) continue;
      const bool is_monotonic = found.rate.lo > 0 || found.rate.hi < 0;
      if (is_monotonic || piece.width() < kNarrowest * range_.width()) {
        take(piece, {first, std::upper_bound(first, levels.end(), found.value.hi)}, is_below);
        continue;
      }
      const double middle = piece.lo + 0.5 * piece.width();
      open.push_back({piece.lo, middle});
      open.push_back({middle, piece.hi});
    }
  }

  // On a piece where e is monotonic, or so short that it does not matter.
  template <typename F>
  void take(const Interval& piece, std::span<const double> levels, F&& is_below) {
    for (const double level : levels) {
      const bool from = is_below(piece.lo, level), to = is_below(piece.hi, level);
      if (from == to || found_.size() >= kMostFound) continue;
      found_.push_back(
          bisect(piece.lo, piece.hi, [&](double t) { return is_below(t, level) == to; }));
    }
  }

  static constexpr double kZero[] = {0};

  Expr t_;
  std::span<const Expr> parameters_;
  std::span<const double> values_;
  Interval range_;
  std::vector<double> found_;
};

}  // namespace

std::vector<double> find_breakpoints(std::span<const Expr> expressions, Expr t,
                                     std::span<const Expr> parameters,
                                     std::span<const double> values, Interval range) {
  return Finder(t, parameters, values, range).run(expressions);
}

}  // namespace koppel
