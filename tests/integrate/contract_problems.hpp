// The problems of the integrators' contract, each in two forms:
//
//   rates   ẏ = φ(t, y) with a right-hand side and a residual, made by hand;
//   motion  q̈ = φ(t, q, q̇) by way of a model and a formulation, with all that integrators consume:
//           series, equations of steps and fixed-cost steps too.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <problems/pendulum.hpp>

namespace koppel::testing {

enum class ContractForm { Rates, Motion };

// A Lagrangian model of unit mass, formulated; y = (q, q̇, …) at its start.
inline problems::Analytic formulated(const std::string& text, const std::string& formulation) {
  const Equations e = derive(read_model_text(text, "contract.yaml"));
  const Evaluator evaluator(e);
  const State start = e.num_g() > 0 ? assemble(evaluator).state : start_of(e);
  const Problem problem = formulate(e, formulation, start);
  return {problem, 1, start_values(problem, evaluator, start), {}};
}

// q̈ = force(t, q, q̇), as the model format writes it.
inline problems::Analytic motion(const std::string& force, double q, double v, double end,
                                 const std::string& more = "") {
  problems::Analytic out =
      formulated("name: contract\ncoordinates: {q: {start: " + std::to_string(q) +
                     ", rate: " + std::to_string(v) +
                     "}}\nkinetic: q'^2/2\ngeneralized_forces: {q: \"" + force + "\"}\n" + more,
                 "minimal");
  out.end = end;
  return out;
}

inline problems::Analytic contract_oscillator(ContractForm form) {
  problems::Analytic out = problems::harmonic_oscillator();
  if (form == ContractForm::Motion) {
    out.problem = formulated(
                      "name: oscillator\ncoordinates: {q: {start: 1, rate: 0}}\n"
                      "kinetic: q'^2/2\npotential: q^2/2\n",
                      "minimal")
                      .problem;
  }
  return out;
}

// q̈ = −sin t before t = 1, −3 q̇ after: a step across it loses all order.
inline problems::Analytic contract_jump(ContractForm form) {
  if (form == ContractForm::Rates) return problems::jump();
  problems::Analytic out = motion("select(t < 1, -sin(t), -3*q')", 0, 1, 2);
  out.exact = [](double t) {
    const double decay = std::exp(-3 * (t - 1)), q1 = std::sin(1.0), v1 = std::cos(1.0);
    return t <= 1 ? std::vector{std::sin(t), std::cos(t)}
                  : std::vector{q1 + v1 * (1 - decay) / 3, v1 * decay};
  };
  return out;
}

// 1/(1 − t), from ẏ = y² or q̈ = 2 q³.
inline problems::Analytic contract_pole(ContractForm form) {
  if (form == ContractForm::Motion) return motion("2*q^3", 1, 1, 2);
  return {problems::make_ode(
              "pole", 1, [](Expr, const std::vector<Expr>& y) { return std::vector{y[0] * y[0]}; }),
          2,
          {1},
          {}};
}

// √(1 − t) has no value beyond t = 1.
inline problems::Analytic contract_root(ContractForm form) {
  if (form == ContractForm::Motion) return motion("-q + sqrt(1 - t)", 1, 0, 2);
  return {problems::make_ode(
              "root", 1,
              [](Expr t, const std::vector<Expr>& y) { return std::vector{-y[0] + sqrt(1 - t)}; }),
          2,
          {1},
          {}};
}

inline problems::Analytic contract_nowhere(ContractForm form) {
  if (form == ContractForm::Motion) return motion("q*sqrt(-1 - t)", 1, 0, 1);
  return {problems::make_ode(
              "nowhere", 1,
              [](Expr t, const std::vector<Expr>& y) { return std::vector{y[0] * sqrt(-1 - t)}; }),
          1,
          {1},
          {}};
}

// The pendulum of problems/pendulum.hpp in the formulations that each form has.
inline std::vector<problems::Analytic> contract_pendulums(ContractForm form) {
  std::vector<problems::Analytic> out;
  if (form == ContractForm::Rates) {
    for (const char* name : {"index1", "index2", "index3", "ggl"}) {
      out.push_back(problems::pendulum(name));
    }
    return out;
  }
  for (const FormulationInfo& formulation : formulations()) {
    if (formulation.name == "minimal") continue;  // there is a constraint
    out.push_back(formulated(R"(
name: pendulum
coordinates: {x: {start: sin(1.2), rate: 0}, y: {start: -cos(1.2), rate: 0}}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {rod: (x^2 + y^2 - 1)/2}
)",
                             std::string(formulation.name)));
    out.back().end = 2;
    out.back().exact = problems::pendulum_solution;
  }
  return out;
}

}  // namespace koppel::testing
