// FMUs of FMI 3.0, driven through the C interface of the standard by an importer of their own.
#include <koppel/export/fmu.hpp>

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>

#include "tests/export/fmu3.hpp"
#include "tests/near.hpp"

namespace koppel {
namespace {

using namespace testing;

class Written {
 public:
  Written(const std::string& name, double step,
          const std::string& integrator = "linear-implicit:J1")
      : model(read_model(std::string(KOPPEL_MODELS) + name + ".yaml")), options(options_of(model)) {
    options.integrator = integrator;
    options.step = step;
    step_model = make_step_model(model, options);
    write_fmu(path(), step_model, 3, FmiVersion::V3);
  }
  std::filesystem::path path() const { return folder_.path() / "model.fmu"; }

  Model model;
  SimulateOptions options;
  StepModel step_model;

 private:
  TemporaryFolder folder_;
};

TEST(CoSimulation3, GivesTheBitsOfTheLibrary) {
  Written w("car_axle", 1e-3);
  w.options.end = 0.1;
  w.options.sampling.every_step = true;
  const Simulation simulation = simulate(w.model, w.options);
  Fmu3 fmu(w.path(), kCoSimulation);
  EXPECT_STREQ(fmu.function<const char*()>("fmi3GetVersion")(), "3.0");
  ASSERT_EQ(fmu.start(), kOk);
  for (int k = 0; k < 100; ++k) {
    EXPECT_TRUE(same_bits(fmu.get("yr"), simulation.trajectory["yr"][static_cast<std::size_t>(k)]));
    ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), kOk);
    EXPECT_EQ(fmu.last_successful_time, k * 1e-3 + 1e-3);
    EXPECT_EQ(fmu.get("time"), fmu.last_successful_time);
  }
}

TEST(CoSimulation3, AStepThatFailsIsDiscardedAndChangesNothing) {
  const Written w("overhead_crane", 1e-3);
  Fmu3 fmu(w.path(), kCoSimulation);
  ASSERT_EQ(fmu.start(), kOk);
  ASSERT_EQ(fmu.step(0, 1e-3), kOk);
  const std::string input = w.step_model.inputs.at(0).label, output = w.step_model.outputs[0].label;
  const double before = fmu.get(output);
  ASSERT_EQ(fmu.set(input, std::nan("")), kOk);
  EXPECT_EQ(fmu.step(1e-3, 1e-2), kDiscard);
  EXPECT_EQ(fmu.categories.back(), "logStatusDiscard");
  EXPECT_EQ(fmu.last_successful_time, 1e-3);
  ASSERT_EQ(fmu.set(input, 0), kOk);
  EXPECT_EQ(fmu.get(output), before);
  EXPECT_EQ(fmu.step(1e-3, 1e-3), kOk);
}

TEST(CoSimulation3, CallsInTheWrongStateAreRefused) {
  const Written w("car_axle", 1e-3);
  Fmu3 fmu(w.path(), kCoSimulation);
  EXPECT_EQ(fmu.step(0, 1e-3), kError);
  EXPECT_EQ(fmu.messages.back(), "fmi3DoStep: the FMU is not initialized for Co-Simulation");
  EXPECT_EQ(fmu.call("fmi3ExitInitializationMode"), kError);
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_EQ(fmu.enter(), kError);
  EXPECT_EQ(fmu.set("k", 1), kError);
  EXPECT_EQ(fmu.messages.back(), "fmi3SetFloat64: only inputs can be set while running");
  EXPECT_EQ(fmu.call("fmi3EnterContinuousTimeMode"), kError);
  EXPECT_EQ(fmu.step(0, -1), kError);
  EXPECT_EQ(fmu.call("fmi3Terminate"), kOk);
  EXPECT_EQ(fmu.step(0, 1e-3), kError);
  EXPECT_EQ(fmu.call("fmi3Reset"), kOk);
  EXPECT_EQ(fmu.set("k", 1), kOk);
  const unsigned none = 12345;
  double value = 0;
  EXPECT_EQ(fmu.call("fmi3GetFloat64", &none, std::size_t{1}, &value, std::size_t{1}), kError);
  EXPECT_EQ(fmu.call("fmi3GetFloat64", &none, std::size_t{1}, &value, std::size_t{2}), kError);
  int integer = 0;
  EXPECT_EQ(fmu.call("fmi3GetInt32", &none, std::size_t{1}, &integer, std::size_t{1}), kError);
  EXPECT_EQ(fmu.messages.back(), "there are variables of type Float64 only");
}

