// Inputs as samples, on a mass: m x″ = F. With F = Σ F[k] hat_k(t) everything is a polynomial.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/sensitivity.hpp>

namespace koppel {
namespace {

constexpr const char* kMass = R"(
parameters: {m: 2, T: 1.5}
inputs: [F]
coordinates: {x: {start: 0.3, rate: 0.2}}
kinetic: m/2*x'^2
generalized_forces: {x: F}
outputs: {x: x}
)";
constexpr double kEnd = 2, kM = 2;

struct Steps {
  const char* integrator;
  double step;  // 0: chosen
  double error, error_by_T;
};

void PrintTo(const Steps& s, std::ostream* out) { *out << s.integrator << ' ' << s.step; }

Sensitivity find(const SampledInput& input, const std::vector<std::string>& over,
                 const Steps& steps) {
  const Model model = with_sampled_input(read_model_text(kMass, "m.yaml"), input, kEnd);
  SensitivityOptions options;
  options.of = {parse_criterion("F:final"), parse_criterion("x:final")};
  options.run.end = kEnd;
  options.run.tolerance = 1e-10;
  options.run.integrator = steps.integrator;
  if (steps.step > 0) options.run.step = steps.step;
  const Sensitivity found =
      find_sensitivity(StudiedParameters(model, {}, expand(over, model)), options);
  EXPECT_EQ(found.status, Outcome::Status::Done) << found.text;
  return found;
}

class SampledInputs : public ::testing::TestWithParam<Steps> {};
// 2 ms and 10 ms divide the time between samples, 3 ms does not. Fixed-cost steps have errors of
// h²; of h by T, since ∂F/∂T jumps at the samples and they do not end there.
INSTANTIATE_TEST_SUITE_P(
    Steps, SampledInputs,
    ::testing::Values(Steps{"rattle", 2e-3, 1e-5, 3 * 2e-3}, Steps{"rattle", 3e-3, 1e-5, 3 * 3e-3},
                      Steps{"rattle", 1e-2, 1e-4, 3 * 1e-2},
                      Steps{"rosenbrock", 3e-3, 1e-5, 3 * 3e-3}, Steps{"rk4", 1e-2, 1e-12, 1e-11},
                      Steps{"dop853", 0, 1e-9, 1e-8}, Steps{"taylor", 0, 1e-9, 1e-8},
                      Steps{"radau5", 0, 1e-9, 1e-8}));

// ∂F/∂F[k] at the end is 0 but for the last, and ∂x/∂F[k] = ∫(2 − t)/m hat_k(t) dt.
TEST_P(SampledInputs, MoveAMassAsTheClosedFormSays) {
  const SampledInput input{.name = "F", .values = {1, -2, 3, 0.5, -1}};
  const Sensitivity found = find(input, {"F[*]"}, GetParam());
  EXPECT_NEAR(found.values[0], -1, 1e-12);
  const double by[] = {11.0 / 48, 3.0 / 8, 1.0 / 4, 1.0 / 8, 1.0 / 48};
  double x = 0.3 + 0.2 * kEnd;
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(found.derivatives(0, k), k == 4 ? 1 : 0, 1e-12) << k;
    EXPECT_NEAR(found.derivatives(1, k), by[k], GetParam().error) << k;
    x += by[k] * input.values[static_cast<std::size_t>(k)];
  }
  EXPECT_NEAR(found.values[1], x, 5 * GetParam().error);
}

// Spread over T, F = φ(t/T): ∂x/∂T = −1/(mT) ∫(2 − t) t F′ dt.
TEST_P(SampledInputs, AreSpreadOverAParameter) {
  const double T = 1.5;
  const SampledInput input{.name = "F", .values = {1, -2, 3, 0.5, -1}, .duration = "T"};
  const Sensitivity found = find(input, {"T"}, GetParam());
  double by = 0;
  for (int k = 0; k < 4; ++k) {
    const auto i = static_cast<std::size_t>(k);
    const double a = k * T / 4, b = a + T / 4,
                 slope = (input.values[i + 1] - input.values[i]) / (b - a);
    by -= slope / (kM * T) * ((b * b - a * a) * kEnd / 2 - (b * b * b - a * a * a) / 3);
  }
  EXPECT_NEAR(found.derivatives(0, 0), 0, 1e-12);  // it has its last value
  EXPECT_NEAR(found.derivatives(1, 0), by, GetParam().error_by_T);
}

}  // namespace
}  // namespace koppel
