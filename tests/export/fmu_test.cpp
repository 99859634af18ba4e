// FMUs, driven through the C interface of the standard by an importer of their own (fmu2.hpp).
#include <koppel/export/fmu.hpp>

#include <cmath>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>

#include "tests/export/fmu2.hpp"
#include "tests/files.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using namespace testing;

SimulateOptions options_for(const Model& model, double step) {
  SimulateOptions options = options_of(model);
  options.integrator = "linear-implicit:J1";
  options.step = step;
  return options;
}

class Written {
 public:
  Written(const std::string& name, double step, const std::string& coordinates = "")
      : model(built_in(name)), options(options_for(model, step)) {
    if (!coordinates.empty()) options.coordinates = coordinates;
    step_model = make_step_model(model, options);
    write_fmu(path(), step_model, 3);
  }
  std::filesystem::path path() const { return folder_.path() / "model.fmu"; }

  Model model;
  SimulateOptions options;
  StepModel step_model;

 private:
  TemporaryFolder folder_;
};

TEST(CoSimulation, GivesTheBitsOfTheLibrary) {
  Written w("car_axle", 1e-3);
  w.options.end = 0.1;
  w.options.sampling.every_step = true;
  const Simulation simulation = simulate(w.model, w.options);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 100; ++k) {
    EXPECT_TRUE(same_bits(fmu.get("yr"), simulation.trajectory["yr"][static_cast<std::size_t>(k)]));
    ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), kOk);
  }
}

TEST(CoSimulation, TakesShorterAndLongerCommunicationSteps) {
  const Written w("car_axle", 1e-3);
  // Ten steps inside of one: the same motion but for the rounding of time.
  Fmu2 one(w.path(), kCoSimulation), ten(w.path(), kCoSimulation);
  ASSERT_EQ(one.start(), kOk);
  ASSERT_EQ(ten.start(), kOk);
  for (int k = 0; k < 10; ++k) {
    ASSERT_EQ(ten.step(k * 1e-2, 1e-2), kOk);
    for (int i = 0; i < 10; ++i) ASSERT_EQ(one.step((10 * k + i) * 1e-3, 1e-3), kOk);
  }
  EXPECT_NEAR(one.get("yr"), ten.get("yr"), 1e-13);
  // 2.5 of them: three shorter ones.
  ASSERT_EQ(ten.step(0.1, 2.5e-3), kOk);
  ASSERT_EQ(ten.step(0.1025, 0.4e-3), kOk);
}

TEST(CoSimulation, TakesAccurateStepsInside) {
  Written w("slider_crank", 1e-2);
  w.options.integrator = "dop853";
  w.options.tolerance = 1e-10;
  w.step_model = make_step_model(w.model, w.options);
  write_fmu(w.path(), w.step_model, 3);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 4; ++k) ASSERT_EQ(fmu.step(k * 0.25, 0.25), kOk);
  // tests/reference/slider_crank.csv at t = 1.
  EXPECT_NEAR(fmu.get("Bx"), 1.103347978931893210, 3e-8);
  EXPECT_NEAR(fmu.get("Ay"), 3.615993342030306876e-01, 3e-8);
}

