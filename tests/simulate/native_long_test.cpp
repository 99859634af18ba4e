#include <filesystem>

#include <gtest/gtest.h>

#include <koppel/equations/derive.hpp>

#include "tests/simulate/same_bits.hpp"

namespace koppel::testing {
namespace {

TEST(NativeRuns, HaveTheBitsOfTheInterpreterForAllModelsInAllCoordinates) {
  int num_runs = 0;
  for (const auto& file : std::filesystem::directory_iterator(KOPPEL_MODELS)) {
    if (file.path().extension() != ".yaml") continue;
    const std::string name = file.path().stem().string();
    for (const std::string& set : coordinate_sets(read_model(file.path().string()))) {
      for (const Code code : {Code::Machine, Code::Compiled}) {
        const Bits bits = compare_bits(name, set, 0.5, code);
        num_runs += bits.is_run;
        EXPECT_EQ(bits.difference, "") << name << " in " << set << " coordinates";
      }
    }
  }
  EXPECT_GT(num_runs, 120);
}

}  // namespace
}  // namespace koppel::testing
