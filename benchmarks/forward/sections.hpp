// The parts of forward_benchmark.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/model/model.hpp>

namespace koppel::benchmarks {

void report_loops();    // slider crank, four-bars, Andrews, Bricard
void report_trees();    // chains
void report_sizes();    // cost against size, memory, set-up
void report_program();  // the mechanisms of the thesis, the command line

Model built_in(const std::string& name,
               const std::vector<std::pair<std::string, std::string>>& set = {});
// The last row of a reference trajectory.
std::vector<double> reference_end(const std::string& name, const std::vector<std::string>& columns);

}  // namespace koppel::benchmarks
