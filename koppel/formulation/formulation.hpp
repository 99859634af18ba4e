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
//
// (all but index3 and implicit with steps of fixed cost too,)
//
// or in how the rates follow from it by numeric algebra (reduction.hpp), all right-hand sides:
//
//   explicit   M inverted, then multipliers, then accelerations
//   partition  some velocities are independent and give the others
//   qr, svd    the same with the best linear combinations of velocities
//
// `explicit`, `implicit`, partition, qr, svd: [Kurz, Burkhardt & Eberhard 2011]. A partition is
// by pivoting, or by name: `partition:x`, `partition:crank.angle+rod.angle`.
//
// Nonholonomic constraints have one derivative less to take: 0 = a v + b in index2, index3 and ggl,
// its rate in index1, and rate + α (a v + b) in baumgarte. Constraints that repeat others must have
// been left out (equations/leave_out.hpp). Baumgarte's α and β: [Baumgarte 1972]; ggl: [Gear, Gupta
// & Leimkuhler 1985].
#pragma once

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

class Reduction;

// A row of the table of formulations.
struct FormulationInfo {
  std::string_view name;
  std::string_view description;
  enum class States { Positions, Velocities, Accelerations };
  States states = States::Accelerations;  // of the constraints, to the integrator
  bool has_feedback = false;              // of errors of constraints, Baumgarte's terms
  bool closes_positions = false;          // positions are stated too, with multipliers η
  bool has_accelerations = false;         // as unknowns of their own
  bool is_free = false;                   // there are no constraints
  // Rates by numeric algebra: what makes it, of the independent velocities.
  std::unique_ptr<Reduction> (*reduce)(const std::vector<int>& independent) = nullptr;
  bool inverts_mass = false;  // the mass matrix must be regular

  bool has_residual() const { return reduce == nullptr; }
  bool has_fixed_cost() const {
    return reduce == nullptr && states != States::Positions && !has_accelerations;
  }
};
std::span<const FormulationInfo> formulations();

// A constraint that is stated in another way than the rest: the name of a joint or constraint, or
// of one row.
struct FormulationPart {
  std::string of;
  const FormulationInfo* info = nullptr;

  bool operator==(const FormulationPart&) const = default;
};

// A formulation with its options, as a value: what "index3" or "partition:x+y" says. Text is read
// where it is made, once.
class Formulation {
 public:
  Formulation() = default;  // open: to be chosen, as "" and "auto" say
  // Throws Error `formulation.unknown`, with a suggestion.
  template <std::convertible_to<std::string_view> Text>
  Formulation(const Text& text) {  // NOLINT(google-explicit-constructor)
    read(text);
  }

  bool is_open() const { return info_ == nullptr; }
  const FormulationInfo& info() const;  // of one that is not open
  std::string text() const;             // empty where it is open

  std::vector<std::string> independent;  // the coordinates of a partition; none: by pivoting
  std::vector<FormulationPart> parts;    // of a partially reduced form: index1:guide=index3

  bool operator==(const Formulation&) const = default;

 private:
  void read(std::string_view text);

  const FormulationInfo* info_ = nullptr;
};

struct FormulationOptions {
  // Baumgarte's parameters, 1/s: errors decay with them. They must not be stiff for the step; 0:
  // 10/s, whatever the step, where none is given, else 0.2/step.
  double alpha = 0, beta = 0;
  double step = 0;
  CompileOptions compile = {};
};

// Throws Error `formulation.has-constraints` (minimal),
// `formulation.unknown-coordinate` and `formulation.wrong-number` (partition),
// `formulation.singular-mass` (explicit, where the state is complete).
// State gives the values of parameters and inputs.
Problem formulate(const Shared<Equations>& equations, const Formulation& formulation,
                  const State& state, const FormulationOptions& options = {});

// y of a problem at a consistent state: with multipliers from the equations of motion.
std::vector<double> start_values(const Problem& problem, const Evaluator& evaluator,
                                 const State& state);

}  // namespace koppel
