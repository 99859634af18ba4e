// Events of models in FMUs, against closed forms and against the library.
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "tests/error_of.hpp"
#include "tests/export/fmu2.hpp"
#include "tests/export/fmu3.hpp"

namespace koppel {
namespace {

using namespace testing;

constexpr double kGravity = 9.81;

std::string ball(const std::string& event) {
  return R"(
name: ball
parameters: {e: 0.5, g: 9.81}
coordinates: {y: 1}
kinetic: y'^2/2
potential: g*y
outputs: {height: y, speed: y'}
events: {ground: )" +
         event + "}\n";
}

constexpr const char* kOscillator = R"(
name: oscillator
parameters: {k: 1}
coordinates: {x: 1}
kinetic: x'^2/2
potential: k*x^2/2
outputs: {place: x, "place'": x'}
events: {middle: {when: x, direction: falling, set: {k: 4}}}
)";

// A pendulum of two rods in coordinates with constraints, whose tip hits a wall.
constexpr const char* kWall = R"(
name: wall
dimension: 2
parameters: {e: 0.7}
gravity: [0, -9.81]
bodies:
  upper: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {tip: [1, 0]}}
  lower: {mass: 1, shape: {rod: {from: [0, 0], to: [1, 0]}}, points: {tip: [1, 0]}, position: [1, 0]}
joints:
  hip: {type: revolute, between: [ground, upper]}
  knee: {type: revolute, between: [upper.tip, lower]}
outputs: {x: lower.tip.x, y: lower.tip.y}
events: {wall: {when: lower.tip.x + 0.3, direction: falling, bounce: e}}
)";

SimulateOptions accurate(const Model& model) {
  SimulateOptions options = options_of(model);
  options.integrator = "dop853";
  options.step = 1e-2;
  options.end = 1;
  options.tolerance = 1e-11;
  return options;
}

class Written {
 public:
  explicit Written(const std::string& text, FmiVersion version = FmiVersion::V2,
                   const std::string& coordinates = "")
      : model(read_model_text(text, "model.yaml")) {
    SimulateOptions options = accurate(model);
    options.coordinates = coordinates;
    step = make_step_model(model, options);
    write_fmu(path(), step, 1, version);
  }
  std::filesystem::path path() const { return folder_.path() / "model.fmu"; }

  Model model;
  StepModel step;

 private:
  TemporaryFolder folder_;
};

// The height of the ball with its impacts, from 1 m, with half of the speed after each.
double height_of_ball(double t) {
  double fall = std::sqrt(2 / kGravity), speed = kGravity * fall;
  if (t < fall) return 1 - kGravity * t * t / 2;
  t -= fall;
  for (;;) {
    speed *= 0.5;
    const double flight = 2 * speed / kGravity;
    if (t < flight) return speed * t - kGravity * t * t / 2;
    t -= flight;
  }
}

TEST(CoSimulationWithEvents, LocatesImpactsWithinItsSteps) {
  const Written w(ball("{when: y, direction: falling, bounce: e}"));
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 12; ++k) {
    EXPECT_NEAR(fmu.get("height"), height_of_ball(0.1 * k), 1e-9) << k;
    ASSERT_EQ(fmu.step(0.1 * k, 0.1), kOk) << fmu.messages.back();
  }
}

TEST(CoSimulationWithEvents, AnEventThatStopsEndsTheRun) {
  const Written w(ball("{when: y - 0.5, direction: falling, stop: true}"));
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  ASSERT_EQ(fmu.step(0, 0.2), kOk);
  int is_terminated = 1;
  EXPECT_EQ(fmu.call("fmi2GetBooleanStatus", 3, &is_terminated), kOk);
  EXPECT_EQ(is_terminated, 0);
  EXPECT_EQ(fmu.step(0.2, 0.2), kDiscard);
  EXPECT_EQ(fmu.messages.back(), "an event ends the run");
  EXPECT_EQ(fmu.call("fmi2GetBooleanStatus", 3, &is_terminated), kOk);
  EXPECT_EQ(is_terminated, 1);
  double time = 0;
  EXPECT_EQ(fmu.call("fmi2GetRealStatus", 2, &time), kOk);
  EXPECT_NEAR(time, std::sqrt(1 / kGravity), 1e-9);
  EXPECT_NEAR(fmu.get("height"), 0.5, 1e-9);
}

// x = cos t up to the middle, −½ sin 2(t − π/2) from there; at t = π the middle is passed rising.
TEST(CoSimulationWithEvents, ParametersChange) {
  const Written w(kOscillator);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 5; ++k) ASSERT_EQ(fmu.step(0.5 * k, 0.5), kOk);
  EXPECT_EQ(fmu.get("k"), 4);
  EXPECT_NEAR(fmu.get("place"), -0.5 * std::sin(2 * (2.5 - std::numbers::pi / 2)), 1e-9);
  for (const pugi::xml_node v : fmu.root().child("ModelVariables")) {
    if (std::string(v.attribute("name").value()) != "k") continue;
    EXPECT_STREQ(v.attribute("causality").value(), "local");
    EXPECT_STREQ(v.attribute("variability").value(), "discrete");
  }
}

