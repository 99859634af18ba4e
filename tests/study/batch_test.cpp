// Many copies of a mechanism: each has the bits of one that runs alone.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <koppel/runtime/dop853.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>
#include <koppel/study/batch.hpp>

#include "tests/error_of.hpp"
#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::near;
using testing::same_bits;

constexpr const char* kCart = R"(
parameters: {M: 1, m: 0.2, l: 0.5, g: 9.81, tilt: 0.1}
inputs: [F]
coordinates: {x: 0, phi: {start: tilt}}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: m*g*l*cos(phi)
generalized_forces: {x: F}
outputs: {x: x, phi: phi}
run: {end: 1}
)";

BatchOptions with_step(double step) {
  BatchOptions options;
  options.run.step = step;
  options.run.end = 0.5;
  return options;
}

TEST(Batch, CopiesHaveTheBitsOfASingleRun) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  BatchOptions options = with_step(0.01);
  options.run.integrator = "rosenbrock";
  constexpr std::size_t kCount = 150;  // more than two blocks
  Batch many(model, origins, kCount, options), one(model, origins, 1, options);
  std::vector<double> forces(kCount), values(kCount * 2), alone(2);
  for (int k = 0; k < 20; ++k) {
    for (std::size_t i = 0; i < kCount; ++i) forces[i] = std::sin(0.1 * double(i) + k);
    many.advance(forces, 2);
  }
  many.observe(values);
  for (const std::size_t i : {0UL, 63UL, 64UL, 149UL}) {
    one.reset();
    for (int k = 0; k < 20; ++k) {
      const double force[] = {std::sin(0.1 * double(i) + k)};
      one.advance(force, 2);
    }
    one.observe(alone);
    EXPECT_TRUE(same_bits(values[2 * i], alone[0])) << i;
    EXPECT_TRUE(same_bits(values[2 * i + 1], alone[1])) << i;
  }
  std::vector<double> t(kCount);
  many.times(t);
  EXPECT_NEAR(t[149], 0.4, 1e-14);
}

// Parameters are set by several threads; `k` follows from one of them.
TEST(Batch, OfAnotherNumberOfCopiesIsAsMadeAnew) {
  const std::string text =
      "parameters: {m: 1, w: 3, k: m*w^2}\ncoordinates: {x: 1}\n"
      "kinetic: m*x'^2/2\npotential: k*x^2/2\noutputs: {x: x}\nrun: {end: 1}\n";
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(text, "swing.yaml", {}, origins);
  constexpr std::size_t kCount = 9'001;
  BatchOptions options = with_step(0.01);
  Batch few(model, origins, 3, options);
  options.jobs = 4;
  Batch many(model, origins, 2 * kCount, options);
  const std::vector<std::string> names = {"w", "m"};
  many.set(names, std::vector<double>(4 * kCount, 7.0));
  many.advance({}, 3);
  many.resize(kCount);
  std::vector<double> values, x(kCount), k(kCount), alone(3);
  for (std::size_t i = 0; i < kCount; ++i) {
    values.insert(values.end(), {1 + 1e-3 * double(i), 2 + 1e-4 * double(i)});
  }
  EXPECT_TRUE(many.set(names, values).empty());
  many.advance({}, 10);
  many.observe(x);
  many.get_parameter(2, k);
  for (std::size_t i = 0; i + 3 <= kCount; i += 1499) {
    few.set(names, std::span(values).subspan(2 * i, 6));
    few.advance({}, 10);
    few.observe(alone);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_TRUE(same_bits(x[i + j], alone[j])) << i + j;
      const double w = values[2 * (i + j)], m = values[2 * (i + j) + 1];
      EXPECT_TRUE(near(k[i + j], m * w * w, {.relative = 1e-15, .because = "three products"}));
    }
  }
}

// The same steps as a run takes.
TEST(Batch, MovesAsARunDoes) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  BatchOptions options = with_step(1e-3);
  options.run.integrator = "rattle";
  options.observed = {"Bx", "crank.angle'"};
  Batch batch(model, origins, 3, options);
  batch.advance({}, 500);
  std::vector<double> values(6);
  batch.observe(values);
  options.run.end = 0.5;
  const Simulation s = simulate(model, options.run);
  EXPECT_TRUE(near(values[0], s.trajectory["Bx"].back(),
                   {.relative = 1e-12, .because = "the clock is added up"}));
  EXPECT_TRUE(near(values[5], s["crank.angle'"].back(),
                   {.relative = 1e-11, .because = "the clock is added up"}));
}

