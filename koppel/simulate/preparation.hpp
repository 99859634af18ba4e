// From a model to a problem and its start: coordinates, equations, the consistent start, ranks, the
// choice of formulation and integrator, the problem with its breakpoints. Throws Error for what is
// wrong with the model or the options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <koppel/simulate/assembled_model.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/simulate/singular_start.hpp>

namespace koppel {

// With which a run formulates its problem.
FormulationOptions formulation_options(const SimulateOptions& run);

class Preparation : public AssembledModel {
 public:
  // References to the model and the options are kept.
  Preparation(const Model& model, const SimulateOptions& options,
              std::function<void(std::string)> tell);

  void run();
  // Again from the state as it is now: with other parameters, or other rows left out.
  void make_problem();
  // What fixed-cost steps of the problem are made of.
  Descriptor descriptor() const;

  std::vector<std::string> redundant;  // the rows that are left out, by name
  std::optional<Departure> departure;  // from a singular start
  Findings found;
  Choice choice;
  Problem problem;
  Start start;
  std::vector<Jump> jumps;       // of what is prescribed, over the whole run
  std::vector<double> impulses;  // the times of those that fixed-cost steps pass

 private:
  void look_at(const std::string& coordinates);
  void leave_singular();
  void make_choice(const Wanted& wanted);
  void add_breakpoints();
  void leave_jumps_to_ticks();
  void choose_partition();

  const Model& model_;
  const SimulateOptions& options_;
  std::function<void(std::string)> tell_;
};

}  // namespace koppel
