// Parameters of exported code, changed before the start, against the model read with these values:
// what `koppel run --set` does.
#include <cmath>
#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>

#include <koppel/base/whole_file.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

#include "tests/export/fmu2.hpp"
#include "tests/export/fmu3.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using namespace testing;

// A tree with parameters that follow from others, also through a sub-assembly's expressions.
constexpr const char* kTree = R"(
dimension: 2
parameters: {l: 0.8, k: 1.5, L: k*l, rho: 3, m: rho*L, tilt: 0.3}
gravity: [0, -9.81]
bodies:
  upper: {mass: m, shape: {rod: {from: [0, 0], to: [0, -L]}}, points: {tip: [0, -L]}}
  lower: {mass: m/2, shape: {rod: {from: [0, 0], to: [0, -l]}}, points: {tip: [0, -l]}, position: [0, -L]}
joints:
  hip: {type: revolute, between: [ground, upper]}
  knee: {type: revolute, between: [upper.tip, lower]}
states: {charge: {rate: "-k*charge", start: L}}
initial: {hip.angle: tilt, knee.angle: -2*tilt, "hip.angle'": k}
outputs: {x: lower.tip.x, y: lower.tip.y}
)";

// A loop that the placement does not close: the start is the nearest in the mean of the masses.
constexpr const char* kLoop = R"(
dimension: 2
parameters: {a: 0.3, b: 1, c: 0.7, d: 1, m: 2, J: 0.05}
gravity: [0, -9.81]
bodies:
  crank: {mass: m, com: [a/2, 0], inertia: J, points: {A: [a, 0]}, angle: 1}
  coupler: {mass: 3, com: [b/2, 0], inertia: 0.2, points: {B: [b, 0]}, position: [0.2, 0.3], angle: 0.2}
  rocker: {mass: 1, com: [c/2, 0], inertia: 0.1, points: {B: [c, 0]}, position: [d, 0], angle: 1.4}
joints:
  O: {type: revolute, between: [ground, crank]}
  A: {type: revolute, between: [crank.A, coupler]}
  B: {type: revolute, between: [coupler.B, rocker.B]}
  D: {type: revolute, between: [ground, rocker], at: [d, 0]}
outputs: {x: coupler.B.x, y: coupler.B.y}
)";

// In space, with axes of inertia that no coordinate axis is.
constexpr const char* kSpatial = R"(
dimension: 3
parameters: {l: 0.6, s: 0.1, m: 2}
gravity: [0, 0, -9.81]
bodies:
  ground: {points: {post: [0.5, 1.2, 0.1]}}
  arm:
    mass: m
    com: [l/2, 0, s]
    inertia: [0.02*m, 0.09, 0.08, s/10, 0, 0.01]
    points: {tip: [l, 0, s]}
  link:
    mass: 1
    com: [0, 0.3, 0]
    inertia: [0.03, 0.004, 0.03]
    points: {end: [0, 0.6, 0]}
    position: [0.55, 0.02, 0.05]
joints:
  shoulder: {type: spherical, between: [ground, arm]}
  wrist: {type: spherical, between: [arm.tip, link]}
  stay: {type: distance, between: [ground.post, link.end], length: 0.5 + s}
initial: {"arm.wz": 0.5}
outputs: {x: link.end.x, y: link.end.y, z: link.end.z}
)";

// Coordinates of the user's own.
constexpr const char* kLagrange = R"(
parameters: {l: 1, m: 2, M: 3*m, g: 9.81, phi: 0.4}
coordinates: [s, x, y]
kinetic: M*s'^2/2 + m*(x'^2 + y'^2)/2
potential: m*g*y
constraints: {rod: "(x - s)^2 + y^2 - l^2"}
initial: {x: l*sin(phi), y: {value: -l*cos(phi), fixed: true}, "s'": 0.3}
outputs: {s: s, x: x, y: y}
)";

struct Case {
  const char* name;
  const char* text;  // or null: a built-in model of this name
  const char* coordinates;
  std::vector<std::pair<std::string, std::string>> set;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name << ' ' << c.coordinates; }

