// Machine and native code give the bits of the interpreter, whatever the linear system of a series
// looks like.
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/simulate/same_bits.hpp"

namespace koppel::testing {
namespace {

struct Case {
  const char *model, *coordinates;
  double end;
};

class NativeRun : public ::testing::TestWithParam<Case> {};

TEST_P(NativeRun, HasTheBitsOfTheInterpreter) {
  const Bits bits =
      compare_bits(GetParam().model, GetParam().coordinates, GetParam().end, Code::Compiled);
  EXPECT_TRUE(bits.is_run);
  EXPECT_EQ(bits.difference, "");
}

// Partners of the first four meet in a pivot that is zero for all values.
INSTANTIATE_TEST_SUITE_P(
    Models, NativeRun,
    ::testing::Values(Case{"rolling_disc", "", 1}, Case{"navy_crane_2d", "", 1},
                      Case{"navy_crane_3d", "", 1}, Case{"rotary_crane_winches", "", 1},
                      Case{"slider_crank", "natural", 2}, Case{"four_bar", "natural", 3}),
    [](const auto& of) { return std::string(of.param.model); });

TEST(MachineCode, HasTheBitsOfTheInterpreterForAllModels) {
  int num_runs = 0;
  for (const auto& file : std::filesystem::directory_iterator(KOPPEL_MODELS)) {
    if (file.path().extension() != ".yaml") continue;
    const std::string name = file.path().stem().string();
    const Bits bits = compare_bits(name, "", 0.2, Code::Machine);
    num_runs += bits.is_run;
    EXPECT_EQ(bits.difference, "") << name;
  }
  EXPECT_GT(num_runs, 30);
}

}  // namespace
}  // namespace koppel::testing