// The same pendulum a million times smaller, with gravity as much smaller, moves in the same time:
// its errors are measured by its own size, as in a run.
TEST(Batch, SmallMechanismsAreAsAccurateAsInARun) {
  const auto place = [](const std::string& size) {
    std::vector<ParameterOrigin> origins;
    const Model model = read_model_text("parameters: {s: " + size + R"(}
dimension: 2
gravity: [0, -9.81*s]
bodies: {rod: {mass: 1, inertia: s^2/12, com: [s/2, 0], points: {E: [s, 0]}}}
joints: {pivot: {type: revolute, between: [ground, rod]}}
outputs: {x: rod.E.x/s}
run: {end: 2, coordinates: natural}
)",
                                        "small.yaml", {}, origins);
    BatchOptions options = with_step(0.1);
    options.run.integrator = "dop853";
    options.run.coordinates = "natural";
    options.run.tolerance = 1e-8;
    Batch batch(model, origins, 1, options);
    batch.advance({}, 20);
    std::vector<double> values(batch.observed().size());
    batch.observe(values);
    return values.at(0);
  };
  // A hundred times the tolerance by the size (length.hpp), and what 2 s make of it.
  EXPECT_NEAR(place("1e-6"), place("1"), 1e-4);
}

// A longer crank is assembled anew; gravity only changes what follows.
TEST(Batch, ParametersOfCopiesDiffer) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  BatchOptions options = with_step(1e-3);
  options.run.integrator = "rattle";
  Batch batch(model, origins, 2, options);
  const double lengths[] = {0.4, 0.45}, gravity[] = {9.81, 1.6};
  batch.set("a", lengths);
  batch.set("g", gravity);
  batch.advance({}, 200);
  std::vector<double> values(2 * batch.observed().size());
  batch.observe(values);
  Model other = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml",
                           {.set = {{"a", "0.45"}, {"g", "1.6"}}});
  SimulateOptions run = options.run;
  run.end = 0.2;
  run.coordinates = "natural";
  const Simulation s = simulate(other, run);
  EXPECT_NEAR(values[batch.observed().size() + 2], s.trajectory["Bx"].back(), 1e-7);
  const double impossible[] = {0.4, 5};
  EXPECT_THROW(batch.set("b", std::vector<double>{1.0, 0.1}), Error);
  EXPECT_THROW(batch.set("nothing", impossible), Error);
  EXPECT_EQ(testing::message_of([&] {
              batch.set("g", std::vector<double>{9.81, NAN});
            }),
            "copy 1 is given nan for 'g', which is no number.");
}

// The mass follows a density; the length is that of a bar, which is assembled anew.
TEST(Batch, CopiesWithImpossibleNumbersKeepWhatTheyHad) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(R"(
dimension: 2
parameters: {rho: 1, m: 2*rho, l: 1, g: 9.81}
gravity: [0, -g]
bodies: {bob: {point_mass: m, position: [l, 0]}}
joints: {bar: {type: distance, between: [ground, bob], length: l}}
outputs: {x: bob.x, m: m}
)",
                                      "bar.yaml", {}, origins);
  BatchOptions options = with_step(1e-3);
  options.run.integrator = "rattle";
  Batch batch(model, origins, 3, options);
  const auto message = [&](const std::string& parameter, std::vector<double> values) {
    return testing::message_of([&] { batch.set(parameter, values); });
  };
  EXPECT_EQ(message("rho", {3, -1, 4}),
            "1 of 3 copies cannot take their values, the first is copy 1 with rho = -1: "
            "body 'bob' has the mass -2; it must not be negative. They keep what they had.");
  EXPECT_EQ(message("l", {-1, 2, -2}),
            "2 of 3 copies cannot take their values, the first is copy 0 with l = -1: "
            "the length of joint 'bar' must be positive. They keep what they had.");
  std::vector<double> values(6);
  batch.observe(values);
  EXPECT_EQ(values, (std::vector<double>{1, 6, 2, 2, 1, 8}));
}

