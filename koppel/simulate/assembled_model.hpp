// A model in its coordinates, at its assembled start: what every computation on it begins with,
// forward or inverse.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

class AssembledModel {
 public:
  // Derives the equations, compiles them, finds the consistent start and the rank of the
  // constraints there. Throws Error `assembly.impossible`.
  void assemble(const Model& model, const std::string& coordinates);

  std::size_t num_rows() const { return equations->num_rows(); }

  // Does it, and keeps how long it took.
  template <typename Work>
  void stage(const char* name, Work&& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    if (stages.empty() || stages.back().name != name) stages.push_back({name, 0});
    stages.back().seconds += took.count();
  }

  // Leaves out the rows that repeat others at this rank.
  void take(RankReport rank);

  Shared<Equations> equations;
  std::optional<Evaluator> evaluator;
  State state;  // consistent
  RankReport rank;
  Shared<Equations> independent;   // without redundant rows: what problems are made of
  std::vector<std::string> notes;  // about the start
  std::vector<Stage> stages;       // where the time went

 private:
  void find_start(const Model& model);
};

}  // namespace koppel
