// The section `drawing` of model files.
#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

const std::string kPoint = "parameters: {r: 2}\ncoordinates: {x: {start: 1}}\nkinetic: x'^2/2\n";

std::string mistake(const std::string& drawing) {
  return testing::message_of(
      [&] { read_model_text(kPoint + "drawing: {a: " + drawing + "}\n", "m.yaml"); });
}

TEST(Drawing, HasPlacesSizesAndTexts) {
  const Model model = read_model_text(
      kPoint +
          "drawing:\n  a: {line: [[0, 0], [x, 1], [2*x, r]]}\n  b: {box: [x, 0, 1], size: [1, 2], "
          "turn: x}\n  c: {circle: [0, x], radius: r/4}\n  d: {label: [0, 0], text: here}\n",
      "m.yaml");
  ASSERT_EQ(model.drawing.size(), 4u);
  EXPECT_EQ(model.drawing[0].kind, Drawn::Kind::Line);
  EXPECT_EQ(model.drawing[0].points.size(), 3u);
  EXPECT_EQ(model.drawing[1].size.y, 2);
  EXPECT_EQ(model.drawing[2].size.x, 0.5);
  EXPECT_EQ(model.drawing[3].text, "here");
  // Three points, a point with a turn, a point, a point.
  const Equations equations = derive(model);
  ASSERT_EQ(equations.kinematics->drawing.size(), 9u + 4u + 3u + 3u);
  EXPECT_EQ(equations.kinematics->drawing[3], equations.q[0]);
  EXPECT_EQ(equations.kinematics->drawing[12], equations.q[0]);
}

TEST(Drawing, LeavesTheMotionAsItIs) {
  const Equations plain = derive(read_model_text(kPoint, "m.yaml"));
  const Equations drawn =
      derive(read_model_text(kPoint + "drawing: {p: {point: [x, 0]}}\n", "m.yaml"));
  EXPECT_EQ(plain.q.size(), drawn.q.size());
  EXPECT_EQ(plain.outputs.size(), drawn.outputs.size());
}

TEST(Drawing, MayNameWhatIsMeasuredOnBodies) {
  const Model model = read_model_text(
      "dimension: 2\nbodies: {b: {mass: 1, inertia: 1, points: {P: [1, 0]}}}\n"
      "drawing: {rope: {cable: [[0, 0], [b.P.x, b.P.y]]}}\n",
      "m.yaml");
  EXPECT_EQ(model.drawing[0].points[1].x.name(), "b.P.x");
}

TEST(Drawing, MistakesAreTold) {
  EXPECT_EQ(mistake("{}"), "drawing 'a' does not say what is drawn.");
  EXPECT_EQ(mistake("{line: [[0, 0]]}"),
            "line of drawing 'a' must be a list of two or more points.");
  EXPECT_EQ(mistake("{point: [0]}"),
            "a point of drawing 'a' must be a list of 3 numbers; found 1.");
  EXPECT_EQ(mistake("{circle: [0, 0]}"), "drawing 'a' needs radius.");
  EXPECT_EQ(mistake("{circle: [0, 0], radius: -1}"), "radius of drawing 'a' must be positive.");
  EXPECT_EQ(mistake("{box: [0, 0], size: 3}"),
            "size of drawing 'a' must be a list of 3 numbers; found no list.");
  EXPECT_EQ(mistake("{label: [0, 0]}"), "drawing 'a' needs text.");
  EXPECT_EQ(mistake("{point: [0, 0], colour: red}"), "unknown key 'colour' in drawing 'a'.");
  EXPECT_NE(mistake("{point: [x', 0]}"), "");
  EXPECT_NE(mistake("{point: [nothing, 0]}"), "");
}

}  // namespace
}  // namespace koppel
