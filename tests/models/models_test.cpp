// Every model file: its known freedoms, index and redundancies.
#include <cmath>
#include <filesystem>
#include <set>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/examine.hpp>
#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel {
namespace {

struct Known {
  std::string name;
  int dof;
  int index = 3;        // of forward dynamics; −1: not claimed
  int servo_index = 0;  // 0: no servo constraints
  int redundant = 0;    // equations, in absolute coordinates
  int internal = 0;     // order of the internal dynamics of the servo problem
};

// Counted by hand, or from the literature named in the files.
const std::vector<Known> kKnown = {
    {"andrews", 1},
    {"bricard", 1, 3, 0, 1},
    {"cable_manipulator", 10, 3, 5},
    {"cable_robot", 6, 0, 3},
    {"cable_robot_planar", 3, 0, 3},
    {"car_axle", 2},
    {"chain", 10},
    {"circular_track", 1},
    {"copy_machine", 2},
    {"double_pendulum", 2},
    {"driven_sphere", 3},
    {"five_link", 2},
    {"five_link_road", 2},
    {"flyball_governor", 4},
    {"flyball_governor_symmetric", 3},
    {"four_bar", 1},
    {"heavy_top", 3},
    {"mass_chain", 2, 3, 5},
    {"mass_on_car", 2, 0, 3, 0, 2},
    {"mcpherson", 2},
    {"mcpherson_planar", 2},
    {"navy_crane_2d", 4, 3, 5},
    {"navy_crane_2d_massless", 4, -1, 5},
    {"navy_crane_3d", 7, 3, 7},
    {"navy_crane_3d_massless", 7, -1, 5},
    {"overhead_crane", 3, 3, 5},
    {"overhead_crane_minimal", 3, 0, 5},
    {"passive_arm", 2, 0, 3, 0, 2},
    {"pendulum", 1},
    {"robot", 6},
    {"rolling_disc", 3},
    {"rotary_crane", 5, 3, 5},
    {"rotary_crane_bodies", 5, 3, 5},
    {"rotary_crane_minimal", 5, 0, 5},
    {"rotary_crane_released", 5},
    {"rotary_crane_winches", 5, 3, 5},
    {"slider_crank", 1},
    {"slider_crank_minimal", 1, 0},
    {"slider_crank_reversed", 1},
    {"squeezer", 1},
    {"stewart_platform", 12},  // six of the platform, and the spins of six legs
    {"vehicle_trailer", 21},   // two bodies with 6, six wheels with 2, less 3 at the hook
    {"whipple_bicycle", 3},    // lean, steering, speed
};

void PrintTo(const Known& known, std::ostream* stream) { *stream << known.name; }

class ModelFile : public ::testing::TestWithParam<Known> {};

TEST_P(ModelFile, HasTheKnownFreedomsAndIndex) {
  const Known& known = GetParam();
  const Model model = read_model(KOPPEL_MODELS + known.name + ".yaml");
  const Examination found = examine(derive(model));
  EXPECT_TRUE(found.start) << found.start.text;
  EXPECT_EQ(found.rank.degrees_of_freedom, known.dof);
  EXPECT_EQ(static_cast<int>(found.rank.redundant_rows.size()), known.redundant);
  if (known.index >= 0) {
    EXPECT_EQ(found.forward.index, known.index);
  }
  ASSERT_EQ(found.servo.has_value(), known.servo_index > 0);
  if (found.servo) {
    EXPECT_EQ(found.servo->index, known.servo_index);
    EXPECT_EQ(found.servo->num_free, known.internal) << "the cranes are flat";
  }
}

INSTANTIATE_TEST_SUITE_P(Models, ModelFile, ::testing::ValuesIn(kKnown),
                         [](const auto& test) { return test.param.name; });

TEST(ModelFiles, AreAllInTheTableAbove) {
  std::set<std::string> files, known;
  for (const auto& entry : std::filesystem::directory_iterator(KOPPEL_MODELS)) {
    if (entry.path().extension() == ".yaml") files.insert(entry.path().stem().string());
  }
  for (const Known& k : kKnown) known.insert(k.name);
  EXPECT_EQ(files, known);
}

TEST(FourBar, HasOneFreedomForAnyNumberOfWindows) {
  for (const char* n : {"1", "3", "12"}) {
    const Model model = read_model(KOPPEL_MODELS "four_bar.yaml", {.set = {{"N", n}}});
    for (const std::string& set : coordinate_sets(model)) {
      EXPECT_EQ(examine(derive(model, set)).rank.degrees_of_freedom, 1) << n << ' ' << set;
    }
  }
}

// Struts and tyres carry their loads, the wheels roll without slip.
TEST(VehicleTrailer, StartsInBalance) {
  const Evaluator evaluator(derive(read_model(KOPPEL_MODELS "vehicle_trailer.yaml"), "joint"));
  const Assembly start = assemble(evaluator);
  ASSERT_TRUE(start) << start.text;
  for (const double a : solve_accelerations(evaluator, start.state).v_rate) {
    EXPECT_LT(std::abs(a), 1e-3);
  }
}

}  // namespace
}  // namespace koppel
