// Formulations: each makes a Problem of Equations. With the descriptor form
//   q̇ = K v,   M v̇ = f − Gᵀλ − aᵀμ,   0 = g,   0 = a v + b,   ẋ = r                       (1)
// they differ in the constraint that is stated to the integrator:
//
//   index3     0 = g                                            residual, series
//   index2     0 = ġ = G v + g_t                                residual
//   index1     0 = g̈ = G v̇ + γ                                  residual, right-hand side
//   baumgarte  0 = g̈ + 2α ġ + β² g                              residual, right-hand side
//   baumgarte2 0 = ġ + α g                                      residual
//   ggl        0 = g and 0 = ġ, with q̇ = K (v − Gᵀη)            residual
//   minimal    there are no constraints                         residual, right-hand side, series
//   implicit   index1 with accelerations as unknowns            residual, right-hand side
//   regularized  0 = ġ + α g − ε (λ − λ of the step before)     descriptor
//
// (all but index3 and implicit as descriptors too, for steps of fixed cost,)
//
// or in how the rates follow from it by numeric algebra (reduction.hpp), all right-hand sides:
//
//   explicit              M inverted, then multipliers, then accelerations
//   partition             some velocities are independent and give the others
//   qr, svd               the same with the best linear combinations of velocities
//   penalty               forces κ (g̈ + 2α ġ + β² g), κ large, in the place of multipliers
//   augmented-lagrangian  the same, corrected until they are the multipliers
//
// `explicit`, `implicit`, partition, qr, svd: [Kurz, Burkhardt & Eberhard 2011]; the last two:
// [Bayo & Ledesma 1996], with feedback as in baumgarte. A partition is by pivoting, or by name:
// `partition:x`, `partition:crank.angle+rod.angle`.
//
// Nonholonomic constraints have one derivative less to take: 0 = a v + b in index2, index3 and ggl,
// its rate in index1, and rate + α (a v + b) in baumgarte. Constraints that repeat others are left
// out together with their multipliers. Baumgarte's α and β: [Baumgarte 1972]; ggl: [Gear, Gupta &
// Leimkuhler 1985]; regularized: sequential regularisation of order 1 [Ascher & Lin 1997].
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

struct FormulationInfo {
  std::string_view name;
  std::string_view description;
};
std::span<const FormulationInfo> formulations();

// "partition:x+y" is the formulation `partition` with independent coordinates x and y.
struct FormulationName {
  std::string base;
  std::vector<std::string> independent;
};
FormulationName split_name(std::string_view formulation);

// Throws Error `formulation.unknown`, with a suggestion.
void check_formulation(std::string_view formulation);

struct FormulationOptions {
  // Baumgarte's parameters, 1/s: errors decay with them. They must not be stiff for the step; 0:
  // 10/s, whatever the step, where none is given, else 0.2/step.
  double alpha = 0, beta = 0;
  double step = 0;
  // The factor of penalties relative to the masses; 0: 1e7, and 1e5 where they are corrected.
  double penalty = 0;
  std::vector<int> leave_out;  // rows of [g; a] that repeat others
  CompileOptions compile = {};
};

// Throws Error `formulation.unknown`, `formulation.has-constraints` (minimal),
// `formulation.unknown-coordinate` and `formulation.wrong-number` (partition),
// `formulation.singular-mass` (explicit, where the state is complete).
// State gives the values of parameters and inputs.
Problem formulate(const Shared<Equations>& equations, std::string_view formulation,
                  const State& state, const FormulationOptions& options = {});

// y of a problem at a consistent state: with multipliers from the equations of motion.
std::vector<double> start_values(const Problem& problem, const Evaluator& evaluator,
                                 const State& state);

}  // namespace koppel
