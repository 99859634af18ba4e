// Which force has no finite value where a run failed, and why: most often a spring or a distance
// whose ends coincide, which has no direction there.
#pragma once

#include <string>

#include <koppel/equations/evaluator.hpp>

namespace koppel {

// A sentence about the first such force; empty: all are finite.
std::string describe_undefined_force(const Equations& equations, const State& reached);

}  // namespace koppel