// In every kind of lanes and on the tape; 11 copies leave lanes of the last block that are
// nobody's.
TEST(Batch, CopiesHaveTheSameBitsInAllLanesWithEveryIntegrator) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  constexpr std::size_t kCount = 11;
  std::vector<double> gravity;
  for (std::size_t i = 0; i < kCount; ++i) gravity.push_back(9 + 0.3 * double(i));
  for (const char* integrator : {"rattle", "rk4", "dop853"}) {
    BatchOptions options = with_step(integrator == std::string("dop853") ? 0.05 : 1e-3);
    options.run.integrator = integrator;
    std::vector<double> expected;
    for (const auto& [native, lanes] : {std::pair{"off", "1"}, std::pair{"jit", "1"},
                                        std::pair{"jit", "4"}, std::pair{"jit", "8"}}) {
      const testing::ScopedEnvironment policy("KOPPEL_NATIVE", native), most("KOPPEL_LANES", lanes);
      Batch batch(model, origins, kCount, options);
      batch.set("g", gravity);
      std::vector<Batch::Wanted> wanted;
      for (std::size_t k = 0; k < batch.observed().size(); ++k) {
        wanted.push_back({k, Batch::Which::Maximum});
        wanted.push_back({k, Batch::Which::Mean});
      }
      std::vector<double> all, row(kCount);
      for (const CardNumbers& values : batch.advance_and_reduce(8, wanted).values) {
        all.insert(all.end(), values.begin(), values.end());
      }
      for (std::size_t i = 0; i < batch.num_states(); ++i) {
        batch.get_state(i, row);
        all.insert(all.end(), row.begin(), row.end());
      }
      if (expected.empty()) expected = all;
      ASSERT_EQ(all.size(), expected.size());
      for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_TRUE(same_bits(all[i], expected[i])) << integrator << ' ' << native << lanes << i;
      }
    }
    EXPECT_NE(expected[0], expected[kCount]);
  }
}

// As accurate as asked for, with constraints closed after every step.
TEST(Batch, AccurateStepsReachWhatARunReaches) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml", {}, origins);
  BatchOptions options = with_step(0.05);
  options.run.integrator = "dop853";
  options.run.tolerance = 1e-10;
  options.observed = {"Bx"};
  Batch batch(model, origins, 3, options);
  batch.advance({}, 10);
  std::vector<double> values(3);
  batch.observe(values);
  SimulateOptions accurate;
  accurate.end = 0.5;
  accurate.tolerance = 1e-12;
  const Simulation s = simulate(model, accurate);
  EXPECT_NEAR(values[2], s.trajectory["Bx"].back(), 1e-8);  // errors of steps add up and grow
}

// From where there are no rates, the copy has no numbers; the others go on.
TEST(Batch, ACopyWhoseStepFailsHasNoNumbers) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  BatchOptions options = with_step(0.01);
  options.run.integrator = "dop853";
  Batch batch(model, origins, 3, options);
  const double forces[] = {1, std::nan(""), 1};
  batch.advance(forces, 2);
  std::vector<double> values(6);
  batch.observe(values);
  EXPECT_TRUE(std::isnan(values[2]));
  EXPECT_TRUE(std::isfinite(values[0]));
  EXPECT_TRUE(same_bits(values[0], values[4]));
}

// Where friction sticks, steps of every length have the error of a jump, and short ones that of the
// tolerance: they would never end. The copies beside have the bits that they have without it.
TEST(Batch, ACopyWhoseFrictionSticksFailsAloneWithTheReason) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(R"(
parameters: {F: 0, k: 9}
coordinates: {x: {start: 0, rate: 1}}
kinetic: x'^2/2
potential: k*x^2/2
generalized_forces: {x: -F*sign(x')}
outputs: {x: x, v: x'}
)",
                                      "sled.yaml", {}, origins);
  BatchOptions options = with_step(0.1);
  options.run.integrator = "dop853";
  constexpr std::size_t kCount = 11, kStuck = 5;
  std::vector<double> stiffness(kCount), dry(kCount, 0.0);
  for (std::size_t i = 0; i < kCount; ++i) stiffness[i] = 9 + static_cast<double>(i);
  for (const char* lanes : {"1", "8"}) {
    const testing::ScopedEnvironment most("KOPPEL_LANES", lanes);
    const auto run = [&](double friction) {
      dry[kStuck] = friction;
      auto batch = std::make_unique<Batch>(model, origins, kCount, options);
      batch->set("k", stiffness);
      batch->set("F", dry);
      batch->advance({}, 20);
      return batch;
    };
    const auto with = run(5), without = run(0);
    std::vector<double> values(2 * kCount), expected(2 * kCount), t(kCount);
    with->observe(values);
    without->observe(expected);
    for (std::size_t i = 0; i < kCount; ++i) {
      EXPECT_EQ(with->failure(i).reason, i == kStuck ? KOPPEL_TOO_MANY_TRIES : 0) << i;
      for (std::size_t k = 2 * i; k < 2 * i + 2; ++k) {
        EXPECT_TRUE(i == kStuck ? std::isnan(values[k]) : same_bits(values[k], expected[k])) << i;
      }
    }
    // At rest where tan(ω t) = v ω/F, 0.188 s.
    EXPECT_EQ(with->failure(kStuck).count, 1u);
    EXPECT_EQ(
        with->describe(with->failure(kStuck)),
        "in the step from t = 0.1 s: more than 100000 inner steps would be needed: the motion "
        "switches back and forth, as where friction by sign(v) sticks, or is too fast for a "
        "step of this length.");
    with->times(t);
    EXPECT_NEAR(t[kStuck], 2, 1e-14);
    with->reset();
    EXPECT_EQ(with->failure(kStuck).reason, 0);
  }
}

TEST(Batch, MarkedCopiesStartAnew) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(kCart, "cart.yaml", {}, origins);
  Batch batch(model, origins, 3, with_step(0.01));
  batch.advance({}, 10);
  const std::uint8_t marks[] = {0, 1, 0};
  batch.reset(marks);
  std::vector<double> values(6), t(3);
  batch.observe(values);
  batch.times(t);
  EXPECT_EQ(values[3], 0.1);
  EXPECT_EQ(t[1], 0);
  EXPECT_EQ(values[1], values[5]);
  EXPECT_NE(values[1], values[3]);
}

