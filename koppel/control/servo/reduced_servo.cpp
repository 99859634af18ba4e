#include <koppel/control/servo/reduced_servo.hpp>

#include <algorithm>

#include <koppel/base/diagnostic.hpp>
#include <koppel/control/servo/servo_terms.hpp>

namespace koppel {
namespace {

constexpr ReducedMethod kMethods[] = {
    {"projection", [](const ServoTerms& terms, const FlatSolution&) { return project(terms); }},
    {"projection:null-space",
     [](const ServoTerms& terms, const FlatSolution&) { return project_by_null_space(terms); }},
    {.name = "minimal-extension",
     .make = [](const ServoTerms& terms, const FlatSolution&) { return extend_once(terms); },
     .has_assumptions = true},
    {.name = "minimal-extension:twice", .make = extend_twice, .is_differentiated = true}};

}  // namespace

std::span<const ReducedMethod> reduced_methods() { return kMethods; }

const ReducedMethod* find_reduced_method(std::string_view name) {
  const auto found = std::find_if(std::begin(kMethods), std::end(kMethods),
                                  [&](const ReducedMethod& m) { return m.name == name; });
  return found == std::end(kMethods) ? nullptr : found;
}

const ReducedMethod& most_general_method() { return kMethods[std::size(kMethods) - 1]; }

ReducedServo make_reduced_servo(const Equations& e, const ReducedMethod& method, const State& state,
                                const ServoProblem& servo, const FlatSolution& solution,
                                CompileOptions options) {
  if (e.u.size() > e.s.size() && !method.is_differentiated) {
    throw Error("control.shared-inputs",
                "the method '" + std::string(method.name) + "' needs as many inputs as outputs.",
                "Use the method flat or minimal-extension:twice, which share the inputs out.");
  }
  const ServoTerms terms(e, state, servo);
  const ReducedForm form = method.make(terms, solution);
  const ResidualTerms& residual = form.residual;
  ReducedServo out;
  Problem& problem = out.problem;
  problem.name = e.model;
  problem.formulation = method.name;
  out.index = method.is_differentiated ? 1 : std::max(3, servo.index - 2);
  problem.index = std::min(out.index, 3);  // what steps are made for
  problem.num_q = static_cast<int>(e.num_q());
  problem.num_v = static_cast<int>(e.num_v());
  problem.num_x = static_cast<int>(e.x.size());
  problem.num_lambda = static_cast<int>(e.num_g());
  problem.num_mu = static_cast<int>(e.num_a());
  problem.rows = servo.problem.rows;
  problem.num_u = static_cast<int>(e.u.size());
  problem.num_w = static_cast<int>(residual.y.size()) - problem.num_differential() -
                  static_cast<int>(e.num_rows()) - problem.num_u;
  for (const Expr& y : residual.y) problem.labels.emplace_back(y.name());
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    problem.labels[terms.y.size() + i] = "lambda of " + e.rows[i].name;
  }
  problem.residual = Lazy<Residual>([residual, options] { return Residual(residual, options); });
  problem.breakpoints = servo.problem.breakpoints;
  for (const SeriesTerms::Place& place : form.start) out.start.push_back(solution.value(place));
  return out;
}

}  // namespace koppel