TEST(CoSimulation3, AnInstanceNeedsTheTokenAndHasNoEventMode) {
  const Written w("car_axle", 1e-3);
  Fmu3 fmu(w.path(), kCoSimulation);
  EXPECT_EQ(fmu.instantiate(kCoSimulation, "another", false), nullptr);
  EXPECT_EQ(fmu.messages.back(), "the instantiation token is not that of this FMU");
  const char* token = fmu.root().attribute("instantiationToken").value();
  EXPECT_EQ(fmu.instantiate(kCoSimulation, token, true), nullptr);
}

TEST(CoSimulation3, StatesAreSavedRestoredAndSerialized) {
  for (const char* integrator : {"linear-implicit:J1", "dop853"}) {
    const Written w("slider_crank", 1e-3, integrator);
    Fmu3 fmu(w.path(), kCoSimulation), other(w.path(), kCoSimulation);
    ASSERT_EQ(fmu.start(), kOk);
    for (int k = 0; k < 10; ++k) ASSERT_EQ(fmu.step(k * 1e-3, 1e-3), kOk);
    void* saved = nullptr;
    ASSERT_EQ(fmu.call("fmi3GetFMUState", &saved), kOk);
    const auto go_on = [](Fmu3& instance) {
      for (int k = 10; k < 20; ++k) instance.step(k * 1e-3, 1e-3);
      return instance.get("Bx");
    };
    const double first = go_on(fmu);
    ASSERT_EQ(fmu.call("fmi3SetFMUState", saved), kOk);
    EXPECT_EQ(go_on(fmu), first);
    std::size_t size = 0;
    ASSERT_EQ(fmu.call("fmi3SerializedFMUStateSize", saved, &size), kOk);
    std::vector<unsigned char> bytes(size);
    EXPECT_EQ(fmu.call("fmi3SerializeFMUState", saved, bytes.data(), size - 1), kError);
    ASSERT_EQ(fmu.call("fmi3SerializeFMUState", saved, bytes.data(), size), kOk);
    ASSERT_EQ(fmu.call("fmi3FreeFMUState", &saved), kOk);
    EXPECT_EQ(saved, nullptr);
    // In another instance, which takes over where this one was.
    const auto* from = static_cast<const unsigned char*>(bytes.data());
    ASSERT_EQ(other.call("fmi3DeserializeFMUState", from, size, &saved), kOk);
    ASSERT_EQ(other.call("fmi3SetFMUState", saved), kOk);
    EXPECT_EQ(go_on(other), first);
    ASSERT_EQ(other.call("fmi3FreeFMUState", &saved), kOk);
  }
}

// tests/reference/slider_crank.csv at t = 1.
TEST(AccurateCoSimulation3, ReachesTheReferenceInStepsOfAnyLength) {
  const Written w("slider_crank", 1e-2, "dop853");
  for (const int count : {1, 7, 100}) {
    Fmu3 fmu(w.path(), kCoSimulation);
    ASSERT_EQ(fmu.start(), kOk);
    for (int k = 0; k < count; ++k) ASSERT_EQ(fmu.step(1.0 * k / count, 1.0 / count), kOk);
    // The tolerance of a step is 1e-8; its error grows in passing the dead centres.
    EXPECT_NEAR(fmu.get("Bx"), 1.103347978931893210, 1e-6) << count;
    EXPECT_NEAR(fmu.get("Ay"), 3.615993342030306876e-01, 1e-6) << count;
    EXPECT_NEAR(std::hypot(fmu.get("Bx") - fmu.get("Ax"), fmu.get("Ay")), 1, 1e-13) << count;
  }
}

