// Series: Taylor coefficients of expressions along a motion, order by order.
//
// Let the variables move as x_i(t) = Σ_k x_{i,k} tᵏ. Given the coefficients of the variables up to
// order k, and having computed all orders below k, evaluate(k) computes the k-th coefficient of
// every expression. A solver can so stop at an order, solve for unknown coefficients of the
// variables, and evaluate that order again before it goes on:
//
//   Series s({x, v}, {m}, {f}, 20);
//   SeriesWorkspace work = s.make_workspace();
//   work.variable(0)[0] = 1;  work.parameter(0) = 2;
//   s.evaluate(0, work);                          // work.output(0)[0] is f at t = 0
//
// Coefficients are x_k = x⁽ᵏ⁾/k!, not derivatives. Cost: O(k) an operation at order k, so O(p²) up
// to order p; parts that depend on parameters only cost nothing beyond order 0. Nothing is
// allocated while evaluating. Tape, machine code and native code as for Function.
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/algebra/substitution.hpp>
#include <koppel/expr/code/function.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel {

class Series;
class SeriesMachineCode;

// Evaluation in stages, for equations that are solved order by order [Pryce 1998]: stage k
// evaluates output j at order k + output_leads[j] ≥ 0, and every value below it at an order that
// its readers need, each value once. Before stage k is solved, variable i is known up to order
// k − 1 + variable_leads[i]; the coefficient above that is an unknown of the stage. Up to stage 0
// it counts as it stands; from stage 1 on it counts as 0, and what is 0 because of that costs
// nothing (where needs_zero(i) says so, it has to be set to 0). Where later stages need a value
// that depends on an unknown, `correct` evaluates that value again. Both empty: all orders are k,
// and the variables are known.
//
// Outputs from first_last on are wanted after a stage only, where evaluate_last() says so: what
// only they need, at that order alone, is left to it. They have one lead.
struct SeriesStages {
  std::vector<int> variable_leads, output_leads;
  std::size_t first_last = std::numeric_limits<std::size_t>::max();
};

// The solution of the stages k ≥ 0 as straight-line code. With unknowns x_j and
// outputs F_i of leads d_j and c_i, stage k is (problem/series_system.hpp)
//   J X = b,     X_j = (k + d_j)!/k! x_j[k + d_j],     b_i = −(k + c_i)!/k! F_i[k + c_i].
struct SeriesSolution {
  // The variables of x_j, x_j′, x_j″, …, one after the other: the first, and how many.
  struct Unknown {
    std::size_t first = 0, count = 0;
  };
  std::vector<Unknown> unknowns;
  std::vector<Expr> entries, b;  // symbols: of the factorised matrix, and of the right-hand sides
  std::vector<Expr> X;           // in terms of them; empty: there is no such code
  Substitution substitution;     // the same operations, for the interpreter
};

class SeriesWorkspace {
 public:
  // Coefficients of an output by their order. With stages, those that the last stage gave.
  class Output {
   public:
    double operator[](std::size_t k) const { return x_[k & mask_]; }

   private:
    friend class SeriesWorkspace;
    Output(const double* x, std::uint32_t mask) : x_(x), mask_(mask) {}
    const double* x_;
    std::uint32_t mask_;
  };

  // The coefficients of orders 0 … max_order.
  std::span<double> variable(std::size_t i) { return {data_.data() + places_[i].offset, stride_}; }
  double& parameter(std::size_t i) { return data_[places_[num_variables_ + i].offset]; }
  Output output(std::size_t j) const {
    const Place& place = places_[num_inputs_ + j];
    return {data_.data() + place.offset, place.mask};
  }
  // Of a SeriesSolution: entries and b are given, X is found.
  std::span<double> entries() { return std::span(system_).subspan(num_b_); }
  std::span<double> right_side() { return std::span(system_).first(num_b_); }
  std::span<const double> solution() const { return X_; }

 private:
  friend class Series;
  struct Place {
    std::uint32_t offset, mask;
  };

  std::vector<double> data_;
  std::size_t stride_ = 0;
  std::size_t num_variables_ = 0, num_inputs_ = 0;
  std::vector<Place> places_;  // of the inputs, then of the outputs
  std::size_t num_b_ = 0;
  std::vector<double> system_, X_;  // b and entries
  std::vector<double> solve_work_;
  const SeriesMachineCode* machine_ = nullptr;  // that evaluates; null: native code or the tape
  const MachineCode* machine_solve_ = nullptr;
};

class Series {
 public:
  static constexpr int kMaxOrder = 40;

  // Variables change in time, parameters do not. Throws as Function does, and Error
  // `expr.bad-order` unless 0 ≤ max_order ≤ kMaxOrder.
  Series(std::span<const Expr> variables, std::span<const Expr> parameters,
         std::span<const Expr> outputs, int max_order, CompileOptions = {},
         const SeriesStages& stages = {}, const SeriesSolution& solution = {});
  Series(std::initializer_list<Expr> variables, std::initializer_list<Expr> parameters,
         std::initializer_list<Expr> outputs, int max_order, CompileOptions = {});

  int max_order() const;
  std::size_t num_instructions() const;
  bool reads_variable(std::size_t i) const;
  // From stage 1 on: whether lower coefficients of a variable are read, and whether the one to be
  // found is, so that it has to be set to 0.
  bool reads_variable_later(std::size_t i) const;
  bool needs_zero(std::size_t i) const;
  bool is_machine_code() const;  // generated (series_machine_code.hpp); else native or the tape
  bool is_native() const;        // compiled
  const std::string& why_not_native() const;

  SeriesWorkspace make_workspace(Uses uses = Uses::Many) const;
  // From now on by machine code, where there is any; all coefficients stay.
  void use_machine_code(SeriesWorkspace& work) const;
  // Order k of all outputs. Orders below k must have been evaluated with the same lower
  // coefficients; evaluating order k again is allowed.
  void evaluate(int k, SeriesWorkspace& work) const noexcept;
  // After stage k is solved: the values that depended on its unknowns and are needed again.
  void correct(int k, SeriesWorkspace& work) const noexcept;
  // After stage k is corrected: the outputs that are wanted then only.
  void evaluate_last(int k, SeriesWorkspace& work) const noexcept;

  // Whether there is a SeriesSolution. Then: X of the workspace's b and entries.
  bool has_solution() const;
  void solve(SeriesWorkspace& work) const noexcept;
  // The stages first … last one after the other, evaluated, solved and corrected, where the first
  // is not before that which expands_from() says: none, where there is no code for it.
  int expands_from(const SeriesWorkspace& work) const;
  void expand(int first, int last, SeriesWorkspace& work) const noexcept;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

}  // namespace koppel
