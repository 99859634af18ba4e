// By what inputs are measured where there are more of them than outputs: Σ (u_i/w_i)² is least.
#pragma once

#include <vector>

#include <koppel/equations/equations.hpp>

namespace koppel {

// w_i is the larger one of |min| and |max| where an input has such limits; else the largest of all
// inputs, or 1.
std::vector<double> input_weights(const Equations& equations);

}  // namespace koppel