std::vector<Case> cases() {
  return {{"tree", kTree, "joint", {{"l", "0.5"}, {"k", "1.9"}, {"tilt", "-0.6"}}},
          {"tree", kTree, "absolute", {{"l", "0.5"}, {"k", "1.9"}, {"tilt", "-0.6"}}},
          {"loop", kLoop, "joint", {{"a", "0.35"}, {"c", "0.8"}, {"m", "5"}, {"d", "1.1"}}},
          {"loop", kLoop, "absolute", {{"a", "0.35"}, {"c", "0.8"}, {"J", "0.2"}}},
          {"loop", kLoop, "natural", {{"a", "0.35"}, {"c", "0.8"}, {"d", "0.95"}}},
          {"spatial", kSpatial, "joint", {{"l", "0.62"}, {"s", "0.11"}, {"m", "3"}}},
          {"spatial", kSpatial, "absolute", {{"l", "0.5"}, {"s", "0.15"}}},
          {"lagrange", kLagrange, "", {{"l", "1.3"}, {"m", "0.7"}, {"phi", "0.2"}}},
          {"slider_crank", nullptr, "joint", {{"a", "0.5"}, {"phi0", "1"}, {"m", "3"}}},
          {"slider_crank", nullptr, "natural", {{"b", "1.2"}, {"phi0", "0.5"}}},
          {"car_axle", nullptr, "", {{"M", "12"}}},
          {"four_bar", nullptr, "natural", {{"l", "0.7"}}}};
}

Model read(const Case& c, bool with_values, std::vector<ParameterOrigin>& origins) {
  ReadOptions options;
  if (with_values) options.set = c.set;
  if (c.text != nullptr)
    return read_model_text(c.text, std::string(c.name) + ".yaml", options, origins);
  return read_model(std::string(KOPPEL_MODELS) + c.name + ".yaml", options, origins);
}

SimulateOptions options_for(const Case& c, const Model& model) {
  SimulateOptions options = options_of(model);
  options.coordinates = c.coordinates;
  options.integrator = "rosenbrock";
  options.formulation = "index1";
  options.step = 1e-3;
  options.end = 0.05;
  options.sampling.every_step = true;
  options.health.is_watched = false;
  return options;
}

// The assemblies stop at residuals of 1e-10, and where steps along the constraints are 1e-15.
constexpr double kClose = 1e-9;

class ChangedParameters : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Models, ChangedParameters, ::testing::ValuesIn(cases()));

TEST_P(ChangedParameters, OfAnFmuDoWhatSettingThemInTheModelDoes) {
  const Case& c = GetParam();
  std::vector<ParameterOrigin> origins, ignored;
  const Model model = read(c, false, origins), changed = read(c, true, ignored);
  const StepModel step =
      make_step_model(model, options_for(c, model), "", StepKind::FixedCost, origins);
  const TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "model.fmu";
  write_fmu(path, step, 1);
  const Simulation expected = simulate(changed, options_for(c, changed));
  const State start = prepare(changed, options_for(c, changed)).state;

  Fmu2 fmu(path, kCoSimulation);
  ASSERT_EQ(fmu.call("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0), kOk);
  for (const auto& [name, value] : c.set) {
    ASSERT_EQ(fmu.set(name, std::strtod(value.c_str(), nullptr)), kOk);
  }
  ASSERT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
  ASSERT_EQ(fmu.call("fmi2ExitInitializationMode"), kOk)
      << (fmu.messages.empty() ? "" : fmu.messages.back());
  const auto compare = [&](const std::vector<CVariable>& fields, const std::vector<double>& values) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      EXPECT_NEAR(fmu.get(fields[i].label), values[i], kClose) << fields[i].label;
    }
  };
  for (std::size_t i = 0; i < step.parameters.size(); ++i) {
    EXPECT_DOUBLE_EQ(fmu.get(step.parameters[i].label), start.p[i]) << step.parameters[i].label;
  }
  const auto names = [&](std::vector<CVariable> fields) {
    for (CVariable& f : fields) {
      if (!fmu.reference.contains("state." + f.label)) continue;
      f.label = "state." + f.label;
    }
    return fields;
  };
  compare(names(step.q), start.q);
  compare(names(step.v), start.v);
  compare(names(step.x), start.x);
  for (int k = 0; k <= 50; ++k) {
    for (const CVariable& output : step.outputs) {
      ASSERT_NEAR(fmu.get(output.label),
                  expected.trajectory[output.label][static_cast<std::size_t>(k)], kClose)
          << output.label << ' ' << k;
    }
    if (k == 50) break;
    ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), kOk);
  }
}

