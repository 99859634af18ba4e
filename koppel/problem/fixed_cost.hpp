// Steps of fixed cost: the whole step, linear algebra and projection included, is straight-line
// code,
//
//   (q, v, x, λ, η)₁ = Ψ(t, h, q, v, x, λ, u, p),                                          (1)
//
// compiled for the options of a rule. The rules and their equations are in
// formulation/fixed_cost/.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/code/function.hpp>

namespace koppel {

struct FixedCostOptions {
  enum class Rule { Euler, Rosenbrock, Rattle } rule = Rule::Euler;
  // Of Euler's rule (euler_step.hpp).
  enum class Jacobian { None, J1, J2, J3, Exact } jacobian = Jacobian::Exact;
  enum class Updates {
    PositionsFirst,
    VelocitiesFirst,
    NewPositions
  } updates = Updates::PositionsFirst;
  std::string stiff;  // the partition of the Jacobian (stiff_parts.hpp); empty: the model's, or all
  bool projects = true;
  int corrections = 1;          // of rattle's positions (rattle_step.hpp)
  bool with_projector = false;  // FixedCostTerms::projector is wanted

  int order() const { return rule == Rule::Euler ? 1 : 2; }
  auto operator<=>(const FixedCostOptions&) const = default;
};
inline constexpr std::size_t kNumFixedCostRules = 3;

// (1) as expressions.
struct FixedCostTerms {
  std::vector<Expr> inputs;           // t, h, q, v, x, λ, u, p
  std::vector<Expr> q, v, x, lambda;  // after the step; λ of all rows that are kept
  std::vector<Expr> eta;              // of projected positions, over h
  std::vector<Expr> pivots;           // of the first matrix
  std::vector<Expr> check;            // a solution of the first system that should be 1
  std::vector<Expr> projector;        // columns of the map from g to the correction of q
  std::vector<std::size_t> held;      // places among x: chosen by the step, and constant during it
  int num_factorizations = 0;
};

// Compiled, for any number of threads.
class FixedCostStep {
 public:
  struct Workspace {
    std::vector<double> in, out;
    koppel::Workspace function;
  };

  // Values of u and p.
  FixedCostStep(const FixedCostTerms& terms, std::span<const double> u, std::span<const double> p,
                CompileOptions options);

  Workspace make_workspace() const;
  // Inputs of the steps that follow; until then, those of the problem.
  void set_inputs(std::span<const double> u, Workspace& work) const noexcept;
  // y = (q, v, x, λ, μ, η) at t becomes that at t + h; η, where the problem has none, is left out.
  // False where a value is not finite. Neither allocates nor branches on values.
  bool advance(double t, double h, std::span<double> y, Workspace& work) const noexcept;

  const Function& function() const { return function_; }
  int num_factorizations() const { return num_factorizations_; }
  std::size_t num_state() const { return size_; }  // of q, v, x, λ together
  // Places in y of what is constant during a step, with its value at the end.
  const std::vector<std::size_t>& held() const { return held_; }

 private:
  std::size_t size_;  // of the state: q, v, x, λ
  std::size_t num_eta_;
  std::vector<std::size_t> held_;
  std::vector<double> given_;  // u, p
  std::size_t num_u_;
  Function function_;
  int num_factorizations_;
};

// The steps of a problem, each made when it is first asked for. Copies share them.
class FixedCostSteps {
 public:
  using Make = std::function<FixedCostTerms(const FixedCostOptions&)>;

  FixedCostSteps() = default;  // there are none
  FixedCostSteps(Make make, std::vector<double> u, std::vector<double> p, CompileOptions options);

  explicit operator bool() const { return made_ != nullptr; }
  // What a rule lacks, as the end of "… needs …"; empty: nothing.
  std::string& needs(FixedCostOptions::Rule rule) { return needs_[static_cast<std::size_t>(rule)]; }
  const std::string& needs(FixedCostOptions::Rule rule) const {
    return needs_[static_cast<std::size_t>(rule)];
  }

  FixedCostTerms terms(const FixedCostOptions& options) const;
  // Compiled once for each set of options.
  std::shared_ptr<const FixedCostStep> step(const FixedCostOptions& options) const;

 private:
  struct Made {
    Make make;
    std::vector<double> u, p;
    CompileOptions options;
    std::map<FixedCostOptions, std::shared_ptr<const FixedCostStep>> steps;
  };
  std::string needs_[kNumFixedCostRules];
  std::shared_ptr<Made> made_;
};

}  // namespace koppel