TEST(CoSimulation, ParametersChangeTheStartConsistently) {
  const Written w("slider_crank", 1e-4);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.call("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0), kOk);
  ASSERT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
  ASSERT_EQ(fmu.set("b", 1.2), kOk);
  ASSERT_EQ(fmu.call("fmi2ExitInitializationMode"), kOk);
  const auto length = [&] { return std::hypot(fmu.get("Bx") - fmu.get("Ax"), fmu.get("Ay")); };
  EXPECT_NEAR(length(), 1.2, 1e-9);
  for (int k = 0; k < 100; ++k) ASSERT_EQ(fmu.step(k * 1e-4, 1e-4), kOk);
  EXPECT_NEAR(length(), 1.2, 1e-7);  // O(h³) of one Newton step
}

TEST(CoSimulation, SaysWhenThereIsNoConsistentStart) {
  const Written w("slider_crank", 1e-4);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.call("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0), kOk);
  ASSERT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
  ASSERT_EQ(fmu.set("a", std::nan("")), kOk);
  EXPECT_EQ(fmu.call("fmi2ExitInitializationMode"), kError);
  ASSERT_FALSE(fmu.messages.empty());
  EXPECT_EQ(fmu.messages.back(),
            "no consistent start is near the one that is set: constraints cannot be satisfied with "
            "these parameters and states");
}

TEST(CoSimulation, AStepThatFailsIsDiscardedWithTheTimeReached) {
  const Written w("overhead_crane", 1e-3);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  ASSERT_EQ(fmu.step(0, 1e-3), kOk);
  const std::string input = w.step_model.inputs.at(0).label;
  ASSERT_EQ(fmu.set(input, std::nan("")), kOk);
  EXPECT_EQ(fmu.step(1e-3, 1e-3), kDiscard);
  double reached = 0;
  EXPECT_EQ(fmu.call("fmi2GetRealStatus", 2, &reached), kOk);
  EXPECT_EQ(reached, 1e-3);
  ASSERT_EQ(fmu.set(input, 0), kOk);
  EXPECT_EQ(fmu.step(1e-3, 1e-3), kOk);
}

// Where friction by sign(v) sticks, a step would take inner ones without end; with and without
// events, which have a loop of their own.
TEST(CoSimulation, AStepInWhichFrictionSticksIsDiscardedWithItsReason) {
  for (const char* events : {"", "events: {far: {when: x - 10, stop: true}}\n"}) {
    const Model model = read_model_text(
        "name: sled\ncoordinates: {x: {start: 0, rate: 1}}\nkinetic: x'^2/2\npotential: x^2/2\n"
        "generalized_forces: {x: -5*sign(x')}\noutputs: {x: x, v: x'}\n" +
            std::string(events),
        "sled.yaml");
    SimulateOptions options = options_for(model, 0.1);
    options.integrator = "dop853";
    const TemporaryFolder folder;
    write_fmu(folder.path() / "sled.fmu", make_step_model(model, options), 1);
    Fmu2 fmu(folder.path() / "sled.fmu", kCoSimulation);
    ASSERT_EQ(fmu.start(), kOk);
    ASSERT_EQ(fmu.step(0, 0.1), kOk);
    EXPECT_EQ(fmu.step(0.1, 0.4), kDiscard);
    EXPECT_EQ(fmu.messages.back(),
              "too many inner steps would be needed: the motion switches back and forth, as where "
              "friction by sign(v) sticks, or is too fast for a step of this length");
    double reached = 0;
    EXPECT_EQ(fmu.call("fmi2GetRealStatus", 2, &reached), kOk);
    EXPECT_NEAR(reached, std::atan(0.2), 1e-2);  // x = 5 (cos t − 1) + sin t up to rest
    EXPECT_NEAR(fmu.get("v"), 0, 1e-6);
  }
}

TEST(CoSimulation, CallsInTheWrongOrderAreRefused) {
  const Written w("car_axle", 1e-3);
  Fmu2 fmu(w.path(), kCoSimulation);
  EXPECT_EQ(fmu.step(0, 1e-3), kError);
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_EQ(fmu.set("k", 1), kError);
  EXPECT_EQ(fmu.messages.back(), "fmi2SetReal: only inputs can be set while running");
  EXPECT_EQ(fmu.call("fmi2Reset"), kOk);
  EXPECT_EQ(fmu.set("k", 1), kOk);
  const unsigned none = 12345;
  double value = 0;
  EXPECT_EQ(fmu.call("fmi2GetReal", &none, std::size_t{1}, &value), kError);
}

TEST(CoSimulation, AStepFromAnotherTimeOrPastTheEndIsRefused) {
  const Written w("car_axle", 1e-3);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.call("fmi2SetupExperiment", 0, 0.0, 0.0, 1, 5e-3), kOk);
  ASSERT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
  ASSERT_EQ(fmu.call("fmi2ExitInitializationMode"), kOk);
  ASSERT_EQ(fmu.step(0, 2e-3), kOk);
  const double before = fmu.get("yr");
  EXPECT_EQ(fmu.step(0, 1e-3), kError);
  EXPECT_EQ(fmu.messages.back(), "the step begins at t = 0 s, but the FMU is at t = 0.002 s");
  EXPECT_EQ(fmu.step(4e-3, 1e-3), kError);
  EXPECT_EQ(fmu.step(2e-3, 4e-3), kError);
  EXPECT_EQ(fmu.messages.back(), "the step ends at t = 0.006 s, after the stop time 0.005 s");
  EXPECT_EQ(fmu.step(2e-3, 0), kError);
  EXPECT_EQ(fmu.messages.back(), "the step must be positive");
  EXPECT_EQ(fmu.get("yr"), before);
  EXPECT_EQ(fmu.step(2e-3, 3e-3), kOk);
}

TEST(CoSimulation, KeepsToTheTolerancesOfItsImporter) {
  Written w("slider_crank", 1e-2);
  w.options.integrator = "dop853";
  w.options.tolerance = 1e-3;
  w.step_model = make_step_model(w.model, w.options);
  write_fmu(w.path(), w.step_model, 3);
  const auto error = [&](double tolerance) {
    Fmu2 fmu(w.path(), kCoSimulation);
    EXPECT_EQ(fmu.call("fmi2SetupExperiment", tolerance > 0 ? 1 : 0, tolerance, 0.0, 0, 0.0), kOk);
    EXPECT_EQ(fmu.call("fmi2EnterInitializationMode"), kOk);
    EXPECT_EQ(fmu.call("fmi2ExitInitializationMode"), kOk);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(fmu.step(k * 0.25, 0.25), kOk);
    return std::abs(fmu.get("Bx") - 1.103347978931893210);  // tests/reference/slider_crank.csv
  };
  EXPECT_GT(error(0), 1e-7);
  EXPECT_LT(error(1e-10), 3e-8);  // the reference's agreement with others
}

// A mass of 2 kg under a force that grows: F = 1 + 3 t − 2 t², x = (t²/2 + t³/2 − t⁴/6) / 2.
TEST(CoSimulation, InputsHaveDerivativesOverAStep) {
  const Model model = read_model_text(R"(
parameters: {m: 2}
inputs: [F]
coordinates: [x]
kinetic: m*x'^2/2
forces: {push: {type: effort, on: x, effort: F}}
outputs: {x: x, v: x', force: F}
)",
                                      "mass.yaml");
  for (const char* integrator : {"dop853", "rosenbrock"}) {
    SimulateOptions options = options_for(model, 1e-3);
    options.integrator = integrator;
    options.tolerance = 1e-11;
    const TemporaryFolder folder;
    write_fmu(folder.path() / "mass.fmu", make_step_model(model, options), 1);
    Fmu2 fmu(folder.path() / "mass.fmu", kCoSimulation);
    EXPECT_STREQ(fmu.root().child("CoSimulation").attribute("canInterpolateInputs").value(),
                 "true");
    ASSERT_EQ(fmu.start(), kOk);
    for (int k = 0; k < 5; ++k) {
      const double t = 0.2 * k;
      ASSERT_EQ(fmu.set("F", 1 + 3 * t - 2 * t * t), kOk);
      const unsigned references[] = {fmu.reference.at("F"), fmu.reference.at("F")};
      const int orders[] = {1, 2};
      const double values[] = {3 - 4 * t, -4};
      ASSERT_EQ(fmu.call("fmi2SetRealInputDerivatives", static_cast<const unsigned*>(references),
                         std::size_t{2}, static_cast<const int*>(orders),
                         static_cast<const double*>(values)),
                kOk);
      ASSERT_EQ(fmu.step(t, 0.2), kOk);
    }
    // The midpoints of steps of 1e-3 leave h²/24 of F″ in the force.
    EXPECT_NEAR(fmu.get("x"), (0.5 + 0.5 - 1.0 / 6) / 2, 1e-6) << integrator;
    EXPECT_NEAR(fmu.get("force"), 2, 1e-12) << integrator;
    // They count for one step: the force is held now.
    const double speed = fmu.get("v");
    ASSERT_EQ(fmu.step(1, 0.2), kOk);
    EXPECT_NEAR(fmu.get("v"), speed + 0.2 * 2 / 2, 1e-9) << integrator;
    const unsigned wrong = fmu.reference.at("m");
    const int order = 1;
    const double value = 1;
    EXPECT_EQ(fmu.call("fmi2SetRealInputDerivatives", &wrong, std::size_t{1}, &order, &value),
              kError);
  }
}

TEST(CoSimulation, BytesThatAreNoStateAreRefused) {
  const Written w("slider_crank", 1e-3), other("slider_crank", 2e-3);
  Fmu2 fmu(w.path(), kCoSimulation), stranger(other.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  ASSERT_EQ(stranger.start(), kOk);
  void* saved = nullptr;
  ASSERT_EQ(fmu.call("fmi2GetFMUstate", &saved), kOk);
  std::size_t size = 0;
  ASSERT_EQ(fmu.call("fmi2SerializedFMUstateSize", saved, &size), kOk);
  std::vector<char> bytes(size);
  ASSERT_EQ(fmu.call("fmi2SerializeFMUstate", saved, bytes.data(), size), kOk);
  ASSERT_EQ(fmu.call("fmi2FreeFMUstate", &saved), kOk);
  const auto read = [](const Fmu2& by, const std::vector<char>& from) {
    void* state = nullptr;
    const int status = by.call("fmi2DeSerializeFMUstate", static_cast<const char*>(from.data()),
                               from.size(), &state);
    if (state != nullptr) by.call("fmi2FreeFMUstate", &state);
    return status;
  };
  EXPECT_EQ(read(fmu, bytes), kOk);
  EXPECT_EQ(read(stranger, bytes), kError);
  EXPECT_EQ(stranger.messages.back(),
            "fmi2DeSerializeFMUstate: the bytes are not a state of this FMU");
  std::vector<char> changed = bytes;
  changed[size / 2] = static_cast<char>(changed[size / 2] + 1);
  EXPECT_EQ(read(fmu, changed), kError);
  EXPECT_EQ(read(fmu, std::vector<char>(size, 'x')), kError);
  EXPECT_EQ(read(fmu, std::vector<char>(bytes.begin(), bytes.end() - 1)), kError);
  EXPECT_EQ(read(fmu, {}), kError);
}

TEST(CoSimulation, StatesAreSavedRestoredAndSerialized) {
  const Written w("slider_crank", 1e-3);
  Fmu2 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 10; ++k) ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), kOk);
  void* saved = nullptr;
  ASSERT_EQ(fmu.call("fmi2GetFMUstate", &saved), kOk);
  const auto go_on = [&] {
    for (int k = 10; k < 20; ++k) fmu.step(k * 1e-3, 1e-3);
    return fmu.get("Bx");
  };
  const double first = go_on();
  ASSERT_EQ(fmu.call("fmi2SetFMUstate", saved), kOk);
  EXPECT_EQ(go_on(), first);
  std::size_t size = 0;
  ASSERT_EQ(fmu.call("fmi2SerializedFMUstateSize", saved, &size), kOk);
  std::vector<char> bytes(size);
  ASSERT_EQ(fmu.call("fmi2SerializeFMUstate", saved, bytes.data(), size), kOk);
  ASSERT_EQ(fmu.call("fmi2FreeFMUstate", &saved), kOk);
  EXPECT_EQ(saved, nullptr);
  ASSERT_EQ(
      fmu.call("fmi2DeSerializeFMUstate", static_cast<const char*>(bytes.data()), size, &saved),
      kOk);
  ASSERT_EQ(fmu.call("fmi2SetFMUstate", saved), kOk);
  EXPECT_EQ(go_on(), first);
  ASSERT_EQ(fmu.call("fmi2FreeFMUstate", &saved), kOk);
}