TEST(ChangedParametersInC, DoWhatSettingThemInTheModelDoes) {
  const Case c{"tree", kTree, "absolute", {{"l", "0.5"}, {"k", "1.9"}, {"tilt", "-0.6"}}};
  std::vector<ParameterOrigin> origins, ignored;
  const Model model = read(c, false, origins), changed = read(c, true, ignored);
  const StepModel step =
      make_step_model(model, options_for(c, model), "tree", StepKind::FixedCost, origins);
  const State start = prepare(changed, options_for(c, changed)).state;
  const CFiles files = write_c(step);
  const TemporaryFolder folder;
  write_text(folder.path() / "tree.h", files.header);
  write_text(folder.path() / "tree.c", files.source);
  write_text(folder.path() / "tree_start.c", files.start);
  std::string program =
      "#include <stdio.h>\n#include \"tree.h\"\n"
      "static double memory[TREE_START_BYTES / sizeof(double)];\n"
      "int main(void) {\n  tree_state s;\n  tree_parameters p;\n  tree_prepared prepared;\n"
      "  tree_init(&s, &p, &prepared);\n";
  for (const auto& [name, value] : c.set) program += "  p." + name + " = " + value + ";\n";
  program += "  if (tree_start(&s, &p, memory) != 0) return 1;\n";
  std::vector<double> expected;
  const auto print = [&](const std::vector<CVariable>& fields, const char* owner,
                         const std::vector<double>& values) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      program += "  printf(\"%.17g\\n\", " + std::string(owner) + fields[i].name + ");\n";
      expected.push_back(values[i]);
    }
  };
  print(step.q, "s.", start.q);
  print(step.v, "s.", start.v);
  print(step.x, "s.", start.x);
  print(step.parameters, "p.", start.p);
  write_text(folder.path() / "main.c", program + "  return 0;\n}\n");
  for (const char* compiler : {"gcc", "clang"}) {
    if (std::system(("command -v " + std::string(compiler) + " >/dev/null").c_str()) != 0) continue;
    ASSERT_EQ(std::system(("cd '" + folder.path().string() + "' && " + compiler +
                           " -std=c99 -O1 -Wall -Wextra -Werror -pedantic -o run main.c tree.c "
                           "tree_start.c -lm && ./run > out")
                              .c_str()),
              0)
        << compiler;
    std::ifstream out(folder.path() / "out");
    for (const double value : expected) {
      double found = 0;
      ASSERT_TRUE(out >> found);
      EXPECT_NEAR(found, value, kClose);
    }
  }
}

