// All coordinate sets describe the same mechanics: accelerations of points agree.
#include <functional>
#include <random>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <tests/analysis/mechanisms.hpp>
#include <tests/analysis/same_accelerations.hpp>

namespace koppel {
namespace {

struct Case {
  std::string name;
  std::function<Model()> make;
  double spread;  // of the random displacement from the expected start
};

void PrintTo(const Case& test, std::ostream* stream) { *stream << test.name; }

// A file of models/, its own start and outputs left aside.
Case from_file(const std::string& name, double spread, ReadOptions options = {}) {
  return {name,
          [=] {
            Model model = read_model(KOPPEL_MODELS + name + ".yaml", options);
            model.initial.clear();
            model.outputs.clear();
            return model;
          },
          spread};
}

class CoordinateSets : public ::testing::TestWithParam<Case> {};

TEST_P(CoordinateSets, GiveTheSamePointAccelerationsAtRandomConsistentStates) {
  const bool along_z = GetParam().name.ends_with("ricard");  // rods along z: cardan starts singular
  testing::expect_same_accelerations(GetParam().make(), 7, 3, GetParam().spread,
                                     along_z ? "cardan" : "");
}

// Trees of all joints, and loops closed by rods, whose counts leave some freedom.
TEST(RandomMechanisms, HaveTheSameAccelerationsInAllCoordinateSets) {
  std::mt19937 random(2024);
  for (int i = 0; i < 24; ++i) {
    SCOPED_TRACE("mechanism " + std::to_string(i));
    const Model model = testing::make_random_mechanism(random, 2 + i % 5, i % 3);
    testing::expect_same_accelerations(model, static_cast<unsigned>(i), 1, 0.02, "cardan");
  }
}

INSTANTIATE_TEST_SUITE_P(
    Files, CoordinateSets,
    ::testing::Values(from_file("pendulum", 0.2), from_file("double_pendulum", 0.5),
                      from_file("chain", 0.15, {.set = {{"n", "5"}}}), from_file("four_bar", 0.1),
                      from_file("slider_crank", 0.2), from_file("copy_machine", 0.2),
                      from_file("bricard", 0.1), from_file("flyball_governor", 0.1),
                      from_file("five_link", 0.02), from_file("mcpherson", 0.02),
                      from_file("heavy_top", 0.2), from_file("rolling_disc", 0.1),
                      from_file("stewart_platform", 0.02), from_file("robot", 0.2),
                      from_file("vehicle_trailer", 0.01), from_file("squeezer", 0.05),
                      from_file("rotary_crane_released", 0.05), from_file("driven_sphere", 0.05),
                      from_file("mass_chain", 0.1)),
    [](const auto& test) { return test.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Mechanisms, CoordinateSets,
    ::testing::Values(Case{"DoublePendulum", testing::make_double_pendulum, 0.5},
                      Case{"HeavyTop", testing::make_heavy_top, 0.2},
                      Case{"SliderCrank", testing::make_slider_crank, 0.2},
                      Case{"FourBar", testing::make_four_bar, 0.2},
                      Case{"Bricard", testing::make_bricard, 0.1},
                      Case{"JointCollection", testing::make_joint_collection, 0.3}),
    [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace koppel
