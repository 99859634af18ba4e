// What studies may vary: not what a model or its runs have as numbers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/mechanism.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/parameters.hpp>

#include "tests/error_of.hpp"

namespace koppel {
namespace {

struct Read {
  explicit Read(const std::string& text) : model(read_model_text(text, "m.yaml", {}, origins)) {}
  std::string said_about(const std::string& name) const {
    return testing::error_of([&] { const StudiedParameters space(model, origins, {name}); });
  }
  std::vector<ParameterOrigin> origins;
  Model model;
};

std::string built_in(const std::string& name) {
  return "error[study.built-in]: '" + name +
         "' is built into the model, as a count, a table or a path: there are no derivatives by "
         "it.\n  Try its values one by one, in a sweep.";
}

std::string in_setting(const std::string& setting, const std::string& name) {
  return "error[study.built-in]: run." + setting + " of the model follows '" + name +
         "', and is the same for all runs of a study: there are no derivatives by it.\n  Give `" +
         setting + "`, or try its values one by one, in a sweep.";
}

constexpr const char* kHeld = R"(
parameters: {m: 1, k: 20, B: 1, A: 2*B, w: 3}
signals: {hand: {type: held, value: A*sin(w*t), every: 0.1, until: 2}}
coordinates: {x: {start: 0.1}}
kinetic: m/2*x'^2
potential: k/2*x^2
generalized_forces: {x: hand}
outputs: {x: x}
)";

// The samples are numbers of the parameters' values: derivatives by them would all be 0.
TEST(StudiedParameters, AreNoneThatSamplesOfAHeldSignalFollowFrom) {
  const Read read(kHeld);
  for (const char* name : {"A", "w", "B"}) EXPECT_EQ(read.said_about(name), built_in(name));
  for (const char* name : {"m", "k"}) EXPECT_EQ(read.said_about(name), "");
}

TEST(StudiedParameters, OfABatchAreNoneThatSamplesOfAHeldSignalFollowFrom) {
  const Read read(kHeld);
  BatchOptions options;
  options.run.step = 1e-3;
  options.run.integrator = "rk4";
  Batch batch(read.model, read.origins, 2, options);
  const double values[] = {1, 2};
  EXPECT_NO_THROW(batch.set("k", values));
  EXPECT_EQ(testing::error_of([&] { batch.set("A", values); }), built_in("A"));
}

// The same of a model that was built in C++, which has no origins.
TEST(StudiedParameters, OfAMechanismAreNoneThatSamplesFollowFrom) {
  Mechanism m("oscillator", Plane::XY);
  const Expr mass = m.parameter("m", 1), A = m.parameter("A", 2);
  const QuantityHandle x = m.coordinate("x");
  m.kinetic(0.5 * mass * x.rate() * x.rate());
  m.add("hand", HeldSignal{.value = A * sin(m.time()), .every = 0.1, .until = 2.0});
  m.potential(-x.value() * m["hand"]);
  m.output("x", x.value());
  EXPECT_NO_THROW(StudiedParameters(m.model(), {}, {"m"}));
  EXPECT_EQ(testing::error_of([&] { const StudiedParameters space(m.model(), {}, {"A"}); }),
            built_in("A"));
}

constexpr const char* kOscillator = R"(
parameters: {m: 2, k: 50, P: 6, T: P/2, h: 1e-3, tol: 1e-6, n: 101}
coordinates: {x: {start: 0.1}}
kinetic: m/2*x'^2
potential: k/2*x^2
outputs: {x: x}
run: {end: T, step: 2*h, tolerance: tol/10, samples: n}
)";

// The settings are read once: a study would not follow them.
TEST(StudiedParameters, AreNoneThatSettingsOfRunsFollowFrom) {
  Read read(kOscillator);
  EXPECT_EQ(read.said_about("T"), in_setting("end", "T"));
  EXPECT_EQ(read.said_about("P"), in_setting("end", "P"));
  EXPECT_EQ(read.said_about("h"), in_setting("step", "h"));
  EXPECT_EQ(read.said_about("tol"), in_setting("tolerance", "tol"));
  EXPECT_EQ(read.said_about("n"), in_setting("samples", "n"));
  EXPECT_EQ(read.said_about("k"), "");
  give_setting(read.origins, "end");
  EXPECT_EQ(read.said_about("T"), "");
  EXPECT_EQ(read.said_about("P"), "");
  EXPECT_EQ(read.said_about("h"), in_setting("step", "h"));
}

}  // namespace
}  // namespace koppel
