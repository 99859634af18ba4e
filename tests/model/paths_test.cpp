// Paths of model files: lines, arcs, curves through way-points and from files.
#include <cmath>
#include <fstream>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/expr/code/function.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <tests/temporary_folder.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

// The signal expressions of a model, as its outputs, at a time.
std::vector<double> at(const Model& model, double t) {
  std::vector<Expr> values;
  for (const Output& output : model.outputs) values.push_back(output.value);
  return Function(std::vector<Expr>{model.time}, values)(std::vector<double>{t});
}

std::string said_about(const std::string& text, const std::string& file = "m.yaml") {
  return testing::error_of([&] { read_model_text(text, file); }, "nothing");
}

TEST(Paths, LinesAndArcsFollowTheirLaw) {
  const Model model = read_model_text(R"(
signals:
  c: t/4
  line: {type: line, from: [1, 2, 3], to: [5, 2, -1], law: c}
  arc: {type: arc, center: [1, 0, 0], from: [3, 0, 0], axis: [0, 0, 2], angle: 180 deg, law: c}
outputs: {a: line.x, b: line.y, c1: line.z, d: arc.x, e: arc.y, f: arc.z}
)",
                                      "m.yaml");
  const std::vector<double> v = at(model, 1);  // a quarter of the way
  const double root = std::numbers::sqrt2;
  const double expected[] = {2, 2, 2, 1 + root, root, 0};
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(v[i], expected[i], 1e-14) << i;
}

TEST(Paths, SplinesPassTheirWayPoints) {
  const Model model = read_model_text(R"(
dimension: 2
signals:
  way: {type: spline, at: [0, 1, 3], through: [[0, 0], [1, 2], [4, 1]]}
  height: {type: spline, at: [0, 2, 3], through: [1, 5, 2], smoothness: 2}
  c: t^2
  bend: {type: spline, of: c, at: [0, 1, 4], through: [0, 1, 2]}
outputs: {x: way.x, y: way.y, h: height, b: bend}
)",
                                      "m.yaml");
  const std::vector<double> one = at(model, 1), two = at(model, 2), after = at(model, 7);
  EXPECT_NEAR(one[0], 1, 1e-13);
  EXPECT_NEAR(one[1], 2, 1e-13);
  EXPECT_NEAR(one[3], 1, 1e-13);
  EXPECT_NEAR(two[2], 5, 1e-13);
  EXPECT_NEAR(two[3], 2, 1e-12);
  EXPECT_EQ(after[0], 4);
  EXPECT_EQ(after[2], 2);
}

TEST(Paths, FilesAreSmoothedAndTheUserIsTold) {
  const testing::TemporaryFolder folder;
  std::ofstream csv(folder.path() / "walk.csv");
  csv << "t,x,y\n";
  for (int i = 0; i <= 100; ++i) {
    const double c = 0.5 - 0.5 * std::cos(std::numbers::pi * i / 100);
    csv << 0.02 * i << ',' << 3 * c << ',' << -c << '\n';
  }
  csv.close();
  const std::string text = R"(
dimension: 2
signals:
  walk: {type: file, file: walk.csv, columns: [x, y], tolerance: 0.001}
  only: {type: file, file: walk.csv, column: y, tolerance: 0.01, ends: free, smoothness: 2}
outputs: {x: walk.x, y: walk.y, o: only}
)";
  const Model model = read_model_text(text, (folder.path() / "m.yaml").string());
  for (int i = 0; i <= 100; ++i) {
    const double c = 0.5 - 0.5 * std::cos(std::numbers::pi * i / 100);
    const std::vector<double> v = at(model, 0.02 * i);
    EXPECT_NEAR(v[0], 3 * c, 1.001e-3);
    EXPECT_NEAR(v[1], -c, 1.001e-3);
    EXPECT_NEAR(v[2], -c, 1.001e-2);
  }
  ASSERT_EQ(model.remarks.size(), 3U);
  EXPECT_EQ(model.remarks[0].message.substr(0, 60),
            "signal 'walk'.x is smoothed to 4 continuous derivatives; it ");

  const std::string file = (folder.path() / "m.yaml").string();
  const std::string other = (folder.path() / "walk.csv").string();
  EXPECT_EQ(
      said_about("signals:\n  w: {type: file, file: walk.csv, column: z, tolerance: 1}\n", file),
      file + ":2:43: error[model.unknown-column]: signal 'w': " + other +
          " has no column 'z'.\n  columns: t, x, y.");
  EXPECT_EQ(
      said_about("signals:\n  w: {type: file, file: walk.csv, column: x, tolerance: 1e-9}\n", file),
      file +
          ":2:3: error[model.bad-value]: signal 'w': no curve with 4 continuous derivatives is "
          "within 1e-09 of all samples.\n  Raise the tolerance, or write 'ends: free' if the "
          "record does not begin and end at rest.");
}

