// What evaluated the equations of a run, and why: for its summary.
#pragma once

#include <string>

#include <koppel/expr/code/native.hpp>
#include <koppel/results/summary.hpp>

namespace koppel {

// `before`: code_taken_so_far() at the start of the run, in the same thread; `failure`: what
// take_native_failure() told about it.
Summary::Code describe_code(Native asked, const CodeTaken& before, const std::string& failure);

}  // namespace koppel