// The classical Runge–Kutta method, as an importer might have it.
class Importer {
 public:
  explicit Importer(Fmu2& fmu) : fmu_(fmu) {
    for (const auto unknown : fmu.root().child("ModelStructure").child("Derivatives")) {
      static_cast<void>(unknown);
      x.push_back(0);
    }
    fmu.call("fmi2GetContinuousStates", x.data(), x.size());
  }

  void step(double t, double h) {
    const std::vector<double> k1 = rates(t, x, {}, 0), k2 = rates(t + h / 2, x, k1, h / 2),
                              k3 = rates(t + h / 2, x, k2, h / 2), k4 = rates(t + h, x, k3, h);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    fmu_.call("fmi2SetTime", t + h);
    fmu_.call("fmi2SetContinuousStates", static_cast<const double*>(x.data()), x.size());
    int has_event = 0, ends = 0;
    fmu_.call("fmi2CompletedIntegratorStep", 1, &has_event, &ends);
    if (has_event == 0) return;
    ++events;
    EventInfo info{};
    fmu_.call("fmi2EnterEventMode");
    EXPECT_EQ(fmu_.call("fmi2NewDiscreteStates", &info), kOk);
    fmu_.call("fmi2EnterContinuousTimeMode");
    if (info.values_changed != 0) fmu_.call("fmi2GetContinuousStates", x.data(), x.size());
  }

