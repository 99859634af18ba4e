// What evaluated the equations of a run, and why, stands in its summary.
#include <koppel/simulate/code_report.hpp>

#include <chrono>

#include <gtest/gtest.h>

#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using koppel::testing::ScopedEnvironment;

TEST(CodeReport, NamesWhatWasUsed) {
  const ScopedEnvironment policy("KOPPEL_NATIVE", "auto");
  const CodeTaken before = code_taken_so_far();
  EXPECT_EQ(describe_code(Native::Auto, before, "").why, "nothing was evaluated in a loop");
  note_interpreted(10);
  Summary::Code code = describe_code(Native::Auto, before, "");
  EXPECT_EQ(code.taken, "interpreter");
  EXPECT_EQ(code.interpreted, 10);
  EXPECT_EQ(describe_code(Native::Off, before, "").why, "off was asked for");
  EXPECT_EQ(describe_code(Native::Auto, before, "no memory").why, "no memory");
  note_generated(7, std::chrono::steady_clock::now());
  code = describe_code(Native::Auto, before, "");
  EXPECT_EQ(code.asked, "auto");
  EXPECT_EQ(code.taken, "jit");
  EXPECT_EQ(code.generated, 7);
  note_compiled(3);
  EXPECT_EQ(describe_code(Native::Cc, before, "").taken, "cc");
}

TEST(CodeReport, StandsInTheSummaryOfARun) {
  const Model model = read_model(std::string(KOPPEL_MODELS) + "slider_crank.yaml");
  for (const char* policy : {"jit", "off"}) {
    const ScopedEnvironment environment("KOPPEL_NATIVE", policy);
    SimulateOptions options = options_of(model);
    options.end = 0.1;
    const Summary::Code code = simulate(model, options).summary.native;
    EXPECT_EQ(code.taken, policy == std::string("jit") ? "jit" : "interpreter");
    EXPECT_EQ(code.why, std::string("KOPPEL_NATIVE is ") + policy);
    EXPECT_GT(policy == std::string("jit") ? code.generated : code.interpreted, 0);
  }
}

}  // namespace
}  // namespace koppel
