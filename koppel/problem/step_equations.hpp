// The equations of motion of a step instead of an instant:
//
//   0 = Φ_k(t, h, c; s₀, s₁),     k = 1, 2, …                                              (1)
//
// between what is known where a step of length h begins at t, s₀, and what is to be found where it
// ends, s₁. Discrete principles of mechanics lead to such equations directly (conserved energy, a
// stationary action), and multistep-like rules to others; c are numbers of the rule. Stage k is
// solved for its own part of s₁, with the parts of the stages before it known; a last part of s₁ is
// given explicitly, s₁ = ψ(t, h, c; s₀, s₁). Jacobians of (1) are exact and sparse.
//
// Unknowns and rows have exponents of h: (h^e_j s_j) are of one size however small the step is, and
// so are the rows h^r_i Φ_i. For positions, velocities and multipliers e = 0, 1, 2, and the matrix
// of Newton's method for
//   q₁ − q₀ = h v,   M (v₁ − v₀) = h f − h Gᵀλ,   g(q₁) = 0
// stays as it is for h → 0, where without them its condition grows as h⁻³ [Yang 2017, section 3.2].
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/problem/residual.hpp>

namespace koppel {

struct StepTerms {
  struct Unknown {
    Expr at_end;
    Expr guess;  // a function of t, h, c and s₀
    int exponent = 0;
  };
  struct Row {
    std::string name;
    Expr value;
    int exponent = 0;
  };
  struct Stage {
    std::vector<Unknown> unknowns;
    std::vector<Row> rows;  // as many
    bool is_linear = false;
  };
  Expr t, h;
  std::vector<Expr> c;
  std::vector<Expr> s0;  // in the order of s₁: the unknowns of all stages, then what is carried
  std::vector<Stage> stages;
  std::vector<Expr> carried;  // ψ
  // What each entry of s is where an integration begins: an entry of the problem's y, an
  // acceleration there or somewhat later, or 0.
  struct Origin {
    enum class Kind { None, Y, Acceleration, LaterAcceleration } kind = Kind::None;
    int index = 0;
  };
  std::vector<Origin> origin;
  // Multipliers in s are means over the step; those of y at its end follow from the state there.
  bool has_mean_multipliers = false;
  Given given;
};

class StepEquations {
 public:
  struct Stage {
    std::size_t first = 0;  // its unknowns in s
    bool is_linear = false;
    std::vector<std::string> names;  // of the rows
    std::vector<int> exponent, row_exponent;
    Sparsity pattern;
    Function F, J;
    std::size_t size() const { return names.size(); }
  };
  struct Workspace {
    std::vector<double> in;  // t, h, c, given, s₀, s₁
    std::vector<koppel::Workspace> F, J;
    koppel::Workspace guess, carried;
  };

  explicit StepEquations(const StepTerms& terms, CompileOptions options = {});

  using Origin = StepTerms::Origin;
  std::size_t size() const { return origin_.size(); }  // of s
  std::size_t num_numbers() const { return num_c_; }
  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<Origin>& origin() const { return origin_; }
  bool has_mean_multipliers() const { return has_mean_multipliers_; }

  Workspace make_workspace(std::span<const double> c) const;
  // Sets t, h and s₀, and s₁ to its guess.
  void begin(double t, double h, std::span<const double> s0, Workspace& work) const noexcept;
  // s₁ as it is now.
  std::span<double> end(Workspace& work) const;
  void evaluate(std::size_t stage, std::span<double> F, Workspace& work) const noexcept;
  void jacobian(std::size_t stage, std::span<double> values, Workspace& work) const noexcept;
  // The explicit part of s₁.
  void carry(Workspace& work) const noexcept;

 private:
  StepEquations(const StepTerms& terms, const std::vector<Expr>& inputs, CompileOptions options);

  std::size_t first_s0() const { return 2 + num_c_ + given_.size(); }
  std::span<const double> inputs(const Workspace& work) const;

  std::size_t num_c_ = 0, num_solved_ = 0;
  std::vector<Stage> stages_;
  std::vector<Origin> origin_;
  bool has_mean_multipliers_ = false;
  std::vector<double> given_;
  Function guess_, carried_;
};

}  // namespace koppel
