#include <koppel/formulation/breakpoints.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <utility>

#include <koppel/expr/algebra/enclosure.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// Looking for the switches of one argument takes so many evaluations of nodes at most, some tenths
// of a second; what is open then is seen at the ends of its pieces only.
constexpr std::size_t kMostWork = 20'000'000;
constexpr std::size_t kMostLevels = 1000;
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
    const auto is_next = [](double a, double b) { return b <= std::nextafter(a, HUGE_VAL); };
    found_.erase(std::unique(found_.begin(), found_.end(), is_next), found_.end());
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
      case Op::Sign: solve_both(e.operand(0)); break;
      case Op::Max:
      case Op::Less: solve(e.operand(0) - e.operand(1), kZero); break;
      case Op::LessEqual: solve(e.operand(0) - e.operand(1), kZero, true); break;
      case Op::Atan2: solve(e.operand(0), kZero); break;
      case Op::Min:
      case Op::Equal: solve_both(e.operand(0) - e.operand(1)); break;
      default: break;
    }
  }

  // Of what changes where an expression comes to zero and where it leaves it, as sign does and the
  // slope of abs. Rounding makes zeros last: exp(t) − 1 vanishes up to 1.1e-16, 1 − cos(t) to 1e-8.
  void solve_both(Expr e) {
    solve(e, kZero);
    solve(e, kZero, true);
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

  // Between the breakpoints of its operands, which are found already, e does not jump. By halving
  // these pieces, the longest first, until bounds of e exclude all levels, or e is monotonic.
  template <typename F>
  void search(Expr e, std::span<const double> levels, F&& is_below) {
    if (!(range_.width() > 0) || levels.size() > kMostLevels) return;
    const std::vector<Expr> f = {e};
    Enclosure bounds(f, t_, parameters_, values_);
    std::deque<Interval> open = pieces();
    std::size_t left = open.size() + kMostWork / bounds.num_nodes();
    for (; !open.empty(); open.pop_front()) {
      const Interval piece = open.front();
      bounds.evaluate(piece);
      const Enclosure::Bounds found = bounds[0];
      const auto first = std::lower_bound(levels.begin(), levels.end(), found.value.lo);
      if (first == levels.end() || *first > found.value.hi) continue;
      const bool is_monotonic = found.rate.lo >= 0 || found.rate.hi <= 0;
      if (is_monotonic || left == 0 || piece.width() < kNarrowest * range_.width()) {
        take(piece, {first, std::upper_bound(first, levels.end(), found.value.hi)}, is_below);
        continue;
      }
      --left;
      const double middle = piece.lo + 0.5 * piece.width();
      open.push_back({piece.lo, middle});
      open.push_back({middle, piece.hi});
    }
  }

  // The range without the breakpoints found so far.
  std::deque<Interval> pieces() const {
    std::vector<double> breaks = found_;
    std::sort(breaks.begin(), breaks.end());
    std::deque<Interval> out;
    double from = range_.lo;
    for (const double b : breaks) {
      if (!(b >= from && b <= range_.hi)) continue;
      if (b > from) out.push_back({from, std::nextafter(b, from)});
      from = std::nextafter(b, HUGE_VAL);
    }
    if (from < range_.hi) out.push_back({from, range_.hi});
    return out;
  }

  // On a piece where e is monotonic, or so short that it does not matter.
  template <typename F>
  void take(const Interval& piece, std::span<const double> levels, F&& is_below) {
    for (const double level : levels) {
      const bool from = is_below(piece.lo, level), to = is_below(piece.hi, level);
      if (from == to) continue;
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
