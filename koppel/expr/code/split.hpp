// A program in two parts: what depends on some inputs only, to be computed once while these do not
// change, and the rest. Parameters of a model and its step are such inputs.
#pragma once

#include <functional>

#include <koppel/expr/code/program.hpp>

namespace koppel {

struct SplitProgram {
  Program prepare;  // of the static inputs → values that the rest reads
  Program rest;     // of the other inputs, then those values → the outputs
};

// Every instruction stands in one of the parts, in the order of the program: the same operations,
// and so the same bits. Static inputs that the rest reads are passed through `prepare`. Time O(n).
SplitProgram split(const Program& program, const std::function<bool(std::size_t)>& is_static_input);

}  // namespace koppel
