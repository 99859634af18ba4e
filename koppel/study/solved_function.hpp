// Expressions of a state and of what a linear system gives at it, with their exact first
// derivatives in both directions.
//
//   A(t, y, p) z = b(t, y, p),     o = R(t, y, z, p)                                        (1)
//
// as the rates of a mechanism are, with z its accelerations and multipliers. A change (δy, δp)
// makes, with ρ = b − A z at fixed z,
//
//   A δz = ρ_y δy + ρ_p δp,     δo = R_y δy + R_z δz + R_p δp                               (2)
//
// and weights w of o go back by the transposed equations,
//
//   Aᵀμ = R_zᵀw,     w_y = R_yᵀw + ρ_yᵀμ,     w_p = R_pᵀw + ρ_pᵀμ.                          (3)
//
// One factorisation serves all of them. Nothing is allocated after the workspace is made. What
// points add up to for w_p are sums (weight_sums.hpp), which are spread over p at the end.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include <koppel/problem/right_hand_side.hpp>
#include <koppel/study/transposed.hpp>
#include <koppel/study/weight_sums.hpp>

namespace koppel {

// Immutable; any number of threads may use one.
class SolvedFunction {
 public:
  // The system of `terms`, whose rates do not matter, and R in terms of its t, y and given symbols
  // and of solution_symbols(terms). Where R does not need z, nothing is solved.
  SolvedFunction(const RightHandSideTerms& terms, std::span<const Expr> R,
                 CompileOptions options = {});

  std::size_t num_y() const { return num_y_; }
  std::size_t num_given() const { return num_given_; }
  std::size_t size() const { return num_out_; }

  // At one point. Belongs to one thread.
  struct Workspace {
    std::vector<double> in;  // t, y, given, z, then δy, δp, δz or w, μ
    std::vector<double> values, z, dz, mu, cotangent;
    koppel::Workspace system, outputs, forward, forward_outputs, weights, backward;
    std::optional<LinearSolver<double>> solver, transposed;
    std::vector<double> transposed_values;
    bool is_transposed_factored = false;
  };
  Workspace make_workspace() const;

  // Parameters and inputs, which stay until others are taken: there may be many, and many points.
  void take(std::span<const double> given, Workspace& work) const;
  // False where the matrix is singular or a value is not finite. The workspace is at this point
  // from here on.
  bool evaluate(double t, std::span<const double> y, std::span<double> out, Workspace& work) const;
  bool evaluate(double t, std::span<const double> y, std::span<const double> given,
                std::span<double> out, Workspace& work) const {
    take(given, work);
    return evaluate(t, y, out, work);
  }
  // (2) there.
  void tangent(std::span<const double> dy, std::span<const double> dgiven, std::span<double> dout,
               Workspace& work) const;
  // Adds (3) there to w_y and to sums of w_p. False where Aᵀ cannot be factorised.
  bool adjoint(std::span<const double> w, std::span<double> w_y, std::span<double> sums,
               Workspace& work) const;
  std::size_t num_sums() const { return sums_.size(); }
  // Adds sums to what they are sums for.
  void spread(std::span<const double> sums, std::span<double> w_given) const {
    sums_.spread(sums, w_given);
  }

 private:
  struct Parts;
  SolvedFunction(const RightHandSideTerms& terms, const Parts& parts, CompileOptions options);

  std::size_t num_y_, num_given_, num_out_, num_z_;
  WeightSums sums_;
  Sparsity A_;
  Transposed transposed_;
  bool is_symmetric_ = false;
  Function system_;           // of t, y, given: b, A
  Function outputs_;          // of t, y, given, z: R
  Function forward_;          // and of δy, δp: ρ_y δy + ρ_p δp
  Function forward_outputs_;  // and of δz: δo
  Function weights_;          // of t, y, given, z, w: R_zᵀw
  Function backward_;         // and of μ: (3), with the sums for w_p
};

// The symbols of z.
std::vector<Expr> solution_symbols(const RightHandSideTerms& terms);

// The rates themselves as R.
std::vector<Expr> rates_of(const RightHandSideTerms& terms);

}  // namespace koppel
