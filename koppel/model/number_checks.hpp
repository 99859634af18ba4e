// What must hold of the numbers of a model, whatever values its parameters have:
//
//   masses       m ≥ 0
//   inertias     J = Jᵀ with principal moments 0 ≤ J₁ ≤ J₂ ≤ J₃, and J₃ ≤ J₁ + J₂ in space
//   joints       lengths above 0, axes of markers orthonormal
//   impacts      0 ≤ restitution ≤ 1
//   elements     what is positive, or not negative, by their fields
//
//   const NumberChecks checks(model);
//   checks(values_of_parameters, work);      // what is wrong: nothing
//
// They are compiled once, for models that differ in their parameters: what is good takes an
// evaluation and no allocation. Any number of threads may check, each with its own work.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

class NumberChecks {
 public:
  // Of expressions that depend on no symbols but parameters and the time, which is 0.
  explicit NumberChecks(const Model& model);
  // Those alone that depend on some of these parameters, by their places.
  NumberChecks(const Model& model, std::span<const std::size_t> parameters);

  bool is_empty() const { return checks_.empty(); }

  struct Work {
    Workspace function;
    std::vector<double> in, numbers;
  };
  Work make_work(Uses uses = Uses::Many) const;
  // With values of all parameters, in the order of the model: `model.bad-mass`,
  // `model.bad-inertia`, `model.bad-value`, `model.zero-axis`; one for each body, length, joint and
  // impact that is impossible.
  std::vector<Diagnostic> operator()(std::span<const double> parameters, Work& work) const;

 private:
  using Judge = std::function<std::optional<Diagnostic>(std::span<const double> numbers)>;
  struct Check {
    std::vector<Expr> of;
    Judge judge;
    Location where;
  };
  NumberChecks(const Model& model, std::vector<Check> checks);
  static std::vector<Check> all_of(const Model& model);

  std::vector<Check> checks_;
  Function numbers_;
};

}  // namespace koppel
