// Steps of fixed cost: no allocation, and all variants converge to one motion.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/count_allocations.hpp>

namespace koppel {
namespace {

FixedCostOptions linear_implicit(const std::string& variant) {
  return Integrator("linear-implicit:" + variant).fixed_cost(Projection::Full);
}

struct Prepared {
  Problem problem;
  std::vector<double> y;
};

Prepared prepare(const std::string& model, const std::string& formulation, double step) {
  const Equations e = derive(read_model(std::string(KOPPEL_MODELS) + model + ".yaml"), "");
  const Evaluator evaluator(e);
  const State state = assemble(evaluator).state;
  FormulationOptions options;
  options.step = step;
  Prepared out{formulate(e, formulation, state, options), {}};
  out.y = start_values(out.problem, evaluator, state);
  return out;
}

constexpr const char* kFormulations[] = {"index1", "index2", "baumgarte", "baumgarte2", "ggl"};
constexpr const char* kVariants[] = {"exact",
                                     "J1",
                                     "J2",
                                     "J3",
                                     "exact:velocities-first",
                                     "J1:velocities-first",
                                     "J2:new-positions",
                                     "J3:new-positions",
                                     "J2:stiff=potential/q",
                                     "exact:stiff=none"};

TEST(FixedCostStep, AllocatesNothing) {
  for (const char* formulation : kFormulations) {
    for (const char* variant : kVariants) {
      Prepared p = prepare("car_axle", formulation, 1e-3);
      const auto step = p.problem.fixed_cost.step(linear_implicit(variant));
      FixedCostStep::Workspace work = step->make_workspace();
      const long before = allocations;
      bool ok = true;
      for (int k = 0; k < 100; ++k) ok = ok && step->advance(k * 1e-3, 1e-3, p.y, work);
      EXPECT_EQ(allocations - before, 0) << formulation << ' ' << variant;
      EXPECT_TRUE(ok) << formulation << ' ' << variant;
    }
  }
}

// yr at t = 0.1 of tests/reference/car_axle.csv.
double error(const char* formulation, const char* variant, double h) {
  Prepared p = prepare("car_axle", formulation, h);
  const auto step = p.problem.fixed_cost.step(linear_implicit(variant));
  FixedCostStep::Workspace work = step->make_workspace();
  const long count = std::lround(0.1 / h);
  for (long k = 0; k < count; ++k) step->advance(static_cast<double>(k) * h, h, p.y, work);
  return std::abs(p.y[3] - 6.09032397356001563560e-01);
}

TEST(FixedCostStep, HasOrderOneInEveryVariant) {
  for (const char* formulation : kFormulations) {
    for (const char* variant : kVariants) {
      const double ratio = error(formulation, variant, 2e-5) / error(formulation, variant, 1e-5);
      EXPECT_NEAR(std::log2(ratio), 1, 0.15) << formulation << ' ' << variant;
    }
  }
}

TEST(FixedCostStep, IsCompiledOnceForEachSetOfOptions) {
  const Prepared p = prepare("car_axle", "ggl", 1e-3);
  const auto one = p.problem.fixed_cost.step(linear_implicit("J1"));
  const Problem copy = p.problem;
  EXPECT_EQ(one, copy.fixed_cost.step(linear_implicit("J1")));
  EXPECT_NE(one, copy.fixed_cost.step(linear_implicit("J2")));
}

TEST(FixedCostStep, SaysWhereItsResultIsNotFinite) {
  Prepared p = prepare("car_axle", "ggl", 1e-3);
  const auto step = p.problem.fixed_cost.step(linear_implicit("J1"));
  FixedCostStep::Workspace work = step->make_workspace();
  p.y[0] = std::nan("");
  EXPECT_FALSE(step->advance(0, 1e-3, p.y, work));
}

}  // namespace
}  // namespace koppel
