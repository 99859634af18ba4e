#include <koppel/control/servo/reduced_servo.hpp>

#include <algorithm>

#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/servo_terms.hpp>

namespace koppel {
namespace {

constexpr std::string_view kMethods[] = {"projection", "projection:null-space", "minimal-extension",
                                         "minimal-extension:twice"};

ReducedForm make_form(const ServoTerms& terms, std::string_view method,
                      const FlatSolution& solution) {
  if (method == "minimal-extension") return extend_once(terms);
  if (method == "minimal-extension:twice") return extend_twice(terms, solution);
  return method == "projection" ? project(terms) : project_by_null_space(terms);
}

}  // namespace

std::span<const std::string_view> reduced_methods() { return kMethods; }

bool is_reduced_method(std::string_view name) {
  return std::find(std::begin(kMethods), std::end(kMethods), name) != std::end(kMethods);
}

ReducedServo make_reduced_servo(const Equations& e, std::string_view method, const State& state,
                                const ServoProblem& servo, const FlatSolution& solution,
                                CompileOptions options) {
  if (e.u.size() > e.s.size() && method != "minimal-extension:twice") {
    throw Error("control.shared-inputs",
                "the method '" + std::string(method) + "' needs as many inputs as outputs.",
                "Use the method flat or minimal-extension:twice, which share the inputs out.");
  }
  const ServoTerms terms(e, state, servo);
  const ReducedForm form = make_form(terms, method, solution);
  const ResidualTerms& residual = form.residual;
  ReducedServo out;
  Problem& problem = out.problem;
  problem.name = e.model;
  problem.formulation = method;
  out.index = method == "minimal-extension:twice" ? 1 : std::max(3, servo.index - 2);
  problem.index = std::min(out.index, 3);  // what steps are made for
  problem.num_q = static_cast<int>(e.num_q());
  problem.num_v = static_cast<int>(e.num_v());
  problem.num_x = static_cast<int>(e.x.size());
  problem.num_lambda = static_cast<int>(terms.num_lambda);
  problem.num_mu = static_cast<int>(terms.kept.size() - terms.num_lambda);
  problem.rows = servo.problem.rows;
  problem.num_u = static_cast<int>(e.u.size());
  problem.num_w = static_cast<int>(residual.y.size()) - problem.num_differential() -
                  static_cast<int>(terms.kept.size()) - problem.num_u;
  for (const Expr& y : residual.y) problem.labels.emplace_back(y.name());
  for (std::size_t i = 0; i < terms.kept.size(); ++i) {
    problem.labels[terms.y.size() + i] = "lambda of " + terms.row_label(i);
  }
  problem.residual = Lazy<Residual>([residual, options] { return Residual(residual, options); });
  problem.breakpoints = servo_breakpoints(e, state.p);
  for (const SeriesTerms::Place& place : form.start) out.start.push_back(solution.value(place));
  return out;
}

}  // namespace koppel
