// Runs of inverse dynamics, and how they are compared and drawn.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/control/inverse.hpp>

#include "benchmarks/validation/figure.hpp"

namespace koppel::problems {

// A crane: a model with settings and, where they are not the default, coordinates.
struct Crane {
  const char* model;
  const char* coordinates = "";
  std::vector<std::pair<std::string, std::string>> set = {};
  // A constraint in another form: its name and expression; none: as in the file.
  std::pair<std::string, std::string> constraint = {};

  Model read() const;
  // `koppel inverse MODEL … --method METHOD --step STEP`; no step: none is said.
  std::string command(const std::string& method, double step = 0) const;
};

// With rows at the nodes of the step; no step: at 501 times. Goes on where references jump.
Inverse solve(const Crane& crane, const std::string& method, double step);

// The largest |a − b| of a column at the times that both have.
double largest_error(const Trajectory& a, const Trajectory& b, const std::string& name);

// Of several columns, in one text.
std::string errors_text(const Trajectory& exact, const Trajectory& stepped,
                        const std::vector<std::string>& names);

benchmarks::Line line_of(const std::string& name, const Trajectory& trajectory,
                         const std::string& column);

// All columns of a trajectory, whole lines.
void add_exact(benchmarks::Figure& figure, const Trajectory& trajectory,
               const std::vector<std::string>& columns);
// The same columns by steps, dashed or dotted in the same colours, one name for all of them.
void add_stepped(benchmarks::Figure& figure, const Trajectory& trajectory,
                 const std::vector<std::string>& columns, const std::string& name, bool is_dotted);

std::vector<std::string> names_with(const Trajectory& trajectory, const std::string& prefix);

}  // namespace koppel::problems