TEST(CoSimulationWithEvents, ImpactsOfConstrainedBodiesAreThoseOfTheLibrary) {
  for (const char* coordinates : {"natural", "joint"}) {
    const Written w(kWall, FmiVersion::V2, coordinates);
    SimulateOptions options = accurate(w.model);
    options.step.reset();
    options.coordinates = coordinates;
    options.formulation = "index1";
    options.sampling.count = 11;
    const Simulation expected = simulate(w.model, options);
    ASSERT_GE(expected.summary.events.size(), 1u);
    Fmu2 fmu(w.path(), kCoSimulation);
    ASSERT_EQ(fmu.start(), kOk);
    for (int k = 0; k <= 10; ++k) {
      for (const char* name : {"x", "y"}) {
        EXPECT_NEAR(fmu.get(name), expected.trajectory[name][static_cast<std::size_t>(k)], 1e-7)
            << coordinates << ' ' << k;  // tolerance 1e-11, a chaotic motion over some impacts
      }
      if (k == 10) break;
      ASSERT_EQ(fmu.step(0.1 * k, 0.1), kOk) << fmu.messages.back();
    }
  }
}

TEST(CoSimulationWithEvents, ImpactsWithoutEndAreAnError) {
  const Written w(ball("{when: y, direction: falling, bounce: e}"));
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_EQ(fmu.step(0, 3), kError);  // at rest after 1.36 s
  EXPECT_EQ(fmu.messages.back(),
            "an event happens again and again: the impacts come to rest, and lasting contact is "
            "not modelled; let the event stop the run, or use a contact force instead");
}

// An importer with the classical Runge–Kutta method, which is exact for a fall, and bisection of
// the step in which an indicator changes its sign.
template <typename Fmu>
class Importer {
 public:
  Importer(Fmu& fmu, std::string prefix, std::size_t num_states, std::size_t num_events)
      : fmu_(fmu), prefix_(std::move(prefix)), x_(num_states), z_(num_events) {
    call("GetContinuousStates", x_.data(), x_.size());
    z_ = indicators();
  }

  // True where an event happened, and the time is not the end of the step then.
  bool step(double& t, double h) {
    const std::vector<double> from = x_;
    advance(t, from, h);
    double last = h;
    const bool has_event = changes();
    if (has_event) {
      double before = 0;
      for (int k = 0; k < 60; ++k) {
        const double middle = 0.5 * (before + last);
        advance(t, from, middle);
        (changes() ? last : before) = middle;
      }
      advance(t, from, last);
    }
    t += last;
    return has_event;
  }
  void set(double t, const std::vector<double>& x) {
    call("SetTime", t);
    call("SetContinuousStates", x.data(), x.size());
  }
  void take_states() {
    call("GetContinuousStates", x_.data(), x_.size());
    z_ = indicators();
  }

 private:
  template <typename... Arguments>
  void call(const std::string& name, Arguments... arguments) {
    ASSERT_EQ(fmu_.call((prefix_ + name).c_str(), arguments...), kOk) << name;
  }
  std::vector<double> indicators() {
    std::vector<double> z(z_.size());
    call("GetEventIndicators", z.data(), z.size());
    return z;
  }
  bool changes() {
    const std::vector<double> now = indicators();
    for (std::size_t i = 0; i < now.size(); ++i) {
      if ((now[i] > 0) != (z_[i] > 0)) return true;
    }
    return false;
  }
  void advance(double t, const std::vector<double>& from, double h) {
    const std::size_t n = from.size();
    std::vector<double> k[4], at = from;
    const double part[] = {0, 0.5, 0.5, 1};
    for (int s = 0; s < 4; ++s) {
      for (std::size_t i = 0; s > 0 && i < n; ++i) at[i] = from[i] + part[s] * h * k[s - 1][i];
      set(t + part[s] * h, at);
      k[s].resize(n);
      call(prefix_ == "fmi2" ? "GetDerivatives" : "GetContinuousStateDerivatives", k[s].data(), n);
    }
    for (std::size_t i = 0; i < n; ++i) {
      x_[i] = from[i] + h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
    }
    set(t + h, x_);
  }

  Fmu& fmu_;
  std::string prefix_;
  std::vector<double> x_, z_;
};

