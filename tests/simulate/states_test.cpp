// Further states (controllers, filters) beside mechanics, by every integrator.
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/near.hpp"

namespace koppel {
namespace {

// x = cos 2t; w′ = x − w, so that w = (cos 2t + 2 sin 2t)/5 + c e^{−t}; z′ = w + t is its integral
// and t²/2, and does not act back.
Model filtered() {
  return read_model_text(R"(
coordinates: {x: 1}
kinetic: x'^2/2
potential: 2*x^2
states: {w: {start: 0.5, rate: x - w}, z: {start: 0, rate: w + t}}
outputs: {x: x, w: w, z: z}
)",
                         "filtered.yaml");
}

struct States {
  double w, z;
};

States exact(double t) {
  const double c = 0.5 - 0.2;
  return {(std::cos(2 * t) + 2 * std::sin(2 * t)) / 5 + c * std::exp(-t),
          (std::sin(2 * t) / 2 + 1 - std::cos(2 * t)) / 5 + c * (1 - std::exp(-t)) + t * t / 2};
}

States error_of(const char* integrator, double step) {
  SimulateOptions options;
  options.health = {.is_watched = false};
  options.end = 1.2;
  options.integrator = integrator;
  options.tolerance = 1e-9;
  if (step > 0) options.step = step;
  const Simulation s = simulate(filtered(), options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << integrator << ": " << s.text;
  const States right = exact(1.2);
  return {std::abs(s.trajectory["w"].back() - right.w),
          std::abs(s.trajectory["z"].back() - right.z)};
}

TEST(FurtherStates, AreIntegratedByEveryMethodWithItsOrder) {
  for (const IntegratorInfo& info : integrators()) {
    const std::string name(info.name);
    SCOPED_TRACE(name);
    if (info.has_adaptive_step) {
      const States error = error_of(name.c_str(), 0);
      const double allowed = name == "implicit-euler" ? 1e-3 : 1e-6;  // 1e-9 a step, order 1
      EXPECT_LT(error.w, allowed);
      EXPECT_LT(error.z, allowed);
      continue;
    }
    const States coarse = error_of(name.c_str(), 0.02), fine = error_of(name.c_str(), 0.01);
    const bool is_euler = name == "explicit-euler" || name == "linear-implicit";
    const double order = is_euler ? 1 : 2;
    for (const auto& [c, f] : {std::pair{coarse.w, fine.w}, std::pair{coarse.z, fine.z}}) {
      EXPECT_LT(c, is_euler ? 0.05 : 1e-3);
      // Errors near round-off have no order.
      EXPECT_TRUE(f < 1e-11 || std::log2(c / f) > order - 0.3) << c << " to " << f;
    }
  }
}

// The trapezoidal rule on z′ = t² ends at T³/3 + h² T/6.
TEST(FurtherStates, OfGeneralizedAlphaFollowTheTrapezoidalRule) {
  const Model model = read_model_text(
      "coordinates: {x: 1}\nkinetic: x'^2/2\nstates: {z: {start: 0, rate: t^2}}\noutputs: {z: z}\n",
      "square.yaml");
  SimulateOptions options;
  options.end = 2;
  options.integrator = "generalized-alpha";
  options.step = 0.25;
  const Simulation s = simulate(model, options);
  ASSERT_EQ(s.status, Outcome::Status::Done) << s.text;
  EXPECT_TRUE(testing::near(s.trajectory["z"].back(), 8.0 / 3 + 0.0625 * 2 / 6,
                            {.relative = 1e-13, .because = "round-off of eight steps"}));
}

}  // namespace
}  // namespace koppel