  std::vector<double> rates(double t, const std::vector<double>& from, const std::vector<double>& k,
                            double h) {
    std::vector<double> y = from, out(from.size());
    for (std::size_t i = 0; i < k.size(); ++i) y[i] += h * k[i];
    fmu_.call("fmi2SetTime", t);
    fmu_.call("fmi2SetContinuousStates", static_cast<const double*>(y.data()), y.size());
    EXPECT_EQ(fmu_.call("fmi2GetDerivatives", out.data(), out.size()), kOk);
    return out;
  }

  std::vector<double> x;
  int events = 0;

 private:
  Fmu2& fmu_;
};

TEST(ModelExchange, AnImportersSolverIntegratesAClosedLoop) {
  for (const char* coordinates : {"absolute", "natural", "joint"}) {
    const Written w("slider_crank", 1e-3, coordinates);
    Fmu2 fmu(w.path(), kModelExchange);
    ASSERT_EQ(fmu.start(), kOk);
    Importer importer(fmu);
    for (int k = 0; k < 4000; ++k) importer.step(k * 2.5e-4, 2.5e-4);
    // tests/reference/slider_crank.csv at t = 1; of order 4.
    EXPECT_NEAR(fmu.get("Bx"), 1.103347978931893210, 1e-6) << coordinates;
    EXPECT_NEAR(fmu.get("Ay"), 3.615993342030306876e-01, 1e-6) << coordinates;
    EXPECT_NEAR(std::hypot(fmu.get("Bx") - fmu.get("Ax"), fmu.get("Ay")), 1, 1e-8);
  }
}

