#include <koppel/control/checks/verify.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/equations/evaluator.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/expr/algebra/piecewise.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/simulate/choose.hpp>

namespace koppel {
namespace {

// A name that no table of the graph has yet.
std::string free_name(const Graph& graph, std::size_t i) {
  for (int n = 0;; ++n) {
    std::string name = fmt::format("given{}.u{}", n, i);
    if (graph.find_table(name + ".knot") == nullptr) return name;
  }
}

// |s(q) − y_d(t)|
class TrackingError {
 public:
  TrackingError(const Equations& e, std::span<const double> p)
      : function_(symbols(e), errors(e)),
        work_(function_.make_workspace()),
        in_(function_.num_inputs()),
        out_(function_.num_outputs()) {
    std::copy(p.begin(), p.end(), in_.end() - static_cast<std::ptrdiff_t>(p.size()));
  }
  double operator()(double t, std::span<const double> q) {
    in_[0] = t;
    std::copy(q.begin(), q.end(), in_.begin() + 1);
    function_.evaluate(in_, out_, work_);
    double square = 0;
    for (const double e : out_) square += e * e;
    return std::sqrt(square);
  }

 private:
  static std::vector<Expr> symbols(const Equations& e) {
    std::vector<Expr> all = {e.t};
    all.insert(all.end(), e.q.begin(), e.q.end());
    all.insert(all.end(), e.p.begin(), e.p.end());
    return all;
  }
  static std::vector<Expr> errors(const Equations& e) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < e.s.size(); ++i) all.push_back(e.s[i].value - e.reference[i]);
    return all;
  }

  Function function_;
  Workspace work_;
  std::vector<double> in_, out_;
};

}  // namespace

double path_length(const Equations& e, std::span<const double> p, double from, double to) {
  std::vector<Expr> inputs = {e.t};
  inputs.insert(inputs.end(), e.p.begin(), e.p.end());
  const Function reference(inputs, e.reference);
  std::vector<double> in(1 + p.size()), last;
  std::copy(p.begin(), p.end(), in.begin() + 1);
  constexpr int kParts = 500;
  double length = 0;
  for (int i = 0; i <= kParts; ++i) {
    in[0] = from + (to - from) * i / kParts;
    const std::vector<double> at = reference(in);
    double square = 0;
    for (std::size_t k = 0; k < last.size(); ++k) square += (at[k] - last[k]) * (at[k] - last[k]);
    length += std::sqrt(square);
    last = at;
  }
  return length;
}

InputPieces pieces_of(FlatSolution& solution, int num_inputs, std::span<const double> breakpoints,
                      double end) {
  constexpr double kLast = 1e-12;  // relative to the input
  InputPieces out;
  out.coefficients.resize(static_cast<std::size_t>(num_inputs));
  const int count = solution.num_input_coefficients();
  const double longest = (end - solution.time()) / 20, shortest = (end - solution.time()) * 1e-5;
  while (solution.time() < end) {
    double h = longest;
    out.knots.push_back(solution.time());
    for (int i = 0; i < num_inputs; ++i) {
      auto& of = out.coefficients[static_cast<std::size_t>(i)].emplace_back();
      for (int k = 0; k < count; ++k) of.push_back(solution.input_coefficient(i, k));
      const double size = std::max(1.0, std::abs(of[0]));
      for (int k = std::max(1, count - 2); k < count; ++k) {
        const double c = std::abs(of[static_cast<std::size_t>(k)]);
        if (c > 0) h = std::min(h, std::pow(kLast * size / c, 1.0 / k));
      }
    }
    double to = std::min(end, solution.time() + std::max(h, shortest));
    const auto next = std::upper_bound(breakpoints.begin(), breakpoints.end(), solution.time());
    if (next != breakpoints.end()) to = std::min(to, *next);
    if (solution.move_to(to) != FlatSolution::Status::Ok) return {};
  }
  return out;
}

InputPieces splines_through(std::span<const double> times,
                            const std::vector<std::vector<double>>& values) {
  InputPieces out;
  out.knots.assign(times.begin(), times.end());
  for (const std::vector<double>& u : values) {
    const TableData spline = TableData::spline(times, u);
    auto& of = out.coefficients.emplace_back();
    for (const double t : times) {
      of.push_back({spline.evaluate(t), spline.evaluate(t, 1), spline.evaluate(t, 2) / 2,
                    spline.evaluate(t, 3) / 6});
    }
  }
  return out;
}

