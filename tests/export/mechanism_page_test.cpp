// What a page that runs a mechanism is told about it.
#include <koppel/export/mechanism_page.hpp>

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/export/holding_inputs.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

using Json = nlohmann::json;

StepModel step_of(const Model& model, const char* integrator = "rattle") {
  SimulateOptions options = options_of(model);
  options.integrator = integrator;
  options.step = 1e-3;
  options.end = 0.01;
  return make_step_model(model, options);
}

Json data_of(const Model& model) {
  return Json::parse(make_mechanism_page(model, {step_of(model)}).data);
}

Json entry(const Json& list, const std::string& name) {
  for (const Json& item : list) {
    if (item["name"] == name) return item;
  }
  return {};
}

const char* const kCrane = R"(
parameters: {m_t: 10, m: 100, J: 0.1, r: 0.1, g: 9.81}
inputs: [F_t, M_w]
coordinates: {s: {start: 0}, l: {start: 4}, x: {start: 0}, z: {start: -4}}
kinetic: m_t/2*s'^2 + J/r^2/2*l'^2 + m/2*(x'^2 + z'^2)
potential: m*g*z
generalized_forces: {s: F_t, l: M_w/r}
constraints: {cable: ((x - s)^2 + z^2 - l^2)/2}
outputs: {x: x, z: z}
)";

// The winch carries the load, M_w = −m g r, and the trolley stands.
TEST(MechanismPage, InputsStartAtWhatHoldsTheMechanism) {
  const Json data = data_of(read_model_text(kCrane, "crane.yaml"));
  EXPECT_NEAR(entry(data["inputs"], "M_w")["start"].get<double>(), -100 * 9.81 * 0.1, 1e-9);
  EXPECT_EQ(entry(data["inputs"], "F_t")["start"].get<double>(), 0);
  EXPECT_TRUE(entry(data["inputs"], "F_t")["min"].is_null());
}

TEST(MechanismPage, InputsThatCannotHoldItStartAtZeroOrTheirLimit) {
  const Model model = read_model_text(
      "coordinates: {x: {start: 0}, y: {start: 0}}\nkinetic: (x'^2 + y'^2)/2\npotential: 9.81*y\n"
      "inputs: {F: {min: 2, max: 5}, G: {}}\ngeneralized_forces: {x: F + G}\n",
      "falling.yaml");
  const Json data = data_of(model);
  EXPECT_EQ(entry(data["inputs"], "F")["start"].get<double>(), 2);
  EXPECT_EQ(entry(data["inputs"], "F")["max"].get<double>(), 5);
  EXPECT_EQ(entry(data["inputs"], "G")["start"].get<double>(), 0);
}

// A length that a constraint or a place depends on would tear the mechanism.
TEST(MechanismPage, SlidersAreForParametersThatDoNotMoveJoints) {
  const Model model = read_model_text(
      "dimension: 2\nparameters: {l: 2, m: 3, g: 9.81}\ngravity: [0, -g]\n"
      "bodies: {b: {mass: m, inertia: 1, position: [l, 0]}}\n"
      "joints: {j: {type: revolute, between: [ground, {b: [-l, 0]}]}}\noutputs: {x: b.x}\n",
      "bar.yaml");
  const Json data = data_of(model);
  EXPECT_FALSE(entry(data["parameters"], "l")["settable"].get<bool>());
  EXPECT_TRUE(entry(data["parameters"], "m")["settable"].get<bool>());
  EXPECT_TRUE(entry(data["parameters"], "g")["settable"].get<bool>());
  EXPECT_EQ(data["scene"]["bodies"].size(), 2u);
}

TEST(MechanismPage, ShowsOutputsOfAllFunctions) {
  const Model model = read_model_text(
      "coordinates: {x: {start: 1}, y: {start: 0}}\nkinetic: (x'^2 + y'^2)/2\n"
      "potential: exp(x)\noutputs: {angle: 'atan2(y, x)', x: x}\n",
      "point.yaml");
  const Json data = data_of(model);
  EXPECT_EQ(entry(data["outputs"], "angle")["group"], "outputs");
  EXPECT_EQ(entry(data["outputs"], "x")["group"], "outputs");
  EXPECT_EQ(entry(data["outputs"], "energy")["group"], "energy");
}

