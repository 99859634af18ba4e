// Properties checked by rapidcheck with a fixed seed, so that every run checks the same cases.
//
//   check_property([](std::uint64_t seed, int size) { … RC_ASSERT(…); });
#pragma once

#include <cstdint>
#include <sstream>
#include <utility>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/detail/TestListenerAdapter.h>

namespace koppel::testing {

struct PropertyOptions {
  int num_cases = 10'000;
  int max_size = 60;
  std::uint64_t seed = 1;
};

// Calls the property with a random 64-bit seed, for an engine of its own, and a size from 0 to
// max_size, which is made smaller when the property fails.
template <typename Property>
void check_property(Property property, const PropertyOptions& options = {}) {
  const auto seeds =
      rc::gen::noShrink(rc::gen::resize(rc::kNominalSize, rc::gen::arbitrary<std::uint64_t>()));
  const auto sizes = rc::gen::resize(rc::kNominalSize, rc::gen::inRange(0, options.max_size + 1));
  const auto testable = [&] {
    const std::uint64_t seed = *seeds;
    property(seed, *sizes);
  };
  rc::detail::TestParams parameters;
  parameters.seed = options.seed;
  parameters.maxSuccess = options.num_cases;
  rc::detail::TestListenerAdapter silent;
  const auto result =
      rc::detail::checkTestable(testable, rc::detail::TestMetadata{}, parameters, silent,
                                std::unordered_map<std::string, rc::detail::Reproduce>{});
  std::ostringstream message;
  rc::detail::printResultMessage(result, message);
  EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
}

}  // namespace koppel::testing
