// What the reader of model files knows is what the tables of fields say, no more and no less. That
// the schema and the reference of the format are made from them is the test model.reference.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/elements/sections.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

std::string said_about(const std::string& text) {
  return testing::error_of([&] { read_model_text(text, "m.yaml"); }, "nothing");
}

template <typename E>
std::vector<std::string> keys_of() {
  std::vector<std::string> keys;
  for (const Field<E>& field : E::fields()) keys.emplace_back(field.info.key);
  return keys;
}

// With `before` and `after` around the map that holds the keys of an element, and those that make
// it one: "type: line".
struct Context {
  std::string before, after;
  std::string given = {};
  std::vector<std::string> more = {};  // keys that are not in its table
};

void expect_keys(const Context& context, const std::vector<std::string>& keys) {
  const auto with = [&](const std::string& key) {
    const bool is_given = context.given.starts_with(key + ':');
    return context.before + '{' + context.given +
           (is_given ? "" : (context.given.empty() ? "" : ", ") + key + ": ~") + '}' +
           context.after;
  };
  std::string listed;
  std::vector<std::string> all = context.more;
  all.insert(all.end(), keys.begin(), keys.end());
  for (const std::string& key : all) {
    const std::string said = said_about(with(key));
    EXPECT_EQ(said.find("key '" + key + "' in"), said.npos) << with(key) << '\n' << said;
    listed += (listed.empty() ? "" : ", ") + key;
  }
  const std::string said = said_about(with("qwertz"));
  EXPECT_NE(said.find("unknown key 'qwertz' in"), said.npos) << said;
  const std::string hint = "\n  keys: " + listed + '.';
  EXPECT_NE((said + '\n').find(hint + '\n'), said.npos) << hint << '\n' << said;
}

template <typename E>
void expect_section(const std::string& section, const std::string& given = {}) {
  SCOPED_TRACE(section);
  expect_keys({section + ": {e: ", "}", given}, keys_of<E>());
}

template <typename List>
void expect_types(const std::string& section) {
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    const std::string type(E::kInfo.type);
    SCOPED_TRACE(section + ' ' + type);
    expect_keys({section + ": {e: ", "}", "type: " + type, {"type"}}, keys_of<E>());
  });
}

TEST(Fields, OfTypesAreWhatTheReaderKnows) {
  expect_types<JointElements>("joints");
  expect_types<ForceElements>("forces");
  expect_types<SignalElements>("signals");
}

TEST(Fields, OfSectionsAreWhatTheReaderKnows) {
  expect_section<ParameterElement>("parameters");
  expect_section<TableElement>("tables");
  expect_section<InputElement>("inputs");
  expect_section<OwnPoint>("points");
  expect_section<OwnPoint>("vectors");
  expect_section<BodyElement>("bodies");
  expect_keys({"bodies: {ground: ", "}"}, keys_of<GroundElement>());
  expect_section<CoordinateElement>("coordinates");
  expect_section<StateElement>("states");
  expect_section<ConstraintElement>("constraints");
  expect_section<CouplingElement>("couplings");
  expect_section<NonholonomicElement>("nonholonomic");
  expect_section<GeneralizedForce>("coordinates: [e]\ngeneralized_forces");
  expect_section<InitialElement>("coordinates: [e]\ninitial");
  expect_section<OutputElement>("outputs");
  expect_section<ServoElement>("servo");
  expect_section<AttitudeElement>("servo", "attitude: ground");
  expect_section<ExpressionSignal>("signals");
  expect_section<EventElement>("events");
  expect_section<TrackingElement>("tracking");
  expect_section<PositiveElement>("positive");
  expect_section<DefinitionElement>("definitions");
  expect_section<RotationElement>("definitions", "between: [ground, ground]");
  expect_keys({"run: ", ""}, keys_of<RunElement>());
  expect_section<IncludeElement>("include");
  DrawingElements::for_each([](auto id) {
    using E = typename decltype(id)::type;
    expect_section<E>("drawing", keys_of<E>()[0] + ": ~");
  });
}

TEST(Fields, WithinOthersAreWhatTheReaderKnows) {
  ShapeElements::for_each([](auto id) {
    using E = typename decltype(id)::type;
    const std::string type(E::kInfo.type);
    expect_keys({"bodies: {b: {mass: 1, shape: {" + type + ": ", "}}}"}, keys_of<E>());
  });
  expect_keys({"bodies: {b: {point_mass: 1, rotation: ", "}}"}, keys_of<AxisAngle>());
  expect_keys({"servo: {s: {attitude: ground, law: 1, to: ", "}}"}, keys_of<Orientation>());
}

TEST(Fields, SectionsAreWhatTheReaderKnows) {
  std::vector<std::string> keys;
  for (const SectionInfo& section : model_sections()) keys.emplace_back(section.key);
  expect_keys({"", ""}, keys);
}

template <typename... E>
void add_keys(std::set<std::string>& keys) {
  (
      [&] {
        for (std::string& key : keys_of<E>()) keys.insert(std::move(key));
      }(),
      ...);
}

// A key that the reader looks for by its name is one of a table too: else it would be unknown.
TEST(Fields, OfTheReaderByNameAreInTables) {
  std::set<std::string> keys = {"type", "repeat", "at"};  // of elements with a type
  for (const SectionInfo& section : model_sections()) keys.emplace(section.key);
  add_keys<ParameterElement, InitialElement, IncludeElement, AttitudeElement, RotationElement>(
      keys);
  std::size_t found = 0;
  for (const auto& file : std::filesystem::directory_iterator(
           std::filesystem::path(KOPPEL_SOURCE_DIR) / "koppel/model/yaml")) {
    std::ifstream stream(file.path());
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    const std::regex by_name(R"(find\("([a-z_]+)\"\))");
    for (std::sregex_iterator it(text.begin(), text.end(), by_name), end; it != end; ++it) {
      EXPECT_TRUE(keys.contains((*it)[1])) << file.path() << ": " << (*it)[1];
      ++found;
    }
  }
  EXPECT_GT(found, 30U);  // the sections at least
}

}  // namespace
}  // namespace koppel