TEST(MechanismPage, HasAHandWhereTheIntegratorIsOpen) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 1}}\noutputs: {x: b.x}\nrun: {end: 0.1}\n",
      "free.yaml");
  SimulateOptions options = options_of(model);
  options.step = 1e-3;
  const auto has_hand = [&] {
    const PageStep step = make_step_for_page(model, options, "", {});
    const Json data = Json::parse(make_mechanism_page(model, step).data);
    return !entry(data["inputs"], "grip.target_x").is_null() &&
           !entry(data["parameters"], "grip.body").is_null();
  };
  EXPECT_TRUE(has_hand());
  options.integrator = "rattle";
  EXPECT_FALSE(has_hand());
}

// Andrews' mechanism moves too fast for a millisecond, which it is not asked for.
TEST(MechanismPage, FindsAStepThatHolds) {
  const Model model = read_model(std::filesystem::path(KOPPEL_MODELS) / "andrews.yaml");
  const PageStep step = make_step_for_page(model, {}, "", {});
  EXPECT_LT(step.step.step, 1e-3);
  EXPECT_TRUE(step.step.choice.trial.holds());
  EXPECT_EQ(step.num_hands(), 0);  // it has no bodies
}

// Also of a step with a hand, which has no balance of its own.
TEST(MechanismPage, SaysWhetherEnergyMustStay) {
  const std::string swing =
      "dimension: 2\ngravity: [0, -9.81]\nbodies: {bob: {point_mass: 1, position: [1, 0]}}\n"
      "joints: {rope: {type: distance, between: [ground, bob]}}\n";
  const auto conserves = [](const std::string& text) {
    const Model model = read_model_text(text, "swing.yaml");
    SimulateOptions options = options_of(model);
    options.step = 1e-3;
    options.end = 0.1;
    const PageStep held = make_step_for_page(model, options, "", {});
    const bool with_hand = Json::parse(make_mechanism_page(model, held).data)["conserves_energy"];
    EXPECT_EQ(data_of(model)["conserves_energy"].get<bool>(), with_hand) << text;
    return with_hand;
  };
  EXPECT_TRUE(conserves(swing));
  EXPECT_FALSE(conserves(swing + "forces: {air: {type: damper, between: [{ground: [0, -2]}, bob], "
                                 "damping: 1}}\n"));
  EXPECT_FALSE(
      conserves(swing + "inputs: [F]\nforces: {push: {type: effort, on: bob.x, effort: F}}\n"));
}

TEST(MechanismPage, HasTheForcesOfSpringsAndLoads) {
  const Json data = data_of(read_model_text(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 1, points: {P: [0.5, 0]}}}\nforces:\n"
      "  s: {type: spring, between: [{ground: [0, 2]}, b], stiffness: 3, free_length: 1}\n"
      "  f: {type: force, on: b.P, force: [4, 5]}\n",
      "body.yaml"));
  EXPECT_EQ(entry(data["outputs"], "s.pull")["group"], "forces");
  EXPECT_EQ(entry(data["outputs"], "f.force.y")["unit"], "N");
  EXPECT_TRUE(entry(data["outputs"], "f.force.z").is_null());
  EXPECT_EQ(data["loads"].size(), 1u);
  EXPECT_EQ(entry(data["loads"], "f")["body"], 1);
  EXPECT_EQ(entry(data["loads"], "f")["point"][0], 0.5);
}

// The text between the marks of the page is the data, with the module compressed and in base64:
// what Python's zlib and base64 make of it.
TEST(MechanismPage, HtmlHasDataAndModule) {
  const std::string html = to_html({"{\"title\":\"t\"}", "\x01\x02\x03\x04"});
  EXPECT_NE(html.find("{\"mechanism\":{\"title\":\"t\"},\"module\":\"eNpjZGJmAQAAGAAL\"}"),
            std::string::npos);
}

}  // namespace
}  // namespace koppel