class Exchange {
 public:
  explicit Exchange(Fmu3& fmu) : fmu_(fmu) {
    std::size_t n = 0;
    fmu.call("fmi3GetNumberOfContinuousStates", &n);
    x.resize(n);
    fmu.call("fmi3GetContinuousStates", x.data(), n);
  }
  // The classical Runge–Kutta method.
  void step(double t, double h) {
    const std::vector<double> k1 = rates(t, {}, 0), k2 = rates(t + h / 2, k1, h / 2),
                              k3 = rates(t + h / 2, k2, h / 2), k4 = rates(t + h, k3, h);
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    }
    fmu_.call("fmi3SetTime", t + h);
    fmu_.call("fmi3SetContinuousStates", static_cast<const double*>(x.data()), x.size());
    bool has_event = false, ends = true;
    EXPECT_EQ(fmu_.call("fmi3CompletedIntegratorStep", true, &has_event, &ends), kOk);
    EXPECT_FALSE(ends);
    if (!has_event) return;
    ++events;
    EXPECT_EQ(fmu_.call("fmi3EnterEventMode"), kOk);
    if (fmu_.update_discrete_states()) {
      fmu_.call("fmi3GetContinuousStates", x.data(), x.size());
    }
    EXPECT_EQ(fmu_.call("fmi3EnterContinuousTimeMode"), kOk);
  }
  std::vector<double> rates(double t, const std::vector<double>& k, double h) {
    std::vector<double> y = x, out(x.size());
    for (std::size_t i = 0; i < k.size(); ++i) y[i] += h * k[i];
    fmu_.call("fmi3SetTime", t);
    fmu_.call("fmi3SetContinuousStates", static_cast<const double*>(y.data()), y.size());
    EXPECT_EQ(fmu_.call("fmi3GetContinuousStateDerivatives", out.data(), out.size()), kOk);
    return out;
  }
  std::vector<double> x;
  int events = 0;

 private:
  Fmu3& fmu_;
};

TEST(ModelExchange3, AnImportersSolverIntegratesAClosedLoop) {
  const Written w("slider_crank", 1e-3);
  Fmu3 fmu(w.path(), kModelExchange);
  ASSERT_EQ(fmu.start(), kOk);
  EXPECT_FALSE(fmu.update_discrete_states());
  ASSERT_EQ(fmu.call("fmi3EnterContinuousTimeMode"), kOk);
  Exchange importer(fmu);
  for (int k = 0; k < 4000; ++k) importer.step(k * 2.5e-4, 2.5e-4);
  // tests/reference/slider_crank.csv at t = 1; of order 4.
  EXPECT_NEAR(fmu.get("Bx"), 1.103347978931893210, 1e-6);
  EXPECT_NEAR(fmu.get("Ay"), 3.615993342030306876e-01, 1e-6);
  EXPECT_NEAR(std::hypot(fmu.get("Bx") - fmu.get("Ax"), fmu.get("Ay")), 1, 1e-8);
  double x = 0;
  EXPECT_EQ(fmu.call("fmi3GetContinuousStates", &x, std::size_t{1}), kError);
}