std::vector<Expr> as_expressions(const Equations& e, const InputPieces& pieces) {
  std::vector<Expr> values;
  for (std::size_t i = 0; i < e.u.size() && !pieces.knots.empty(); ++i) {
    values.push_back(piecewise_polynomial(*e.graph, free_name(*e.graph, i), e.t, pieces.knots,
                                          pieces.coefficients[i]));
  }
  return values;
}

Equations with_inputs(const Equations& e, const std::vector<Expr>& values) {
  Equations out = e;
  out.f = substitute(e.f, e.u, values);
  out.r = substitute(e.r, e.u, values);
  out.v_rate = substitute(e.v_rate, e.u, values);
  for (Equations::Counted& counted : out.counted) {
    counted.force = substitute(std::vector<Expr>{counted.force}, e.u, values)[0];
  }
  for (NamedExpr& output : out.outputs) {
    output.value = substitute(std::vector<Expr>{output.value}, e.u, values)[0];
  }
  out.u.clear();
  out.about.u.clear();
  return out;
}

std::string Verification::describe() const {
  return fmt::format(
      "simulated with these inputs, the outputs are off by {:.2g} at most, {:.2g} of their path "
      "(bound {:.2g})",
      max_error, relative_error, bound);
}

std::string Verification::reason() const {
  std::string out = "The inputs are not verified: ";
  if (!is_possible) return out + text;
  if (is_done) {
    out += fmt::format(
        "simulated with them, the outputs are off their references by {:.2g} at t = {:.6g} s, "
        "{:.2g} of their path (bound {:.2g}).",
        max_error, at, relative_error, bound);
  } else {
    out += fmt::format("the simulation with them ends at t = {:.6g} s: {}.", reached, text);
  }
  if (growth > kUnstable) {
    out += fmt::format(
        " The mechanism is unstable along this motion: small deviations grow {:.2g} times up to t "
        "= {:.6g} s, and so do the last digits of the inputs. Close the loop: `feedback = lqr`.",
        growth, growth_at);
  } else if (!advice.empty()) {
    out += ' ' + advice;
  }
  return out;
}

Verification verify(const Model& model, const Equations& equations, const RankReport& rank,
                    const State& start, const std::vector<Expr>& inputs,
                    std::span<const double> nominal, double end, double tolerance) {
  Verification out;
  if (inputs.empty()) {
    out.text = "the inputs are not known up to the end.";
    out.is_possible = false;
    return out;
  }
  const Shared<Equations> driven = with_inputs(equations, inputs);
  const Evaluator evaluator(driven);
  State state = start;
  state.u.clear();
  const Findings found = find_out(model, evaluator, state, rank, end);
  if (!found.is_determined) {
    out.is_possible = false;
    out.text =
        "the mass matrix is singular along an unconstrained direction, so there is no forward "
        "simulation.";
    return out;
  }
  const bool has_series = found.has_series && found.is_smooth;
  const Problem problem =
      formulate(leave_out(driven, rank.redundant_rows), has_series ? "index3" : "ggl", state);
  TrackingError error(equations, nominal);
  std::vector<double> y = start_values(problem, evaluator, state), at(y.size());
  // Friction that sticks takes millions of steps, and proves nothing.
  constexpr long kMostSteps = 200'000;
  const Outcome outcome = integrate(
      problem, has_series ? "taylor" : "radau5", {state.t, y}, end,
      {.tolerance = has_series ? tolerance : std::max(tolerance, 1e-10), .max_steps = kMostSteps},
      [&](const Step& step) {
        for (const double part : {0.5, 1.0}) {
          const double t = part == 1 ? step.t1 : step.t0 + part * (step.t1 - step.t0);
          step.evaluate(t, at);
          const double e = error(t, problem.q(std::span<const double>(at)));
          out.end_error = e;
          if (e <= out.max_error) continue;
          out.max_error = e;
          out.at = t;
        }
        return true;
      });
  out.is_done = outcome.status == Outcome::Status::Done;
  out.reached = outcome.t;
  out.text = outcome.text;
  out.path_length = path_length(equations, nominal, start.t, end);
  out.relative_error = out.max_error / (out.path_length > 0 ? out.path_length : 1);
  return out;
}

}  // namespace koppel
