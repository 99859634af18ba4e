#include <koppel/simulate/why_failed.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/sparse.hpp>
#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/traverse.hpp>

namespace koppel {
namespace {

// What a user said, as far as the motion follows from it.
struct Law {
  std::string name;
  std::vector<Expr> values;
};

std::vector<Law> rates_of_states(const Equations& e) {
  std::vector<Law> out;
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    out.push_back({std::string(e.x[i].name()) + "'", {e.r[i]}});
  }
  return out;
}

// Forces of inertia follow from the motion: they tell nothing about why it ends.
std::vector<Law> forces(const Equations& e) {
  std::vector<Law> out;
  for (const Equations::ForcePart& part : *e.parts) {
    if (part.name != "inertia") out.push_back({part.name, part.f});
  }
  return out;
}

std::vector<Law> rows(const Equations& e, const std::vector<Expr>& values) {
  std::vector<Law> out;
  for (std::size_t i = 0; i < values.size(); ++i) out.push_back({e.rows[i].name, {values[i]}});
  return out;
}

std::vector<Law> operator+(std::vector<Law> a, const std::vector<Law>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double norm_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double x : values) {
    if (!std::isfinite(x)) return HUGE_VAL;
    largest = std::max(largest, std::abs(x));
  }
  return largest;
}

State later(const State& state, double by, double end) {
  State out = state;
  out.t = std::min(state.t + by, end);
  return out;
}

// Whether a root of something that depends on the motion is 0 there: a distance.
bool has_no_distance(const Equations& e, const std::vector<Expr>& f, const State& at) {
  Postorder order(*e.graph);
  order.visit(f);
  std::vector<Expr> roots;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].is(Op::Sqrt)) roots.push_back(order[i]);
  }
  if (roots.empty()) return false;
  const std::vector<double> values = VectorFunction(e, roots)(at);
  return std::any_of(values.begin(), values.end(), [](double x) { return x == 0; });
}

// Parts of the run: how far one looks ahead of where it failed.
constexpr double kAhead[] = {1e-6, 1e-5, 1e-4, 1e-3};

std::string find_undefined(const Equations& e, const State& reached, double run, double end) {
  const std::vector<Law> laws = forces(e) + rates_of_states(e) + rows(e, e.g);
  for (const Law& law : laws) {
    const VectorFunction values(e, law.values);
    if (std::isfinite(norm_of(values(reached)))) continue;
    return fmt::format("'{}' has no finite value there{}", law.name,
                       has_no_distance(e, law.values, reached)
                           ? ": its ends coincide, and the force has no direction. Start them apart"
                           : "");
  }
  for (const Law& law : laws) {
    const VectorFunction values(e, law.values);
    const State ahead = later(reached, kAhead[0] * run, end);
    if (std::isfinite(norm_of(values(ahead)))) continue;
    return fmt::format("'{}' has no finite value shortly after, at t = {:.9g} s", law.name,
                       ahead.t);
  }
  return {};
}

std::string find_undefined_at(const Equations& e, const State& next) {
  for (const Law& law : forces(e) + rates_of_states(e)) {
    if (std::isfinite(norm_of(VectorFunction(e, law.values)(next)))) continue;
    return fmt::format("'{}' has no finite value where the next step leads, at t = {:.9g} s",
                       law.name, next.t);
  }
  return {};
}

// Names of the rows among these that time moves.
std::string drives_among(const Equations& e, const std::vector<Gap>& gaps) {
  std::string out;
  for (std::size_t i = 0; i < e.g.size(); ++i) {
    const bool is_open = std::any_of(gaps.begin(), gaps.end(),
                                     [&](const Gap& gap) { return gap.name == e.rows[i].name; });
    if (is_open && depends_on(e.g[i], e.t)) {
      out += fmt::format("{}'{}'", out.empty() ? "" : ", ", e.rows[i].name);
    }
  }
  return out;
}

std::string find_torn(const Evaluator& evaluator, const State& reached, double run, double end) {
  const Equations& e = evaluator.equations;
  if (!depends_on(e.g, std::vector<Expr>{e.t})) return {};
  for (const double part : kAhead) {
    const State ahead = later(reached, part * run, end);
    const OpenPositions open = find_open_positions(evaluator, ahead);
    if (open.gaps.empty()) continue;
    const std::string drives = drives_among(e, open.gaps);
    return fmt::format("{} shortly after: at t = {:.9g} s {}",
                       drives.empty() ? "no position satisfies the constraints"
                                      : "the mechanism cannot follow " + drives,
                       ahead.t, open.text.substr(0, open.text.find_last_not_of('.') + 1));
  }
  return {};
}

// Along the motion: q̇ = K v, and `moves` are v̇ and ẋ.
std::vector<double> rates_along(const Equations& e, const std::vector<Expr>& f, const State& at,
                                const std::vector<double>& moves) {
  std::vector<double> out = VectorFunction(e, rate_of(e, f))(at);
  std::vector<Expr> symbols = e.v;
  symbols.insert(symbols.end(), e.x.begin(), e.x.end());
  const Matrix by = MatrixFunction(e, jacobian(f, symbols))(at);
  for (int i = 0; i < by.rows; ++i) {
    for (int j = 0; j < by.columns; ++j) {
      out[static_cast<std::size_t>(i)] += by(i, j) * moves[static_cast<std::size_t>(j)];
    }
  }
  return out;
}

std::string find_unbounded(const Evaluator& evaluator, const State& start, const State& reached,
                           double run) {
  const Equations& e = evaluator.equations;
  constexpr double kInstant = 1e-4;  // of the run
  constexpr double kGrown = 100;   // times as large as at the start
  std::vector<double> moves = solve_accelerations(evaluator, reached).v_rate;
  const std::vector<double> x_rate = evaluator.r(reached);
  moves.insert(moves.end(), x_rate.begin(), x_rate.end());
  const Law* worst = nullptr;
  double least = kInstant * run;
  const std::vector<Law> laws = forces(e) + rates_of_states(e) + rows(e, e.g_t);
  for (const Law& law : laws) {
    const VectorFunction values(e, law.values);
    const double size = norm_of(values(reached)),
                 rate = norm_of(rates_along(e, law.values, reached, moves));
    if (!(size > kGrown * norm_of(values(start))) || !(size < least * rate)) continue;
    least = size / rate;
    worst = &law;
  }
  if (worst == nullptr) return {};
  return fmt::format("'{}' grows without bound there: it changes by its own size within {:.1g} s",
                     worst->name, least);
}

}  // namespace

State a_step_later(const Evaluator& evaluator, const State& state, double step) {
  State out = state;
  out.t += step;
  dense::view(out.q) += step * (sparse::evaluate(evaluator.K, state) * dense::view(state.v));
  return out;
}

std::string explain_failed_run(const Evaluator& evaluator, const State& start, const State& reached,
                               double end, std::optional<double> step) {
  const Equations& e = evaluator.equations;
  const double run = end - start.t;
  std::string out = find_undefined(e, reached, run, end);
  if (out.empty() && step) out = find_undefined_at(e, a_step_later(evaluator, reached, *step));
  if (out.empty()) out = find_torn(evaluator, reached, run, end);
  if (out.empty()) out = find_unbounded(evaluator, start, reached, run);
  return out;
}

}  // namespace koppel
