// What studies may vary: not what a model has as numbers.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/parameters.hpp>

namespace koppel {
namespace {

struct Read {
  explicit Read(const std::string& text) : model(read_model_text(text, "m.yaml", {}, origins)) {}
  std::string said_about(const std::string& name) const {
    try {
      const StudiedParameters space(model, origins, {name});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  std::vector<ParameterOrigin> origins;
  Model model;
};

std::string built_in(const std::string& name) {
  return "error[study.built-in]: '" + name +
         "' is built into the model, as a count, a table or a path: there are no derivatives by "
         "it.\n  Try its values one by one, in a sweep.";
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
  try {
    batch.set("A", values);
    FAIL() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.what(), built_in("A"));
  }
}

}  // namespace
}  // namespace koppel