// wᵀ(J s) by directional derivatives is (wᵀJ) s by adjoint ones, and J s is what differences give.
TEST(ModelExchange3, DirectionalAndAdjointDerivativesAreThoseOfTheRates) {
  const Written w("overhead_crane", 1e-3);
  Fmu3 fmu(w.path(), kModelExchange);
  ASSERT_EQ(fmu.start(), kOk);
  ASSERT_EQ(fmu.call("fmi3EnterContinuousTimeMode"), kOk);
  Exchange importer(fmu);
  std::vector<unsigned> knowns, unknowns, derivatives;
  for (const pugi::xml_node v : fmu.root().child("ModelVariables")) {
    const unsigned vr = v.attribute("valueReference").as_uint();
    if (v.attribute("derivative")) {
      derivatives.push_back(vr);
      knowns.push_back(v.attribute("derivative").as_uint());
    }
  }
  const std::size_t n = importer.x.size();
  ASSERT_EQ(knowns.size(), n);
  unknowns = derivatives;
  for (const pugi::xml_node v : fmu.root().child("ModelVariables")) {
    const std::string causality = v.attribute("causality").value();
    if (causality == "output") unknowns.push_back(v.attribute("valueReference").as_uint());
    if (causality == "input") knowns.push_back(v.attribute("valueReference").as_uint());
  }
  ASSERT_GT(knowns.size(), n);
  std::vector<double> seed(knowns.size()), weights(unknowns.size()), forward(unknowns.size()),
      backward(knowns.size());
  for (std::size_t i = 0; i < seed.size(); ++i) seed[i] = std::cos(static_cast<double>(i));
  for (std::size_t i = 0; i < weights.size(); ++i)
    weights[i] = std::sin(1.0 + 2.0 * static_cast<double>(i));
  importer.rates(0.1, {}, 0);
  const auto derivative = [&](const char* name, const std::vector<double>& by,
                              std::vector<double>& into) {
    return fmu.call(name, static_cast<const unsigned*>(unknowns.data()), unknowns.size(),
                    static_cast<const unsigned*>(knowns.data()), knowns.size(),
                    static_cast<const double*>(by.data()), by.size(), into.data(), into.size());
  };
  ASSERT_EQ(derivative("fmi3GetDirectionalDerivative", seed, forward), kOk);
  ASSERT_EQ(derivative("fmi3GetAdjointDerivative", weights, backward), kOk);
  double by_forward = 0, by_backward = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) by_forward += weights[i] * forward[i];
  for (std::size_t i = 0; i < seed.size(); ++i) by_backward += seed[i] * backward[i];
  EXPECT_TRUE(near(by_forward, by_backward,
                   {.relative = 1e-12, .scale = 1, .because = "sums of some ten products"}));

  // States alone, by differences.
  std::vector<double> states_only = seed;
  std::fill(states_only.begin() + static_cast<std::ptrdiff_t>(n), states_only.end(), 0.0);
  ASSERT_EQ(derivative("fmi3GetDirectionalDerivative", states_only, forward), kOk);
  states_only.resize(n);
  constexpr double h = 1e-6;
  const std::vector<double> more = importer.rates(0.1, states_only, h),
                            less = importer.rates(0.1, states_only, -h);
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_TRUE(near(forward[i], (more[i] - less[i]) / (2 * h),
                     {.relative = 1e-6, .scale = 1, .because = "a difference"}))
        << i;
  }
  EXPECT_EQ(derivative("fmi3GetAdjointDerivative", seed, backward), kError);
}

// Those that fmi3Functions.h of FMI 3.0.2 declares: a library must have all of them.
TEST(Fmu3Library, HasEveryFunctionOfTheStandard) {
  const Written w("pendulum", 1e-3);
  const Fmu3 fmu(w.path(), kCoSimulation);
  for (const char* type : {"Float32", "Float64", "Int8", "UInt8", "Int16", "UInt16", "Int32",
                           "UInt32", "Int64", "UInt64", "Boolean", "String", "Binary", "Clock"}) {
    fmu.function<void()>((std::string("fmi3Get") + type).c_str());
    fmu.function<void()>((std::string("fmi3Set") + type).c_str());
  }
  for (const char* name : {"GetVersion",
                           "SetDebugLogging",
                           "InstantiateModelExchange",
                           "InstantiateCoSimulation",
                           "InstantiateScheduledExecution",
                           "FreeInstance",
                           "EnterInitializationMode",
                           "ExitInitializationMode",
                           "EnterEventMode",
                           "Terminate",
                           "Reset",
                           "GetNumberOfVariableDependencies",
                           "GetVariableDependencies",
                           "GetFMUState",
                           "SetFMUState",
                           "FreeFMUState",
                           "SerializedFMUStateSize",
                           "SerializeFMUState",
                           "DeserializeFMUState",
                           "GetDirectionalDerivative",
                           "GetAdjointDerivative",
                           "EnterConfigurationMode",
                           "ExitConfigurationMode",
                           "GetIntervalDecimal",
                           "GetIntervalFraction",
                           "GetShiftDecimal",
                           "GetShiftFraction",
                           "SetIntervalDecimal",
                           "SetIntervalFraction",
                           "SetShiftDecimal",
                           "SetShiftFraction",
                           "EvaluateDiscreteStates",
                           "UpdateDiscreteStates",
                           "EnterContinuousTimeMode",
                           "CompletedIntegratorStep",
                           "SetTime",
                           "SetContinuousStates",
                           "GetContinuousStateDerivatives",
                           "GetEventIndicators",
                           "GetContinuousStates",
                           "GetNominalsOfContinuousStates",
                           "GetNumberOfEventIndicators",
                           "GetNumberOfContinuousStates",
                           "EnterStepMode",
                           "GetOutputDerivatives",
                           "DoStep",
                           "ActivateModelPartition"}) {
    fmu.function<void()>((std::string("fmi3") + name).c_str());
  }
}

