// An ODE ẏ = φ(t, y), compiled. Part of the rates may be given by a linear system
//
//   A(t, y) z = b(t, y),     ẏ_i = z_k  or  ẏ_i = r_i(t, y)                              (1)
//
// as the accelerations and multipliers of a mechanism are. Where the system is singular there is no
// right-hand side, and evaluate says so.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/calculus.hpp>
#include <koppel/expr/function.hpp>
#include <koppel/expr/graph.hpp>
#include <koppel/problem/lazy.hpp>
#include <koppel/problem/linear_solver.hpp>
#include <koppel/problem/residual.hpp>

namespace koppel {

struct RightHandSideTerms {
  Expr t;
  std::vector<Expr> y;
  std::vector<Expr> rate;  // r_i; of no meaning where z_of[i] ≥ 0
  std::vector<int> z_of;   // for each y_i the z that is its rate, −1: none
  SparseExpr A;            // square; empty: no linear system
  std::vector<Expr> b;
  Given given;
  std::shared_ptr<Graph> graph;  // kept, because derivatives are made when they are first needed
};

class RightHandSide {
 public:
  struct Workspace {
    std::vector<double> in;  // t, y, z, given
    koppel::Workspace terms, derivatives;
    std::vector<double> values;    // rates, b, A
    std::vector<double> jacobian;  // of (A z − b) and r by y
    std::vector<double> z, column;
    LinearSolver<double> solver;
  };

  explicit RightHandSide(RightHandSideTerms terms, CompileOptions options = {});

  int size() const { return static_cast<int>(z_of_.size()); }
  int num_z() const { return num_z_; }

  Workspace make_workspace() const;
  // False where A is singular or a value is not finite. Afterwards work.z is z.
  bool evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                Workspace& work) const;
  // ∂φ/∂y by columns, dense: from A ∂z/∂y = −∂(A z − b)/∂y at fixed z. Calls evaluate.
  bool jacobian(double t, std::span<const double> y, std::span<double> by_y, Workspace& work) const;

 private:
  std::vector<int> z_of_;
  int num_z_ = 0;
  std::vector<double> given_;
  Sparsity A_;
  Function terms_;
  struct Derivatives;
  Lazy<Derivatives> derivatives_;  // few integrators need them
};

}  // namespace koppel