// Three parallel cranks: the third is redundant, and the step does without it. In a copy whose bar
// has other holes it is not, and holds the mechanism.
TEST(Batch, CopiesWhoseConstraintsAreDependentOtherwiseAreRefused) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(R"(
dimension: 2
parameters: {hole: 0.5, angle: 70 deg}
gravity: [0, -9.81]
bodies:
  one: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, angle: angle}
  two: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, position: [0.5, 0], angle: angle}
  three: {mass: 1, shape: {rod: {to: [0.3, 0]}}, points: {E: [0.3, 0]}, position: [0.9, 0], angle: angle}
  bar: {mass: 2, shape: {rod: {to: [0.9, 0]}}, points: {P: [hole, 0], E: [0.9, 0]},
        position: [0.3*cos(angle), 0.3*sin(angle)]}
joints:
  j1: {type: revolute, between: [ground, one]}
  j2: {type: revolute, between: [{ground: [0.5, 0]}, two]}
  j3: {type: revolute, between: [{ground: [0.9, 0]}, three]}
  k1: {type: revolute, between: [one.E, bar]}
  k2: {type: revolute, between: [two.E, bar.P]}
  k3: {type: revolute, between: [three.E, bar.E]}
outputs: {a: j1.angle}
)",
                                      "cranks.yaml", {}, origins);
  BatchOptions options = with_step(1e-3);
  options.run.integrator = "rattle";
  Batch batch(model, origins, 2, options);
  const auto found = batch.set(std::vector<std::string>{"hole"}, std::vector{0.5, 0.49999});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].copy, 1u);
  EXPECT_EQ(found[0].id, "study.batch-start");
  EXPECT_NE(found[0].why.find("repeats what others hold in the model"), std::string::npos);
  // All rods in line: a singular start, which a run refuses too.
  const auto singular = batch.set(std::vector<std::string>{"angle"}, std::vector{0.0, 1.0});
  ASSERT_EQ(singular.size(), 1u);
  EXPECT_EQ(singular[0].copy, 0u);
  EXPECT_EQ(singular[0].id, "simulate.singular-start");
}

TEST(Batch, CopiesAreCheckedAsTheirModelsWouldBe) {
  std::vector<ParameterOrigin> origins;
  const Model model = read_model_text(R"(
dimension: 2
parameters: {l: 0.5, r: 0.1, edge: 0.2, v: 0.1}
bodies:
  rod: {mass: 1, inertia: 0.1, shape: {rod: {to: [l, 0]}}}
  disc: {density: 10, shape: {disc: {radius: r}}, position: [3, 0]}
  box: {density: 10, shape: {box: {size: [edge, 1]}}, position: [5, 0]}
joints: {pin: {type: revolute, between: [ground, rod]}}
forces: {drag: {type: friction, joint: pin, torque: 0.2, velocity: v}}
outputs: {a: pin.angle}
)",
                                      "shapes.yaml", {}, origins);
  BatchOptions options = with_step(1e-3);
  options.run.integrator = "rattle";
  Batch batch(model, origins, 2, options);
  const auto why = [&](const std::string& parameter, double bad) {
    const auto found = batch.set(std::vector{parameter}, std::vector{0.3, bad});
    return found.size() == 1 ? found[0].why : std::to_string(found.size()) + " are impossible";
  };
  EXPECT_EQ(why("l", 0), "rod of body 'rod' has length zero.");
  EXPECT_EQ(why("r", -0.1), "radius of the disc of body 'disc' must be positive.");
  EXPECT_EQ(why("edge", 0), "size of box of body 'box' must be positive.");
  EXPECT_EQ(why("v", -0.1), "velocity of force 'drag' must be positive.");
}

}  // namespace
}  // namespace koppel