// Rules of the schema fmi3ModelDescription.xsd of FMI 3.0.2 with the schemas that it includes, and
// of sections 2.4.7 and 2.4.8 of the standard: elements and their order, attributes that there are,
// those that are required, the combinations of causality, variability and initial, lists.
class DescriptionOf3 : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Models, DescriptionOf3,
                         ::testing::Values("car_axle", "overhead_crane", "circular_track",
                                           "heavy_top"));

void expect_attributes(pugi::xml_node node, const std::set<std::string>& required,
                       const std::set<std::string>& optional) {
  std::set<std::string> found;
  for (const pugi::xml_attribute attribute : node.attributes()) {
    found.insert(attribute.name());
    EXPECT_TRUE(required.contains(attribute.name()) || optional.contains(attribute.name()))
        << node.name() << ' ' << attribute.name();
  }
  for (const std::string& name : required) EXPECT_TRUE(found.contains(name)) << name;
}

void expect_order(pugi::xml_node parent, const std::vector<std::string>& order, bool repeats) {
  std::size_t last = 0;
  for (const pugi::xml_node child : parent) {
    const auto at = std::find(order.begin() + static_cast<std::ptrdiff_t>(last), order.end(),
                              std::string(child.name()));
    ASSERT_NE(at, order.end()) << child.name();
    last = static_cast<std::size_t>(at - order.begin()) + (repeats ? 0 : 1);
  }
}