TEST(ModelExchangeWithEvents, ImpactsHappenWhereTheImporterFindsThem) {
  const Written w(ball("{when: y, direction: falling, bounce: e}"));
  Fmu2 fmu(w.path(), kModelExchange);
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_STREQ(fmu.root().attribute("numberOfEventIndicators").value(), "1");
  Importer<Fmu2> importer(fmu, "fmi2", 2, 1);
  int impacts = 0;
  double t = 0;
  while (t < 1.2) {
    const bool has_event = importer.step(t, 0.01);
    int wants_event_mode = 0, ends = 0;
    ASSERT_EQ(fmu.call("fmi2CompletedIntegratorStep", 1, &wants_event_mode, &ends), kOk);
    if (!has_event) {
      EXPECT_EQ(wants_event_mode, 0) << t;
      continue;
    }
    ++impacts;
    EventInfo info{};
    ASSERT_EQ(fmu.call("fmi2EnterEventMode"), kOk);
    ASSERT_EQ(fmu.call("fmi2NewDiscreteStates", &info), kOk);
    EXPECT_EQ(info.values_changed, 1);
    EXPECT_EQ(info.terminate, 0);
    ASSERT_EQ(fmu.call("fmi2EnterContinuousTimeMode"), kOk);
    importer.take_states();
    EXPECT_NEAR(fmu.get("height"), 0, 1e-12);
  }
  // At 0.45, 0.90 and 1.13 s.
  EXPECT_EQ(impacts, 3);
  EXPECT_NEAR(fmu.get("height"), height_of_ball(t), 1e-9);
}

TEST(ModelExchangeWithEvents, InVersion3TooAndAStopTerminates) {
  const Written w(ball("{when: y - 0.5, direction: falling, stop: true}"), FmiVersion::V3);
  Fmu3 fmu(w.path(), kModelExchange);
  ASSERT_EQ(fmu.start(), kOk);
  std::size_t count = 0;
  ASSERT_EQ(fmu.call("fmi3GetNumberOfEventIndicators", &count), kOk);
  EXPECT_EQ(count, 1u);
  int listed = 0;
  for (const pugi::xml_node u : fmu.root().child("ModelStructure").children("EventIndicator")) {
    EXPECT_EQ(u.attribute("valueReference").as_uint(), fmu.reference.at("ground"));
    ++listed;
  }
  EXPECT_EQ(listed, 1);
  EXPECT_FALSE(fmu.update_discrete_states());
  ASSERT_EQ(fmu.call("fmi3EnterContinuousTimeMode"), kOk);
  Importer<Fmu3> importer(fmu, "fmi3", 2, 1);
  double t = 0;
  while (!importer.step(t, 0.01)) ASSERT_LT(t, 1);
  EXPECT_NEAR(t, std::sqrt(1 / kGravity), 1e-12);
  ASSERT_EQ(fmu.call("fmi3EnterEventMode"), kOk);
  bool update = true, terminate = false, nominals = true, values = true, next = true;
  double time = 0;
  ASSERT_EQ(
      fmu.call("fmi3UpdateDiscreteStates", &update, &terminate, &nominals, &values, &next, &time),
      kOk);
  EXPECT_TRUE(terminate);
}

TEST(FmuSourceWithEvents, CompilesWithoutAWarning) {
  for (const FmiVersion version : {FmiVersion::V2, FmiVersion::V3}) {
    const Model model = read_model_text(kWall, "wall.yaml");
    const StepModel step = make_step_model(model, accurate(model), "wall");
    const TemporaryFolder folder;
    write_text(folder.path() / "wall.c", write_fmu_files(step, 1, version).source);
    for (const char* compiler : {"gcc", "clang"}) {
      if (std::system(("command -v " + std::string(compiler) + " >/dev/null").c_str()) != 0)
        continue;
      EXPECT_EQ(std::system(("cd '" + folder.path().string() + "' && " + compiler +
                             " -std=c99 -O1 -Wall -Wextra -Werror -pedantic -fPIC -shared -o "
                             "/dev/null wall.c -lm")
                                .c_str()),
                0)
          << compiler;
    }
  }
}

TEST(Export, FixedCostStepsAndCDoNotWatchForEvents) {
  const Model model =
      read_model_text(ball("{when: y, direction: falling, bounce: e}"), "ball.yaml");
  SimulateOptions options = accurate(model);
  const StepModel step = make_step_model(model, options);
  const auto message = [](auto&& work) -> std::string {
    return testing::error_of([&] { work(); });
  };
  const std::string expected =
      "error[export.has-events]: model 'ball' has events ('ground'), and exported code does not "
      "watch for them.\n  Export an FMU, which has them; leave out `events`; or run the model with "
      "`simulate`.";
  EXPECT_EQ(message([&] { write_c(step); }), expected);
  options.integrator = "rosenbrock";
  EXPECT_EQ(message([&] { make_step_model(model, options); }), expected);
  // Also where the method is open and the event ends a trial of it.
  options.integrator = {};
  const Model stops =
      read_model_text(ball("{when: y, direction: falling, stop: true}"), "ball.yaml");
  EXPECT_EQ(message([&] { make_step_model(stops, options); }), expected);
}

}  // namespace
}  // namespace koppel
