// The motion of a run as rows of numbers that do not depend on its coordinates.
#pragma once

#include <string>
#include <vector>

#include <koppel/model/model.hpp>

#include "tests/outcomes/judge.hpp"

namespace koppel::testing {

// Columns are outputs of the model: places first, then velocities.
struct Motion {
  std::vector<std::vector<double>> places, velocities;  // by column
  std::size_t num_rows() const;
};

struct Columns {
  std::vector<std::string> places, velocities;
};

struct RunOutcome {
  std::string status;  // of the summary; "refused" with the text of an Error, "slow"
  std::string text;
  Motion motion;
};

// Adds outputs for points of all bodies, or for the free coordinates; and their names.
Columns add_probes(Model& model);

RunOutcome run(const Model& model, const Trial& trial, double end, const Columns& columns,
               double seconds, int rows = 21);

// A model whose gravity (or potential, without bodies) and velocities at the start are slightly
// different.
Model disturbed(const Model& model, double delta);

// The largest difference of columns in common rows; infinite where something is not finite or rows
// are missing.
double distance(const std::vector<std::vector<double>>& a,
                const std::vector<std::vector<double>>& b);

}  // namespace koppel::testing