TEST(ModelExchange, DirectionalDerivativesAreThoseOfTheRates) {
  const Written w("car_axle", 1e-3);
  Fmu2 fmu(w.path(), kModelExchange);
  ASSERT_EQ(fmu.start(), kOk);
  Importer importer(fmu);
  const std::size_t n = importer.x.size();
  std::vector<unsigned> states, derivatives;
  for (const pugi::xml_node v : fmu.root().child("ModelVariables")) {
    if (!v.child("Real").attribute("derivative")) continue;
    derivatives.push_back(v.attribute("valueReference").as_uint());
    const int index = v.child("Real").attribute("derivative").as_int();
    int k = 0;
    for (const pugi::xml_node s : fmu.root().child("ModelVariables")) {
      if (++k == index) states.push_back(s.attribute("valueReference").as_uint());
    }
  }
  ASSERT_EQ(states.size(), n);
  std::vector<double> direction(n), result(n);
  for (std::size_t i = 0; i < n; ++i) direction[i] = std::cos(static_cast<double>(i));
  importer.rates(0.1, importer.x, {}, 0);
  ASSERT_EQ(
      fmu.call("fmi2GetDirectionalDerivative", static_cast<const unsigned*>(derivatives.data()), n,
               static_cast<const unsigned*>(states.data()), n,
               static_cast<const double*>(direction.data()), result.data()),
      kOk);
  constexpr double h = 1e-6;
  const std::vector<double> more = importer.rates(0.1, importer.x, direction, h),
                            less = importer.rates(0.1, importer.x, direction, -h);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(near(result[i], (more[i] - less[i]) / (2 * h),
                     {.relative = 1e-6, .scale = 1, .because = "a difference"}))
        << i;
  }
}

