// Where the structure of a servo problem deceives, or its reduction is not enough: parameters of
// value 0, rows between steps, indices above 5, starts without a relative degree.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/control/inverse_runs.hpp"
#include "tests/error_of.hpp"

namespace koppel {
namespace {

using namespace testing;

std::string message_of(const Model& model, const InverseOptions& options) {
  return testing::error_of([&] { inverse(model, options); }, "accepted");
}

// Three masses with springs and dampers; the first is pushed, the last prescribed.
Model damped_chain(const std::string& parameters) {
  return read_model_text(
      "name: chain\nparameters: {k: 100, " + parameters +
          "}\ninputs: [F]\n"
          "coordinates: {x: 0, y: 0, z: 0}\nkinetic: (x'^2 + y'^2 + z'^2)/2\n"
          "potential: k/2*((x - y)^2 + (y - z)^2)\n"
          "dissipation: b/2*((x' - y')^2 + (y' - z')^2)\ngeneralized_forces: {x: F}\n"
          "signals: {c: {type: rest-to-rest, duration: 2, smoothness: 6}}\n"
          "servo: {last: {output: z, reference: c}}\nrun: {end: 2, samples: 1001}\n",
      "chain.yaml");
}

// A damper of no damping is none: index 7 and no internal dynamics, as without it. The force is a
// polynomial in time: from its coefficients as fractions.
TEST(Structure, AParameterOfValueZeroIsNotThere) {
  for (const char* parameters : {"b: 0", "zeta: 0, b: 2*zeta*sqrt(k)"}) {
    const Model model = damped_chain(parameters);
    const Inverse result = inverse(model, inverse_options_of(model));
    ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
    EXPECT_EQ(result.summary.index, 7);
    EXPECT_EQ(result.summary.internal_dynamics, 0);
    EXPECT_NEAR(result.trajectory["F"][195], 4.046737325218946, 1e-11);  // t = 0.39
  }
  const Model model = damped_chain("b: 0.5");
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.summary.index, 5);
  EXPECT_EQ(result.summary.internal_dynamics, 2);
}

// Steps of 0.2 s and rows every 0.002 s: all as exact as the flat solution.
TEST(Structure, RowsBetweenStepsOfTheExtensionToIndexOneAreSolvedFor) {
  const Model model = model_file("overhead_crane");
  InverseOptions options = inverse_options_of(model);
  const Inverse flat = inverse(model, options);
  options.method = "minimal-extension:twice";
  options.step = 0.2;
  options.verify = true;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Done) << result.text;
  ASSERT_EQ(result.trajectory.num_rows(), 1001u);
  EXPECT_LE(result.summary.steps, 16);
  for (const char* name : {"F_t", "M_w", "s", "lambda.cable"}) {
    EXPECT_LT(distance(result.trajectory[name], flat.trajectory[name]),
              1e-10 * largest(flat.trajectory[name]))
        << name;
  }
  EXPECT_LT(result.summary.relative_residual, 1e-6);  // differences of velocities over 2e-4 s
  EXPECT_LT(result.summary.verification->relative_error, 1e-6);  // natural splines through rows
}

TEST(Structure, RungeKuttaMethodsAreRefusedAboveIndexThree) {
  const Model model = model_file("navy_crane_3d");
  for (const char* method : {"projection", "projection:null-space", "minimal-extension"}) {
    for (const char* integrator : {"radau5", "midpoint"}) {
      InverseOptions options = inverse_options_of(model);
      options.method = method;
      options.integrator = integrator;
      EXPECT_EQ(message_of(model, options),
                std::string("error[control.wrong-integrator]: the method '") + method +
                    "' leaves index 5 of the 7 of this problem; '" + integrator +
                    "' does not converge above 3.\n"
                    "  Use implicit-euler or bdf2 to bdf5; or the method flat or "
                    "minimal-extension:twice, at any index.");
    }
  }
}

// Backward differences converge there, with order 1 of backward Euler.
TEST(Structure, ProjectionOfIndexSevenConverges) {
  const Model model = model_file("navy_crane_3d");
  const auto error = [&](double step) {
    InverseOptions options = inverse_options_of(model);
    options.end = 4;
    options.health.judges_one_way = false;  // motions of the literature ask cables to push
    options.sampling.count = 41;
    const Inverse exact = inverse(model, options);
    options.method = "projection";
    options.step = step;
    const Inverse result = inverse(model, options);
    EXPECT_EQ(result.status, Outcome::Status::Done) << result.text;
    return distance(result.trajectory["u4"], exact.trajectory["u4"]);
  };
  const double coarse = error(0.05), fine = error(0.025);
  EXPECT_GT(coarse / fine, 1.7);
  EXPECT_LT(coarse / fine, 2.3);
}

TEST(Structure, ShortStepsOfAHighIndexFailByRoundOffAndAreToldSo) {
  const Model model = model_file("navy_crane_3d");
  InverseOptions options = inverse_options_of(model);
  options.method = "projection";
  options.integrator = "bdf5";
  options.step = 0.004;
  options.end = 3;
  const Inverse result = inverse(model, options);
  ASSERT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(result.text.substr(0, 194),
            "a step fails. The method 'projection' leaves index 5 of the 7 of this problem, where "
            "round-off grows as 1/h^4: take a longer `step`, a lower order, or the method flat or "
            "minimal-extension:twice.");
}

// A load on a double pendulum that hangs straight does not feel the trolley's force; elsewhere it
// does.
TEST(Structure, AStartWithoutRelativeDegreeIsNamed) {
  const Model model = read_model_text(
      "name: gantry\nparameters: {M: 10, m: 2, n: 5, l: 1, g: 9.81}\ninputs: [F]\n"
      "coordinates: {s: 0, a: 0, b: 0}\n"
      "kinetic: M/2*s'^2 + m/2*((s' + l*a'*cos(a))^2 + (l*a'*sin(a))^2) + n/2*((s' + l*a'*cos(a) + "
      "l*b'*cos(b))^2 + (l*a'*sin(a) + l*b'*sin(b))^2)\n"
      "potential: -m*g*l*cos(a) - n*g*l*(cos(a) + cos(b))\ngeneralized_forces: {s: F}\n"
      "signals: {c: {type: rest-to-rest, duration: 3, smoothness: 8}}\n"
      "servo: {load: {output: s + l*sin(a) + l*sin(b), reference: c}}\nrun: {end: 3}\n",
      "gantry.yaml");
  EXPECT_EQ(message_of(model, inverse_options_of(model)),
            "error[control.no-relative-degree]: the outputs have no relative degree at the start: "
            "there the equations do not determine 's', 'a', 'F'; beside it they do, with "
            "index 3 and internal dynamics of order 4.\n"
            "  Begin where inputs move the outputs, prescribe another output, or add an input, as "
            "a hoist.");
}

}  // namespace
}  // namespace koppel
