// Verification of inputs: the mechanism is simulated forward with them, from the state that the
// inverse solution begins with, and its outputs are compared with their references. Nothing of the
// inverse solution but its inputs and its first state enters.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/rank/rank.hpp>
#include <koppel/control/servo/flat.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// Inputs as piecewise polynomials: coefficients[i][n][k] of (t − knots[n])ᵏ for input i.
struct InputPieces {
  std::vector<double> knots;
  std::vector<std::vector<std::vector<double>>> coefficients;
};

// The Taylor polynomials of a flat solution, each as long as its last term is below round-off; from
// where the solution is to `end`. Empty where the solution fails on the way.
InputPieces pieces_of(FlatSolution& solution, int num_inputs, std::span<const double> breakpoints,
                      double end);

// Cubic splines through given values; by input and time.
InputPieces splines_through(std::span<const double> times,
                            const std::vector<std::vector<double>>& values);

// They as expressions of time.
std::vector<Expr> as_expressions(const Equations& equations, const InputPieces& pieces);

// The equations with expressions of t, q, v and x in the place of the inputs.
Equations with_inputs(const Equations& equations, const std::vector<Expr>& inputs);

struct Verification {
  bool is_done = false;
  std::string text;         // why not
  bool is_possible = true;  // whether there is a forward simulation at all
  double reached = 0;
  double max_error = 0;    // the largest |s − y_d|, as a vector of all outputs
  double at = 0;           // when
  double end_error = 0;    // where it ends
  double path_length = 0;  // of the references
  double relative_error = 0;

  // The verdict on inputs: simulated to the end with a relative error within the bound.
  bool is_verified = false;
  double bound = 0;
  double growth = 0;  // of small deviations (growth.hpp), where inputs are not verified; else 0
  double growth_at = 0;
  std::string advice;  // what would make them more accurate, as a sentence

  // "simulated with these inputs, …"
  std::string describe() const;
  // Why the inputs are not verified.
  std::string reason() const;
};

// Deviations that grow more than this make a mechanism unstable along a motion.
inline constexpr double kUnstable = 1000;

// Of the references, as a polygon of 500 parts.
double path_length(const Equations& equations, std::span<const double> p, double from, double to);

// From `start` (consistent; its u is left aside) to `end`, with inputs as for with_inputs.
// `nominal` are the parameters that the references are taken with; the mechanism has those of the
// start.
Verification verify(const Model& model, const Equations& equations, const RankReport& rank,
                    const State& start, const std::vector<Expr>& inputs,
                    std::span<const double> nominal, double end, double tolerance = 1e-11);

}  // namespace koppel
