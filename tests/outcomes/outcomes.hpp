// One test for each mechanism: no third outcome beside right and refused.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "tests/outcomes/judge.hpp"

namespace koppel::testing {

// Judges a mechanism, prints a line about it and fails for every run that is neither right nor
// refused, and is not known; their models are left in a folder of temporary files, with the
// commands to repeat them.
void expect_no_third_outcome(const Mechanism& mechanism, const Plan& plan);

// All built-in models, up to a time that suits a test.
std::vector<Mechanism> built_in_mechanisms();

// As a name of a test: letters and digits only.
std::string test_name(const ::testing::TestParamInfo<Mechanism>& info);

}  // namespace koppel::testing