TEST_P(DescriptionOf3, KeepsToTheSchemaAndItsRules) {
  const Written w(GetParam(), 1e-3);
  const Fmu3 fmu(w.path(), kCoSimulation);
  const pugi::xml_node root = fmu.root();
  expect_attributes(root, {"fmiVersion", "modelName", "instantiationToken"},
                    {"description", "generationTool", "variableNamingConvention"});
  EXPECT_STREQ(root.attribute("fmiVersion").value(), "3.0");
  expect_order(
      root,
      {"ModelExchange", "CoSimulation", "ScheduledExecution", "UnitDefinitions", "TypeDefinitions",
       "LogCategories", "DefaultExperiment", "ModelVariables", "ModelStructure", "Annotations"},
      false);
  const std::set<std::string> abilities = {"canGetAndSetFMUState", "canSerializeFMUState",
                                           "providesDirectionalDerivatives",
                                           "providesAdjointDerivatives"};
  std::set<std::string> exchange = abilities, co_simulation = abilities;
  exchange.insert("needsCompletedIntegratorStep");
  co_simulation.insert("canHandleVariableCommunicationStepSize");
  expect_attributes(root.child("ModelExchange"), {"modelIdentifier"}, exchange);
  expect_attributes(root.child("CoSimulation"), {"modelIdentifier"}, co_simulation);
  expect_attributes(root.child("DefaultExperiment"), {},
                    {"startTime", "stopTime", "tolerance", "stepSize"});

  std::set<std::string> units;
  for (const pugi::xml_node u : root.child("UnitDefinitions")) {
    EXPECT_TRUE(units.insert(u.attribute("name").value()).second);
    expect_attributes(u.child("BaseUnit"), {}, {"kg", "m", "s", "rad"});
  }
  const std::set<std::string> allowed = {"independent continuous ",
                                         "parameter fixed exact",
                                         "calculatedParameter fixed calculated",
                                         "local constant exact",
                                         "input continuous ",
                                         "output continuous calculated",
                                         "local continuous approx",
                                         "local continuous calculated"};
  std::map<unsigned, pugi::xml_node> variables;
  std::set<std::string> names;
  int num_independent = 0;
  for (const pugi::xml_node v : root.child("ModelVariables")) {
    ASSERT_STREQ(v.name(), "Float64");
    expect_attributes(v, {"name", "valueReference", "causality", "variability"},
                      {"description", "initial", "unit", "start", "derivative", "reinit"});
    EXPECT_TRUE(names.insert(v.attribute("name").value()).second);
    EXPECT_TRUE(variables.emplace(v.attribute("valueReference").as_uint(), v).second);
    const std::string causality = v.attribute("causality").value(),
                      initial = v.attribute("initial").value();
    EXPECT_TRUE(
        allowed.contains(causality + ' ' + v.attribute("variability").value() + ' ' + initial));
    num_independent += causality == "independent" ? 1 : 0;
    EXPECT_EQ(static_cast<bool>(v.attribute("start")),
              causality != "independent" && initial != "calculated");
    if (v.attribute("unit")) {
      EXPECT_TRUE(units.contains(v.attribute("unit").value()));
    }
  }
  EXPECT_EQ(num_independent, 1);

  const pugi::xml_node structure = root.child("ModelStructure");
  expect_order(
      structure,
      {"Output", "ContinuousStateDerivative", "ClockedState", "InitialUnknown", "EventIndicator"},
      true);
  std::set<unsigned> initial, outputs, states;
  for (const pugi::xml_node u : structure) {
    expect_attributes(u, {"valueReference"}, {"dependencies"});
    const unsigned vr = u.attribute("valueReference").as_uint();
    ASSERT_TRUE(variables.contains(vr));
    const std::string kind = u.name();
    if (kind == "Output") outputs.insert(vr);
    if (kind == "ContinuousStateDerivative") {
      ASSERT_TRUE(variables[vr].attribute("derivative"));
      const unsigned state = variables[vr].attribute("derivative").as_uint();
      EXPECT_TRUE(states.insert(state).second);
      EXPECT_STREQ(variables[state].attribute("reinit").value(), "true");
    }
    if (kind == "InitialUnknown") {
      EXPECT_TRUE(initial.insert(vr).second);
    }
  }
  EXPECT_EQ(states.size(), w.step_model.q.size() + w.step_model.v.size() + w.step_model.x.size());
  for (const auto& [vr, v] : variables) {
    const std::string how = v.attribute("initial").value();
    EXPECT_EQ(outputs.contains(vr), std::string(v.attribute("causality").value()) == "output");
    EXPECT_EQ(initial.contains(vr), how == "calculated" || how == "approx");
  }
  pugi::xml_document build;
  ASSERT_TRUE(build.load_file((fmu.folder() / "sources/buildDescription.xml").c_str()));
  const pugi::xml_node configuration =
      build.child("fmiBuildDescription").child("BuildConfiguration");
  EXPECT_STREQ(configuration.attribute("modelIdentifier").value(),
               root.child("CoSimulation").attribute("modelIdentifier").value());
  EXPECT_TRUE(std::filesystem::exists(
      fmu.folder() / "sources" /
      configuration.child("SourceFileSet").child("SourceFile").attribute("name").value()));
}

TEST(FmuSource3, CompilesWithoutAWarning) {
  for (const char* integrator : {"linear-implicit", "dop853"}) {
    const Written w("overhead_crane", 1e-3, integrator);
    const Fmu3 fmu(w.path(), kCoSimulation);
    const std::string source = (fmu.folder() / "sources" / (w.step_model.name + ".c")).string();
    for (const char* compiler : {"gcc", "clang"}) {
      if (std::system(("command -v " + std::string(compiler) + " >/dev/null").c_str()) != 0)
        continue;
      EXPECT_EQ(std::system((std::string(compiler) +
                             " -std=c99 -O1 -Wall -Wextra -Werror -pedantic -fPIC -shared -o "
                             "/dev/null '" +
                             source + "' -lm")
                                .c_str()),
                0)
          << compiler;
    }
  }
}

}  // namespace
}  // namespace koppel