// Rules of the schema and of section 2.2 of the standard that files have been refused for.
class DescriptionOf : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, DescriptionOf,
                         ::testing::Values("car_axle", "overhead_crane", "circular_track",
                                           "heavy_top"));

TEST_P(DescriptionOf, KeepsToTheStandard) {
  const Written w(GetParam(), 1e-3);
  const Fmu2 fmu(w.path(), kCoSimulation);
  const pugi::xml_node root = fmu.root();
  EXPECT_STREQ(root.attribute("fmiVersion").value(), "2.0");
  EXPECT_STRNE(root.attribute("guid").value(), "");
  // The order of elements.
  const std::vector<std::string> order = {
      "ModelExchange",     "CoSimulation",   "UnitDefinitions",
      "TypeDefinitions",   "LogCategories",  "DefaultExperiment",
      "VendorAnnotations", "ModelVariables", "ModelStructure"};
  std::size_t last = 0;
  for (const pugi::xml_node child : root) {
    const auto at = std::find(order.begin() + static_cast<std::ptrdiff_t>(last), order.end(),
                              std::string(child.name()));
    ASSERT_NE(at, order.end()) << child.name();
    last = static_cast<std::size_t>(at - order.begin()) + 1;
  }
  std::set<std::string> units, names;
  for (const pugi::xml_node u : root.child("UnitDefinitions")) {
    EXPECT_TRUE(units.insert(u.attribute("name").value()).second);
    EXPECT_TRUE(u.child("BaseUnit")) << u.attribute("name").value();
  }
  // Combinations of causality, variability and initial (table of section 2.2.7), start values.
  const std::set<std::string> allowed = {
      "parameter fixed exact",        "calculatedParameter fixed calculated",
      "local constant exact",         "input continuous ",
      "output continuous calculated", "local continuous approx",
      "local continuous calculated"};
  std::vector<pugi::xml_node> variables;
  std::set<unsigned> references;
  for (const pugi::xml_node v : root.child("ModelVariables")) {
    variables.push_back(v);
    EXPECT_TRUE(names.insert(v.attribute("name").value()).second) << v.attribute("name").value();
    EXPECT_TRUE(references.insert(v.attribute("valueReference").as_uint()).second);
    const std::string initial = v.attribute("initial").value();
    const std::string kind = std::string(v.attribute("causality").value()) + ' ' +
                             v.attribute("variability").value() + ' ' + initial;
    EXPECT_TRUE(allowed.contains(kind)) << kind;
    const pugi::xml_node real = v.child("Real");
    ASSERT_TRUE(real);
    const bool needs_start = initial != "calculated";
    EXPECT_EQ(static_cast<bool>(real.attribute("start")), needs_start);
    if (real.attribute("unit")) {
      EXPECT_TRUE(units.contains(real.attribute("unit").value()));
    }
  }
  // Derivatives: one for every state, in the order of the states.
  const pugi::xml_node structure = root.child("ModelStructure");
  const auto indices = [&](const char* list) {
    std::vector<std::size_t> out;
    for (const pugi::xml_node u : structure.child(list)) {
      out.push_back(u.attribute("index").as_uint());
    }
    return out;
  };
  for (const std::size_t i : indices("Outputs")) {
    EXPECT_STREQ(variables.at(i - 1).attribute("causality").value(), "output");
  }
  std::set<std::size_t> initial;
  for (const std::size_t i : indices("InitialUnknowns")) initial.insert(i);
  std::size_t states = 0;
  for (const std::size_t i : indices("Derivatives")) {
    const int of = variables.at(i - 1).child("Real").attribute("derivative").as_int();
    ASSERT_GT(of, 0);
    EXPECT_STREQ(variables.at(static_cast<std::size_t>(of) - 1).attribute("initial").value(),
                 "approx");
    EXPECT_TRUE(initial.contains(i) && initial.contains(static_cast<std::size_t>(of)));
    ++states;
  }
  EXPECT_EQ(states, w.step_model.q.size() + w.step_model.v.size() + w.step_model.x.size());
  // All variables that need it are among the unknowns of the initialization.
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string how = variables[i].attribute("initial").value();
    if (how != "calculated" && how != "approx") continue;
    EXPECT_TRUE(initial.contains(i + 1));
  }
  for (const char* kind : {"ModelExchange", "CoSimulation"}) {
    const std::string file =
        root.child(kind).child("SourceFiles").child("File").attribute("name").value();
    EXPECT_TRUE(std::filesystem::exists(fmu.folder() / "sources" / file));
  }
}

