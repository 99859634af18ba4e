// What to simulate a model with, where the user leaves it open: coordinates, formulation and
// integrator from what the analysis finds.
//
//   model                                    coordinates  formulation  integrator
//   a small tree in the plane                joint        minimal      taylor
//   a tree in space, or of over 60 bodies    joint        minimal      dop853
//     with further constraints               joint        index1       dop853
//   any other, smooth                        natural      index3       taylor
//     a tree with constraints on turns       joint        index3       taylor
//   not smooth in the state                  the same     index1       dop853
//   stiff, or without regular series         natural      ggl          radau5
//   stiff, a tree                            joint        minimal      radau5
//
// Quadratic constraints and a constant mass matrix make natural coordinates the fastest for series
// but for the smallest trees, and for parts that spin many turns. Functions of the state with
// corners (tables, select, abs, min, max) have no series across them. Stiff: some motion dies away
// much faster than the mechanism moves.
#pragma once

#include <optional>
#include <string>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/model/model.hpp>
#include <koppel/simulate/method.hpp>

namespace koppel {

// What the user asks for.
struct Wanted : Method {
  bool reactions = false;  // of all joints: no coordinates that satisfy joints by themselves
};

struct Choice : Method {
  std::string reason;  // in a line, for what was chosen here; empty when nothing was
};

std::string choose_coordinates(const Model& model, const Wanted& wanted);

struct Findings {
  bool has_constraints = false;
  bool is_smooth = true;      // as functions of the state
  std::string rough;          // the operation that is not
  bool is_determined = true;  // the equations give all accelerations
  bool has_series = true;     // structure and system Jacobian are regular
  bool is_stiff = false;
  double fastest_decay = 0;   // 1/s, at the start
  int index = -1;             // by structure
  bool suits_rates = false;   // a tree in space or a large one, in joint coordinates
  std::string tree;           // which of the two, in words
  bool counts_turns = false;  // by constraints
};

// At an assembled start, for a run up to `end`.
Findings find_out(const Model& model, const Evaluator& evaluator, const State& start,
                  const RankReport& rank, double end);

// Other coordinates that suit better, now that more is known; only where the choice is free.
std::optional<std::string> better_coordinates(const Model& model, const std::string& coordinates,
                                              const Wanted& wanted, const Findings& found);

Choice choose(const Findings& findings, const std::string& coordinates, const Wanted& wanted);

// Throws Error `simulate.wrong-pair`, with the pairs that make sense, where the integrator cannot
// take the problem that the formulation made; and `simulate.wrong-step` where it needs a step and
// none is given, or the other way round.
void check_pair(const Problem& problem, const Integrator& integrator, bool has_step,
                const Shared<Equations>& equations, const State& state);

}  // namespace koppel