// Which parameters are what, in a description.
TEST(ChangedParameters, ThatFollowFromOthersOrAreBuiltInCannotBeSet) {
  const Case c{"four_bar", nullptr, "natural", {}};
  std::vector<ParameterOrigin> origins;
  Model model = read(c, false, origins);
  const StepModel bars =
      make_step_model(model, options_for(c, model), "", StepKind::FixedCost, origins);
  EXPECT_EQ(bars.start.kinds[0], ParameterKind::BuiltIn);  // N, a number of windows
  EXPECT_EQ(bars.start.kinds[2], ParameterKind::Free);     // l
  const Case held{"held",
                  R"(
parameters: {m: 1, A: 2}
signals: {hand: {type: held, value: A*t, every: 0.1, until: 2}}
coordinates: [x]
kinetic: m/2*x'^2
generalized_forces: {x: hand}
)",
                  "",
                  {}};
  model = read(held, false, origins);
  const StepModel mass =
      make_step_model(model, options_for(held, model), "", StepKind::FixedCost, origins);
  EXPECT_EQ(mass.start.kinds[0], ParameterKind::Free);
  EXPECT_EQ(mass.start.kinds[1], ParameterKind::BuiltIn);  // A, in the samples
  const Case tree{"tree", kTree, "joint", {}};
  model = read(tree, false, origins);
  const TemporaryFolder folder;
  const StepModel step =
      make_step_model(model, options_for(tree, model), "", StepKind::FixedCost, origins);
  write_fmu(folder.path() / "tree.fmu", step, 1, FmiVersion::V3);
  Fmu3 fmu(folder.path() / "tree.fmu", kCoSimulation);
  EXPECT_EQ(fmu.set("L", 3), kError);
  EXPECT_EQ(fmu.messages.back(),
            "fmi3SetFloat64: a parameter that follows from others, or is constant, cannot be set");
  ASSERT_EQ(fmu.set("l", 2), kOk);
  EXPECT_EQ(fmu.get("L"), 3);      // k l
  EXPECT_EQ(fmu.get("m"), 3 * 3);  // rho L
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_NEAR(fmu.get("charge"), 3, 1e-15);
}

TEST(ChangedParameters, ThatMakeOtherConstraintsIndependentAreRefused) {
  // A parallelogram with a third rod, which repeats what the other two hold as long as it is one.
  const Case c{"loop",
               R"(
dimension: 2
parameters: {a: 1, b: 1, c: 0}
gravity: [0, -9.81]
bodies:
  left: {mass: 1, shape: {rod: {from: [0, 0], to: [0, a]}}, points: {T: [0, a]}}
  middle: {mass: 1, shape: {rod: {from: [0, 0], to: [0, b]}}, points: {T: [0, b]}, position: [1 + c, 0]}
  right: {mass: 1, shape: {rod: {from: [0, 0], to: [0, a]}}, points: {T: [0, a]}, position: [2, 0]}
  bar: {mass: 1, shape: {rod: {from: [0, 0], to: [2, 0]}}, points: {M: [1, 0], R: [2, 0]}, position: [0, 1]}
joints:
  A: {type: revolute, between: [ground, left]}
  B: {type: revolute, between: [ground, middle], at: [1 + c, 0]}
  C: {type: revolute, between: [ground, right], at: [2, 0]}
  D: {type: revolute, between: [left.T, bar]}
  E: {type: revolute, between: [middle.T, bar.M]}
  F: {type: revolute, between: [right.T, bar.R]}
initial: {left.angle: {value: 0.3, wish: true}}
)",
               "joint",
               {}};
  std::vector<ParameterOrigin> origins;
  const Model model = read(c, false, origins);
  const StepModel step =
      make_step_model(model, options_for(c, model), "", StepKind::FixedCost, origins);
  const TemporaryFolder folder;
  write_fmu(folder.path() / "bars.fmu", step, 1);
  const auto start_with = [&](double a, double b, double c_) {
    Fmu2 fmu(folder.path() / "bars.fmu", kCoSimulation);
    EXPECT_EQ(fmu.set("a", a), kOk);
    EXPECT_EQ(fmu.set("b", b), kOk);
    EXPECT_EQ(fmu.set("c", c_), kOk);
    const int status = fmu.start();
    return fmu.messages.empty() ? std::to_string(status) : fmu.messages.back();
  };
  EXPECT_EQ(start_with(1.2, 1.2, 0), "0");
  EXPECT_EQ(start_with(1, 1.1, 0),
            "no consistent start is near the one that is set: constraints cannot be satisfied with "
            "these parameters and states");
  // It closes near the angle 0.3 still, where it cannot move: b² = 1 + c² + 2 c sin 0.3.
  EXPECT_EQ(start_with(1, 1.01579, 0.05),
            "with these parameters other constraints are independent than when the FMU was "
            "written: write it with these values");
}

}  // namespace
}  // namespace koppel
