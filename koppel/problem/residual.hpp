// A DAE as a residual F(t, y, ẏ) = 0 with exact sparse Jacobians, compiled.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/text/print.hpp>
#include <koppel/problem/given.hpp>

namespace koppel {

struct ResidualTerms {
  Expr t;
  std::vector<Expr> y, y_rate;
  std::vector<NamedExpr> F;
  Given given;
  // For each unknown: 0 where its rate occurs; else the index of the DAE seen from it, 1 for
  // variables that F determines, 2 and 3 for those that F′ and F″ do. Errors of such a variable
  // are scaled by the step to the power index − 1 [Hairer & Wanner 1996, section VII.4].
  std::vector<int> index;
};

class Residual {
 public:
  struct Workspace {
    std::vector<double> in;  // t, y, ẏ, given
    koppel::Workspace F, J;
    std::vector<double> values;  // of both Jacobians
  };

  explicit Residual(const ResidualTerms& terms, CompileOptions options = {});

  int size() const { return static_cast<int>(names_.size()); }
  const std::vector<std::string>& names() const { return names_; }  // of the equations
  const std::vector<int>& index() const { return index_; }
  // The pattern of ∂F/∂y and of ∂F/∂ẏ: one for both.
  const Sparsity& pattern() const { return pattern_; }

  Workspace make_workspace() const;
  void evaluate(double t, std::span<const double> y, std::span<const double> y_rate,
                std::span<double> F, Workspace& work) const noexcept;
  // Values on pattern().
  void jacobian(double t, std::span<const double> y, std::span<const double> y_rate,
                std::span<double> by_y, std::span<double> by_y_rate,
                Workspace& work) const noexcept;

 private:
  void put(double t, std::span<const double> y, std::span<const double> y_rate,
           Workspace& work) const noexcept;

  std::vector<std::string> names_;
  std::vector<int> index_;
  std::vector<double> given_;
  Sparsity pattern_;
  Function F_, J_;
  // Where the values of the two Jacobians belong in the pattern.
  std::vector<int> place_of_y_, place_of_rate_;
};

}  // namespace koppel
