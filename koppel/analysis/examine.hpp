// All that can be said about equations before they are simulated: a consistent start, the freedoms
// there, redundant constraints, and the index. What `koppel check` shows.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/equations.hpp>

namespace koppel {

struct IndexReport {
  int index = -1;     // −1: not found
  int num_free = -1;  // values that may be chosen at the start; of a servo problem: the order of
                      // its internal dynamics
  // How it was found: by structure, confirmed by a regular system Jacobian; by ranks, where the
  // structure deceives; or by structure alone.
  enum class Evidence { Structure, Ranks, StructureOnly } evidence = Evidence::StructureOnly;
  std::string problem;  // in words, where the equations are structurally singular
};

struct Examination {
  Assembly start;
  RankReport rank;
  std::string singular;  // in words, with its branches, where the start is singular
  // Velocities of motions that no constraint forbids and that move no mass: nothing determines
  // their accelerations. Empty: there are none.
  std::vector<std::string> massless;
  IndexReport forward;               // inputs given
  std::optional<IndexReport> servo;  // inputs unknown, where the model has servo constraints
};

// Why there is no start, in words: what the assembly says, and the dead point that it is at.
std::string explain_failed_start(const Model& model, const Assembly& failed);
// The same as a mistake, with what it is about.
Diagnostic mistake_of_failed_start(const Model& model, const Assembly& failed);

// The placement is that of the bodies in these coordinates.
Examination examine(const Shared<Equations>& equations, const Placement& placement = {});

}  // namespace koppel
