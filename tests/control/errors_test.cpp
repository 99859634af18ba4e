// What is said where a motion cannot be had, or only with what no actuator and no cable does.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

#include "tests/control/inverse_runs.hpp"
#include "tests/error_of.hpp"

namespace koppel {
namespace {

using namespace testing;

// The overhead crane, with parts of the text replaced.
Model crane(const std::vector<std::pair<std::string, std::string>>& replace = {}) {
  std::string text =
      "name: crane\n"
      "parameters: {m_t: 10, m: 100, J: 0.1, r: 0.1, g: 9.81, x1: 5, z1: -1, n: 4}\n"
      "inputs: [F_t, M_w]\n"
      "coordinates: {s: {start: 0}, l: {start: 4}, x: {start: 0}, z: {start: -4}}\n"
      "kinetic: m_t/2*s'^2 + J/r^2/2*l'^2 + m/2*(x'^2 + z'^2)\n"
      "potential: m*g*z\n"
      "generalized_forces: {s: F_t, l: M_w/r}\n"
      "constraints: {cable: {value: ((x - s)^2 + z^2 - l^2)/2, pulls: true}}\n"
      "signals: {c: {type: three-phase, duration: 3, ramp: 1, smoothness: n}}\n"
      "servo: {load_x: {output: x, reference: x1*c}, load_z: {output: z, reference: -4 + (z1 + "
      "4)*c}}\n"
      "positive: {cable: l}\n"
      "run: {end: 3}\n";
  for (const auto& [from, to] : replace) {
    const std::size_t at = text.find(from);
    if (at == std::string::npos) throw std::logic_error("no '" + from + "' in the text");
    text.replace(at, from.size(), to);
  }
  return read_model_text(text, "crane.yaml");
}

std::string error_of(const Model& model) {
  return testing::error_of([&] { inverse(model, inverse_options_of(model)); }, "none");
}

TEST(InverseErrors, ReferenceThatIsNotSmoothEnough) {
  const Model model = crane({{"n: 4", "n: 2"}});
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(result.text,
            "the reference of 'load_x' is not smooth enough at t = 1 s: its derivative 3 jumps by "
            "15. At index 5 its derivatives up to order 3 must be continuous; to follow it the "
            "inputs would need an impulse.");
  // All before that time is kept.
  EXPECT_NEAR(result.trajectory.time().back(), 0.999, 1e-12);
  InverseOptions options = inverse_options_of(model);
  options.across_jumps = true;
  EXPECT_EQ(inverse(model, options).status, Outcome::Status::Done);
}

TEST(InverseErrors, InputsThatJump) {
  const Model model = crane({{"n: 4", "n: 3"}});
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Done) << result.text;
  ASSERT_FALSE(result.summary.messages.empty());
  EXPECT_EQ(result.summary.messages[0],
            "the inputs jump at t = 1 s: derivative 4 of the reference of 'load_x', which they "
            "depend on, does.");
}

TEST(InverseErrors, PathThroughTheSuspension) {
  const Model model = crane({{"x1: 5, z1: -1", "x1: 0, z1: 1"}});
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(
      result.text,
      "the prescribed motion leads to a singular point at t = 2.10006 s, where 'l', 'lambda of "
      "cable', 'M_w' are not determined (Newton's method does not converge).");
  EXPECT_GT(result.trajectory.num_rows(), 100u);
}

TEST(InverseErrors, WrongBranch) {
  const Model model = crane({{"l: {start: 4}", "l: {start: -4}"}});
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Failed);
  EXPECT_EQ(
      result.text,
      "the motion is on a wrong branch: 'cable', which must be positive, is -4. Give starting "
      "values near the branch that is meant.");
}

TEST(InverseErrors, CableThatWouldPush) {
  const Model model = model_file("navy_crane_2d_massless");
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Doubtful);
  EXPECT_EQ(result.summary.status, "doubtful");
  EXPECT_EQ(
      result.text,
      "from t = 1.64161 s on the motion is that of another mechanism: 'cable1' would have to act "
      "the wrong way (a cable push, an open contact pull).");
  ASSERT_EQ(result.summary.pushing_cables.size(), 1u);
  const Excess& push = result.summary.pushing_cables[0];
  EXPECT_EQ(push.name, "cable1");
  EXPECT_NEAR(push.worst, -53.68, 0.01);  // an independent solution has this minimum at 2.03 s
  EXPECT_NEAR(push.at, 2.03, 0.005);
  EXPECT_EQ(result.summary.messages.back(),
            "'cable1' would have to act the wrong way from t = 1.64161 s to 2.42439 s: its "
            "multiplier is -53.6843 at t = 2.031 s. A cable goes slack there, a contact opens.");
}

TEST(InverseErrors, SingularStartIsLeftOut) {
  const Model model = model_file("navy_crane_2d_massless");
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.trajectory.time().front(), 0.003);  // the second of 1001 rows
  EXPECT_EQ(result.summary.messages.front(),
            "the equations are singular at t = 0 s, where 'L0', 'z0', 'lambda of cable0', 'lambda "
            "of cable2' are not determined; the results begin at t = 0.000406576 s.");
}