// The dependencies that are not listed are none: derivatives along them vanish.
TEST(FmuStructure, NothingDependsOnWhatIsNotListed) {
  for (const char* name : {"overhead_crane", "rotary_crane_winches"}) {
    const Written w(name, 1e-3);
    Fmu2 fmu(w.path(), kModelExchange);
    ASSERT_EQ(fmu.start(), kOk);
    std::vector<pugi::xml_node> variables;
    std::vector<unsigned> knowns;
    for (const pugi::xml_node v : fmu.root().child("ModelVariables")) variables.push_back(v);
    const auto reference = [&](std::size_t index) {
      return variables.at(index - 1).attribute("valueReference").as_uint();
    };
    const pugi::xml_node structure = fmu.root().child("ModelStructure");
    for (const pugi::xml_node u : structure.child("Derivatives")) {
      const pugi::xml_node v = variables.at(u.attribute("index").as_uint() - 1);
      knowns.push_back(reference(v.child("Real").attribute("derivative").as_uint()));
    }
    for (const pugi::xml_node v : variables) {
      if (std::string(v.attribute("causality").value()) == "input") {
        knowns.push_back(v.attribute("valueReference").as_uint());
      }
    }
    std::size_t listed = 0, all = 0;
    for (const char* list : {"Outputs", "Derivatives"}) {
      for (const pugi::xml_node u : structure.child(list)) {
        ASSERT_TRUE(u.attribute("dependencies"));
        std::set<unsigned> on;
        std::istringstream text(u.attribute("dependencies").value());
        for (std::size_t index; text >> index;) on.insert(reference(index));
        listed += on.size();
        all += knowns.size();
        const unsigned unknown = reference(u.attribute("index").as_uint());
        for (const unsigned known : knowns) {
          if (on.contains(known)) continue;
          const double one = 1;
          double result = 1;
          ASSERT_EQ(fmu.call("fmi2GetDirectionalDerivative", &unknown, std::size_t{1}, &known,
                             std::size_t{1}, &one, &result),
                    kOk);
          EXPECT_EQ(result, 0) << name << ' ' << unknown << ' ' << known;
        }
      }
    }
    EXPECT_LT(listed, all) << name;
  }
}

TEST(FmuSource, CompilesWithoutAWarning) {
  const Written w("overhead_crane", 1e-3);
  const Fmu2 fmu(w.path(), kCoSimulation);
  const std::string source = (fmu.folder() / "sources" / (w.step_model.name + ".c")).string();
  for (const char* compiler : {"gcc", "clang"}) {
    if (std::system(("command -v " + std::string(compiler) + " >/dev/null").c_str()) != 0) continue;
    EXPECT_EQ(
        std::system((std::string(compiler) +
                     " -std=c99 -O1 -Wall -Wextra -Werror -pedantic -fPIC -shared -o /dev/null "
                     "'" +
                     source + "' -lm")
                        .c_str()),
        0)
        << compiler;
  }
}

TEST(Fmu, OfTheSameModelIsTheSame) {
  const Written a("car_axle", 1e-3), b("car_axle", 1e-3), c("car_axle", 2e-3);
  const FmuFiles one = write_fmu_files(a.step_model, 3), two = write_fmu_files(b.step_model, 3);
  EXPECT_EQ(one.description, two.description);
  EXPECT_EQ(one.source, two.source);
  EXPECT_NE(one.description, write_fmu_files(c.step_model, 3).description);
}

}  // namespace
}  // namespace koppel
