// From a model to a problem and its start: coordinates, equations, the consistent start, ranks, the
// choice of formulation and integrator, the problem with its breakpoints. Throws Error for what is
// wrong with the model or the options.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/simulate/singular_start.hpp>

namespace koppel {

class Preparation {
 public:
  // References to the model and the options are kept.
  Preparation(const Model& model, const SimulateOptions& options,
              std::function<void(std::string)> tell);

  void run();
  // Again from the state as it is now: with other parameters, or other rows left out.
  void make_problem();

  Shared<Equations> equations;
  std::optional<Evaluator> evaluator;
  State state;  // consistent
  RankReport rank;
  std::vector<std::string> redundant;  // the rows that are left out, by name
  std::optional<Departure> departure;  // from a singular start
  Findings found;
  Choice choice;
  Problem problem;
  Start start;
  std::vector<Jump> jumps;    // of what is prescribed, over the whole run
  std::vector<Stage> stages;  // where the time went

 private:
  template <typename Work>
  void stage(const char* name, Work&& work);
  void look_at(const std::string& coordinates);
  void find_start();
  void find_rank();
  void make_choice(const Wanted& wanted);
  void add_breakpoints();
  void leave_jumps_to_ticks();
  void choose_partition();

  const Model& model_;
  const SimulateOptions& options_;
  std::function<void(std::string)> tell_;
  std::vector<std::string> notes_;  // about the start
};

}  // namespace koppel