// Samples 0, 2, 8, 7 at 0, 1, 3, 4; their central differences by hand.
TEST(Paths, HeldSamplesHaveRatesByCentralDifferences) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder.path() / "hand.csv") << "t,x,y\n0,0,0\n1,2,0\n3,8,0\n4,7,0\n";
  const Model model = read_model_text(R"(
dimension: 2
signals:
  hand: {type: held, file: hand.csv, columns: [x, y]}
  grid: {type: held, file: hand.csv, column: x, rate_step: 0.25}
outputs: {x: hand.x, v: "hand.x'", w: "hand.y'", g: "grid'"}
)",
                                      (folder.path() / "m.yaml").string());
  EXPECT_EQ(at(model, 0.5), (std::vector<double>{0, 2, 0, 0}));        // one-sided
  EXPECT_EQ(at(model, 0.875), (std::vector<double>{0, 2, 0, 4}));      // (2 − 0)/(2·0.25)
  EXPECT_EQ(at(model, 1.5), (std::vector<double>{2, 8.0 / 3, 0, 0}));  // (8 − 0)/(3 − 0)
  EXPECT_EQ(at(model, 3.125), (std::vector<double>{8, 5.0 / 3, 0, 12}));
  EXPECT_EQ(at(model, 5), (std::vector<double>{7, -1, 0, 0}));
}

// Faults can be added to any function of time, sampled: here a latency of half a period.
TEST(Paths, ExpressionsAreSampledAndHeld) {
  const Model model = read_model_text(R"(
dimension: 2
parameters: {a: 3}
signals:
  hand: {type: held, value: [a*t, 1 - t], every: 0.5, until: 2, latency: 0.25}
outputs: {x: hand.x, y: hand.y}
)",
                                      "m.yaml");
  EXPECT_EQ(at(model, 0.8), (std::vector<double>{1.5, 0.5}));  // that of 0.5
  EXPECT_EQ(at(model, 1.2), (std::vector<double>{1.5, 0.5}));
  EXPECT_EQ(at(model, 1.3), (std::vector<double>{3, 0}));
  EXPECT_EQ(
      said_about("signals:\n  w: {type: held, value: t, every: 0.5}\n"),
      "m.yaml:2:3: error[model.missing-key]: signal 'w' needs file, and column or columns; or "
      "value, every and until.");
  EXPECT_EQ(
      said_about("signals:\n  w: {type: held, value: t, every: 0.5, until: 2, drop_every: 0.3, "
                 "drop_for: 0.4}\n"),
      "m.yaml:2:78: error[model.bad-value]: drop_for of signal 'w' must be shorter than "
      "drop_every, or nothing arrives.");
}

TEST(Paths, MistakesAreExplained) {
  EXPECT_EQ(said_about("signals:\n  w: {type: spline, at: [0, 2, 1], through: [0, 1, 2]}\n"),
            "m.yaml:2:32: error[model.bad-value]: at of signal 'w' must ascend.");
  EXPECT_EQ(said_about("signals:\n  w: {type: spline, at: [0, 2], through: [0, 1, 2]}\n"),
            "m.yaml:2:3: error[model.missing-key]: signal 'w' needs lists 'at' and 'through' of "
            "equal length, from 2 to 1000 points.");
  EXPECT_EQ(said_about("signals:\n  w: {type: line, from: [0, 0, 0], law: t}\n"),
            "m.yaml:2:3: error[model.missing-key]: signal 'w' needs from, to and law.");
  EXPECT_EQ(
      said_about("signals:\n  w: {type: bow}\n"),
      "m.yaml:2:13: error[model.unknown-type]: type of signal 'w' cannot be 'bow'.\n  choices: "
      "rest-to-rest, three-phase, line, arc, spline, file, held.");
}

// (R − Rᵀ)/2 of the turn from half-way, by its definition.
TEST(Attitude, PrescribesATurnAboutOneAxis) {
  const std::string body = R"(
bodies: {top: {mass: 1, inertia: [1, 1, 1]}}
servo:
)";
  const Model model = read_model_text(
      body + "  a: {attitude: top, to: {rotation: {axis: [0, 3, 4], angle: 2}}, law: t}\n",
      "m.yaml");
  ASSERT_EQ(model.servos.size(), 3U);
  EXPECT_EQ(model.servos[2].name, "a.z");
  for (std::size_t i = 0; i < 3; ++i) {
    const double axis[] = {0, 0.6, 0.8};
    const Function reference(std::vector<Expr>{model.time},
                             std::vector<Expr>{model.servos[i].reference});
    EXPECT_NEAR(reference(std::vector<double>{0.75})[0], axis[i] * std::sin(0.5), 1e-14);
  }
  EXPECT_EQ(said_about(body + "  a: {attitude: top, to: {cardan: [180 deg, 0, 0]}, law: t}\n"),
            "m.yaml:4:26: error[model.bad-value]: servo constraint 'a' turns the body by 180 "
            "degrees; which way is not determined.\n  Go there in two parts.");
}

}  // namespace
}  // namespace koppel
