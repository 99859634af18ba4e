// Runs of steps of fixed cost on the built-in models, with their errors against an accurate
// integration of the same equations by another method.
#pragma once

#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {

struct Ready {
  Equations equations;
  State state;
  Problem problem;
  Start start;
  Problem accurate;  // the same by accelerations, for dop853
  Start accurate_start;
};

inline Ready prepare(const Model& model, const std::string& coordinates,
                     const std::string& formulation) {
  const Equations e = derive(model, coordinates);
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  FormulationOptions options;
  options.alpha = options.beta = 5;  // where they count
  const Shared<Equations> independent = leave_out(e, analyze_rank(evaluator, state).redundant_rows);
  Ready out;
  out.equations = e;
  out.state = state;
  out.problem = formulate(independent, formulation, state, options);
  out.start = {state.t, start_values(out.problem, evaluator, state)};
  out.accurate = formulate(independent, "index1", state, options);
  out.accurate_start = {state.t, start_values(out.accurate, evaluator, state)};
  return out;
}

inline Ready prepare(const std::string& name, const std::string& coordinates = "",
                     const std::string& formulation = "index1") {
  return prepare(read_model(std::string(KOPPEL_MODELS) + name + ".yaml"), coordinates, formulation);
}

struct Errors {
  double q = 0, v = 0;                // against the exact end
  double position = 0, velocity = 0;  // largest violations on the way
};

// Against dop853 at tolerance 1e-12.
inline Errors run(const Ready& ready, const std::string& integrator, double h, double end) {
  const Problem& p = ready.problem;
  IntegrateOptions options;
  options.step = h;
  Errors out;
  auto work = p.projector->make_workspace();
  std::vector<double> y(ready.start.y.size());
  const Outcome fixed = integrate(p, integrator, ready.start, end, options, [&](const Step& step) {
    step.evaluate(step.t1, y);
    const auto violation = p.projector->violation(step.t1, p.q(std::span<const double>(y)),
                                                  p.v(std::span<const double>(y)), work);
    out.position = std::max(out.position, violation.position);
    out.velocity = std::max(out.velocity, violation.velocity);
    return true;
  });
  EXPECT_EQ(fixed.status, Outcome::Status::Done) << fixed.text;
  const Outcome exact = integrate(ready.accurate, "dop853", ready.accurate_start, end,
                                  {.tolerance = 1e-12, .projection = Projection::Full});
  for (int i = 0; i < p.num_q + p.num_v; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double& error = i < p.num_q ? out.q : out.v;
    error = std::max(error, std::abs(fixed.y[k] - exact.y[k]));
  }
  return out;
}

inline double order(double coarse, double fine) { return std::log2(coarse / fine); }

}  // namespace koppel::testing