TEST(InverseErrors, LimitsOfInputs) {
  const Model model = crane({{"[F_t, M_w]", "{F_t: {max: 300}, M_w: {min: -200, max: -50}}"}});
  const Inverse result = inverse(model, inverse_options_of(model));
  EXPECT_EQ(result.status, Outcome::Status::Doubtful);
  ASSERT_EQ(result.summary.health.reasons.size(), 1u);
  EXPECT_EQ(result.summary.health.reasons[0].what, Health::What::Limits);
  EXPECT_NE(result.text.find("needs more than the inputs may give: 'F_t'"), std::string::npos)
      << result.text;
  ASSERT_FALSE(result.summary.limit_violations.empty());
  const Excess& beyond = result.summary.limit_violations[0];
  EXPECT_EQ(beyond.name, "F_t");
  EXPECT_EQ(beyond.bound, 300);
  EXPECT_GT(beyond.worst, 300);
  EXPECT_GT(beyond.to, beyond.from);
  EXPECT_EQ(result.summary.messages.back().substr(0, 40),
            "the input 'F_t' is beyond its limit 300 ");
}

TEST(InverseErrors, NumbersOfInputsAndOutputs) {
  EXPECT_EQ(error_of(crane({{"[F_t, M_w]", "[F_t]"}, {", l: M_w/r", ""}})),
            "error[control.too-many-outputs]: there are too few inputs: 1 input ('F_t') for 2 "
            "prescribed outputs ('load_x', 'load_z').\n"
            "  Add an actuator for each output more, or prescribe fewer outputs.");
  EXPECT_EQ(error_of(crane({{"[F_t, M_w]", "[]"}, {"{s: F_t, l: M_w/r}", "{}"}})),
            "error[control.no-inputs]: 'crane' has no inputs.\n"
            "  Name forces and torques under 'inputs' and let them act under 'forces' or "
            "'generalized_forces'.");
  EXPECT_EQ(error_of(read_model_text("name: slide\ninputs: [F]\ncoordinates: [x]\nkinetic: x'^2/2\n"
                                     "generalized_forces: {x: F}\n",
                                     "slide.yaml")),
            "error[control.no-outputs]: 'slide' prescribes no output.\n"
            "  Add outputs and their references under 'servo'.");
}

TEST(InverseErrors, OutputThatNoInputInfluences) {
  const char* const text =
      "name: two\ninputs: [F]\ncoordinates: [x, y]\nkinetic: x'^2/2 + y'^2/2\npotential: y^2\n"
      "generalized_forces: {x: F}\nservo: {far: {output: y, reference: t^4}}\n";
  EXPECT_EQ(error_of(read_model_text(text, "two.yaml")),
            "error[control.no-influence]: no input influences the output 'far'.\n"
            "  Prescribe something that the inputs can move, or let an input act there.");
}

TEST(InverseErrors, OutputsThatInputsCannotMoveIndependently) {
  // Both inputs act on the same coordinate.
  EXPECT_EQ(error_of(crane({{"{s: F_t, l: M_w/r}", "{s: F_t + M_w}"}})).substr(0, 28),
            "error[control.no-influence]:");
}

TEST(InverseErrors, ProjectionAndMasslessParts) {
  const auto error_by = [](const Model& model, const std::string& method) -> std::string {
    InverseOptions options = inverse_options_of(model);
    options.method = method;
    return testing::error_of([&] { inverse(model, options); }, "none");
  };
  EXPECT_EQ(error_by(model_file("navy_crane_2d_massless"), "projection:null-space"),
            "error[control.massless-motion]: 'US Navy crane, planar, massless pulley' has motions "
            "without mass, whose accelerations no force determines: projection:null-space needs "
            "those of all motions.\n"
            "  Use the method flat, projection or minimal-extension.");
  // The end of a massless lever between two springs.
  const Model lever = read_model_text(
      "name: lever\ninputs: [F]\ncoordinates: {x: 0, y: 0}\nkinetic: x'^2/2\n"
      "potential: (y - x)^2/2 + y^2/2\ngeneralized_forces: {x: F}\n"
      "signals: {c: {type: rest-to-rest, duration: 2, smoothness: 4}}\n"
      "servo: {end: {output: y, reference: c}}\nrun: {end: 2}\n",
      "lever.yaml");
  EXPECT_EQ(error_by(lever, "projection"),
            "error[control.massless-output]: the output 'end' can move without any mass: the "
            "equations of motion cannot be projected along it.\n"
            "  Use the method flat or minimal-extension.");
  EXPECT_EQ(error_by(lever, "flat"), "none");
  EXPECT_EQ(error_by(lever, "minimal-extension"), "none");
}

TEST(InverseErrors, Options) {
  const Model model = crane();
  InverseOptions options = inverse_options_of(model);
  options.method = "flatt";
  EXPECT_EQ(testing::error_of([&] { inverse(model, options); }),
            "error[control.unknown-method]: there is no method 'flatt'.\n"
            "  Did you mean 'flat'? There are: 'auto', 'flat', 'projection', "
            "'projection:null-space', 'minimal-extension', 'minimal-extension:twice'.");
}

}  // namespace
}  // namespace koppel
