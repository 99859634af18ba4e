// Observation: from the state of equations of motion to the columns of a trajectory,
//
//   t | outputs | q | v | x | λ, μ | reactions | kinetic, potential, total energy | |g|, |ġ| |
//   inputs | derivatives of outputs
//
// compiled once. Coordinates that are outputs as well have one column only, among the outputs. The
// multiplier of a constraint that was left out (because it repeats others) is 0: the others carry
// its load.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <koppel/equations/evaluator.hpp>
#include <koppel/model/model.hpp>
#include <koppel/results/derivatives.hpp>
#include <koppel/results/reactions.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

class Observation {
 public:
  struct Workspace {
    std::vector<double> in, values, residuals;
    koppel::Workspace function, constraints;
    std::optional<Derivatives::Workspace> derivatives;
    std::vector<double> derivative_values = {};
  };

  // What is known at a time. Sizes are those of the equations; `multipliers` are λ, then μ, one
  // for every row.
  struct Sample {
    double t = 0;
    std::span<const double> q, v, x, multipliers;
    std::span<const double> u = {};  // inputs; empty: those of the state
  };
  struct Violation {
    double position = 0, velocity = 0;  // the largest |g|, and of |ġ| and |a v + b|
  };

  // State gives the values of parameters and inputs. Reactions (reactions.hpp) on request.
  Observation(const Equations& equations, const Model& model, const State& state,
              ReactionAxes reactions = ReactionAxes::None);

  // Further columns: the time derivatives of outputs; those that have a column already are left
  // out.
  void add_derivatives(Derivatives derivatives);

  // Other values of parameters and inputs from here on. Derivatives keep theirs.
  void set_values(const State& state);
  // Further columns: the inputs.
  void add_inputs(const Equations& equations);

  const std::vector<Column>& columns() const { return columns_; }
  std::size_t num_columns() const { return columns_.size(); }
  Workspace make_workspace() const;
  void evaluate(const Sample& sample, std::span<double> row, Workspace& work) const;
  // Of all constraints, those that repeat others included. Multipliers do not matter.
  Violation violation(const Sample& sample, Workspace& work) const;

  // The columns that hold the coordinates, the velocities (with x behind them), the inputs that
  // were added, and the energies.
  const std::vector<std::size_t>& columns_of_q() const { return column_of_q_; }
  std::size_t first_velocity() const { return first_velocity_; }
  std::size_t first_input() const { return first_input_; }
  std::size_t kinetic_column() const { return energy_column_; }
  std::size_t energy_column() const { return energy_column_ + 2; }
  std::size_t violation_column() const { return energy_column_ + 3; }  // and the next

 private:
  void put(const Sample& sample, Workspace& work) const;

  std::size_t num_g_, num_outputs_, num_reactions_ = 0, num_u_ = 0;
  bool has_inputs_ = false;
  std::vector<double> given_;  // inputs and parameters
  std::vector<Column> columns_;
  std::vector<std::size_t> column_of_q_;
  std::vector<int> q_of_column_;  // for each column of a coordinate
  std::size_t first_velocity_ = 0, energy_column_ = 0, first_input_ = 0;
  Function function_;     // outputs, reactions, kinetic and potential energy
  Function constraints_;  // g, ġ, a v + b
  std::shared_ptr<const Derivatives> derivatives_;
  std::vector<std::size_t> derivative_of_column_;  // the last columns

  Observation(const Equations& equations, const State& state, const std::vector<Expr>& multipliers,
              const std::vector<Reaction>& reactions);
};

}  // namespace koppel
