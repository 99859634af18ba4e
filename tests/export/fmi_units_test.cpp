// Units in descriptions of FMUs, of both versions of the standard.
#include <koppel/export/fmi_description.hpp>

#include <map>
#include <pugixml.hpp>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

StepModel cart() {
  const Model model = read_model_text(R"(
dimension: 2
gravity: [0, -9.81]
parameters: {k: 3}
inputs: [F]
bodies:
  cart: {mass: 2, inertia: 0.1}
  rod: {mass: 1, shape: {rod: {from: [0, 0], to: [0, -1]}}, points: {tip: [0, -1]}}
joints:
  rail: {type: prismatic, between: [ground, cart], axis: [1, 0]}
  pin: {type: revolute, between: [cart, rod]}
forces: {push: {type: effort, on: rail.position, effort: F - k*rail.position}}
outputs: {s: rail.position, a: pin.angle, v: "rod.tip.x'", w: "pin.angle'", q: 2*pin.angle}
)",
                                      "cart.yaml");
  SimulateOptions options = options_of(model);
  options.coordinates = "joint";
  options.integrator = "linear-implicit";
  options.step = 1e-3;
  return make_step_model(model, options);
}

// The exponents of kg, m, s and rad of a unit, as in "m=1 s=-2".
std::map<std::string, std::string> base_units(pugi::xml_node root) {
  std::map<std::string, std::string> out;
  for (const pugi::xml_node unit : root.child("UnitDefinitions")) {
    std::string text;
    for (const pugi::xml_attribute power : unit.child("BaseUnit").attributes()) {
      text += (text.empty() ? "" : " ") + std::string(power.name()) + "=" + power.value();
    }
    out[unit.attribute("name").value()] = text;
  }
  return out;
}

// What follows from the structure of the cart: which forces move what.
TEST(FmiStructure, ListsWhatOutputsAndRatesDependOn) {
  const StepModel model = cart();
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(describe_fmi(model, FmiVersion::V2, "token", 1).c_str()));
  const pugi::xml_node root = document.document_element();
  std::vector<std::string> names;
  for (const pugi::xml_node v : root.child("ModelVariables")) {
    names.emplace_back(v.attribute("name").value());
  }
  const auto dependencies = [&](const char* list) {
    std::map<std::string, std::set<std::string>> out;
    for (const pugi::xml_node u : root.child("ModelStructure").child(list)) {
      std::set<std::string>& on = out[names.at(u.attribute("index").as_uint() - 1)];
      std::istringstream text(u.attribute("dependencies").value());
      for (std::size_t index; text >> index;) on.insert(names.at(index - 1));
    }
    return out;
  };
  using Names = std::set<std::string>;
  const std::map<std::string, Names> outputs = {
      {"s", {"rail.position"}},
      {"a", {"pin.angle"}},
      {"v", {"rail.position'", "pin.angle", "pin.angle'"}},
      {"w", {"pin.angle'"}},
      {"q", {"pin.angle"}}};
  EXPECT_EQ(dependencies("Outputs"), outputs);
  const Names all = {"rail.position", "pin.angle", "pin.angle'", "F"};
  const std::map<std::string, Names> rates = {{"der(rail.position)", {"rail.position'"}},
                                              {"der(pin.angle)", {"pin.angle'"}},
                                              {"der(rail.position')", all},
                                              {"der(pin.angle')", all}};
  EXPECT_EQ(dependencies("Derivatives"), rates);
  // The start does not depend on the spring, accelerations do.
  const auto initial = dependencies("InitialUnknowns");
  EXPECT_EQ(initial.at("rail.position"), Names{});
  EXPECT_EQ(initial.at("s"), Names{});
  EXPECT_EQ(initial.at("der(rail.position')"), (Names{"F", "k"}));
}

TEST(FmiUnits, AreThoseOfTheColumns) {
  const StepModel model = cart();
  const std::map<std::string, std::string> expected = {
      {"s", "m"},
      {"a", "rad"},
      {"v", "m/s"},
      {"w", "rad/s"},
      {"q", ""},
      {"F", ""},
      {"k", ""},
      {"rail.position", "m"},
      {"pin.angle", "rad"},
      {"rail.position'", "m/s"},
      {"pin.angle'", "rad/s"},
      {"der(rail.position)", "m/s"},
      {"der(pin.angle)", "rad/s"},
      {"der(rail.position')", "m/s^2"},
      {"der(pin.angle')", "rad/s^2"},
  };
  for (const FmiVersion version : {FmiVersion::V2, FmiVersion::V3}) {
    pugi::xml_document document;
    ASSERT_TRUE(document.load_string(describe_fmi(model, version, "token", 1).c_str()));
    const pugi::xml_node root = document.document_element();
    std::map<std::string, std::string> found;
    for (const pugi::xml_node variable : root.child("ModelVariables")) {
      const pugi::xml_node real = variable.child("Real") ? variable.child("Real") : variable;
      found[variable.attribute("name").value()] = real.attribute("unit").value();
    }
    for (const auto& [name, unit] : expected) {
      ASSERT_TRUE(found.contains(name)) << name;
      EXPECT_EQ(found[name], unit) << name;
    }
    auto base = base_units(root);
    EXPECT_EQ(base["m"], "m=1");
    EXPECT_EQ(base["rad"], "rad=1");
    EXPECT_EQ(base["m/s"], "m=1 s=-1");
    EXPECT_EQ(base["rad/s"], "s=-1 rad=1");
    EXPECT_EQ(base["m/s^2"], "m=1 s=-2");
    EXPECT_EQ(base["rad/s^2"], "s=-2 rad=1");
  }
}

}  // namespace
}  // namespace koppel
