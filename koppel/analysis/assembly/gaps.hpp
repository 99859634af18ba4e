// What cannot be assembled, in words. For sources of this folder only.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/assembly/assembly.hpp>

namespace koppel {

Gap gap_of(const Equations::Row& row, double size);
Gap initial_gap(std::string name, double size);

// Of equations that stay open, the largest first; at least one.
std::string explain_gaps(const std::vector<Gap>& gaps);

// Of an initial value that the constraints, with those before it, do not leave free.
std::string explain_initial(const Gap& gap);

}  // namespace koppel
