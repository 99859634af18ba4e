// An ODE ẏ = φ(t, y), compiled. Part of the rates may be given by a linear system
//
//   A(t, y) z = b(t, y),     ẏ_i = z_k  or  ẏ_i = r_i(t, y)                              (1)
//
// as the accelerations and multipliers of a mechanism are. Formulations that need more than one
// linear system bring a RateFunction of their own. Where a matrix is singular there is no
// right-hand side, and evaluate says so.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/base/lazy.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/graph.hpp>
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

// What a right-hand side is computed with. Belongs to one thread.
struct RateWorkspace {
  virtual ~RateWorkspace() = default;
  std::vector<double> z;             // the solution of the last evaluation: accelerations first
  std::vector<double> moved, rates;  // of differences
};

// A way to compute rates. Evaluation does not allocate.
class RateFunction {
 public:
  virtual ~RateFunction() = default;
  virtual int size() const = 0;
  virtual int num_z() const = 0;
  virtual std::unique_ptr<RateWorkspace> make_workspace() const = 0;
  virtual bool evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                        RateWorkspace& work) const = 0;
  // By differences, in size() + 1 evaluations, where there is nothing better.
  virtual bool jacobian(double t, std::span<const double> y, std::span<double> by_y,
                        RateWorkspace& work) const;
};

// Immutable and cheap to copy.
class RightHandSide {
 public:
  class Workspace {
   public:
    explicit Workspace(std::unique_ptr<RateWorkspace> rates) : rates_(std::move(rates)) {}
    std::span<const double> z() const { return rates_->z; }

   private:
    friend class RightHandSide;
    std::unique_ptr<RateWorkspace> rates_;
  };

  // Rates by (1), with exact derivatives.
  explicit RightHandSide(RightHandSideTerms terms, CompileOptions options = {});
  explicit RightHandSide(std::shared_ptr<const RateFunction> rates) : rates_(std::move(rates)) {}

  int size() const { return rates_->size(); }
  int num_z() const { return rates_->num_z(); }

  Workspace make_workspace() const { return Workspace(rates_->make_workspace()); }
  // False where there are no rates: a matrix is singular or a value is not finite. Afterwards
  // work.z() is z.
  bool evaluate(double t, std::span<const double> y, std::span<double> y_rate,
                Workspace& work) const {
    return rates_->evaluate(t, y, y_rate, *work.rates_);
  }
  // ∂φ/∂y by columns, dense. Calls evaluate.
  bool jacobian(double t, std::span<const double> y, std::span<double> by_y,
                Workspace& work) const {
    return rates_->jacobian(t, y, by_y, *work.rates_);
  }

 private:
  std::shared_ptr<const RateFunction> rates_;
};

}  // namespace koppel
