#include <koppel/problem/step_equations.hpp>

#include <algorithm>
#include <cassert>

namespace koppel {
namespace {

void append(std::vector<Expr>& to, const std::vector<Expr>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

std::vector<Expr> unknowns_of(const StepTerms::Stage& stage) {
  std::vector<Expr> out;
  for (const StepTerms::Unknown& unknown : stage.unknowns) out.push_back(unknown.at_end);
  return out;
}

// t, h, c, given, s₀, the unknowns of s₁. What is carried is no input.
std::vector<Expr> inputs_of(const StepTerms& terms) {
  std::vector<Expr> inputs = {terms.t, terms.h};
  append(inputs, terms.c);
  append(inputs, terms.given.symbols);
  append(inputs, terms.s0);
  for (const StepTerms::Stage& stage : terms.stages) append(inputs, unknowns_of(stage));
  return inputs;
}

std::vector<Expr> guesses_of(const StepTerms& terms) {
  std::vector<Expr> out;
  for (const StepTerms::Stage& stage : terms.stages) {
    for (const StepTerms::Unknown& unknown : stage.unknowns) out.push_back(unknown.guess);
  }
  return out;
}

StepEquations::Stage make_stage(const StepTerms::Stage& terms, std::size_t first,
                                const std::vector<Expr>& inputs, CompileOptions options,
                                const RareInputs& rare) {
  assert(terms.unknowns.size() == terms.rows.size());
  std::vector<Expr> rows;
  std::vector<std::string> names;
  std::vector<int> exponent, row_exponent;
  for (const StepTerms::Row& row : terms.rows) {
    rows.push_back(row.value);
    names.push_back(row.name);
    row_exponent.push_back(row.exponent);
  }
  for (const StepTerms::Unknown& unknown : terms.unknowns) exponent.push_back(unknown.exponent);
  SparseExpr J = jacobian(rows, unknowns_of(terms));
  return {first,
          terms.is_linear,
          std::move(names),
          std::move(exponent),
          std::move(row_exponent),
          std::move(J.pattern),
          Function(inputs, rows, options, rare),
          Function(inputs, J.values, options, rare)};
}

}  // namespace

StepEquations::StepEquations(const StepTerms& terms, CompileOptions options)
    : StepEquations(terms, inputs_of(terms), options) {}

StepEquations::StepEquations(const StepTerms& terms, const std::vector<Expr>& inputs,
                             CompileOptions options)
    : num_c_(terms.c.size()),
      origin_(terms.origin),
      has_mean_multipliers_(terms.has_mean_multipliers),
      given_(terms.given.values),
      guess_(inputs, guesses_of(terms), options),
      carried_(inputs, terms.carried, options) {
  const RareInputs rare{1, 1 + num_c_ + given_.size(), {}};  // h, c, given
  for (const StepTerms::Stage& stage : terms.stages) {
    stages_.push_back(make_stage(stage, num_solved_, inputs, options, rare));
    num_solved_ += stage.unknowns.size();
  }
  assert(terms.s0.size() == num_solved_ + terms.carried.size() &&
         origin_.size() == terms.s0.size());
}

StepEquations::Workspace StepEquations::make_workspace(std::span<const double> c) const {
  assert(c.size() == num_c_);
  Workspace work;
  work.in = {0, 0};
  work.in.insert(work.in.end(), c.begin(), c.end());
  work.in.insert(work.in.end(), given_.begin(), given_.end());
  work.in.resize(first_s0() + 2 * size(), 0.0);
  for (const Stage& stage : stages_) {
    work.F.push_back(stage.F.make_workspace());
    work.J.push_back(stage.J.make_workspace());
  }
  work.guess = guess_.make_workspace();
  work.carried = carried_.make_workspace();
  return work;
}

std::span<const double> StepEquations::inputs(const Workspace& work) const {
  return std::span(work.in).first(first_s0() + size() + num_solved_);
}

std::span<double> StepEquations::end(Workspace& work) const {
  return std::span(work.in).subspan(first_s0() + size());
}

void StepEquations::begin(double t, double h, std::span<const double> s0,
                          Workspace& work) const noexcept {
  if (work.in[1] != h) {
    for (std::size_t i = 0; i < stages_.size(); ++i) {
      stages_[i].F.rare_inputs_changed(work.F[i]);
      stages_[i].J.rare_inputs_changed(work.J[i]);
    }
  }
  work.in[0] = t;
  work.in[1] = h;
  std::copy(s0.begin(), s0.end(), work.in.begin() + static_cast<std::ptrdiff_t>(first_s0()));
  guess_.evaluate(inputs(work), end(work).first(num_solved_), work.guess);
}

void StepEquations::evaluate(std::size_t stage, std::span<double> F,
                             Workspace& work) const noexcept {
  stages_[stage].F.evaluate(inputs(work), F, work.F[stage]);
}

void StepEquations::jacobian(std::size_t stage, std::span<double> values,
                             Workspace& work) const noexcept {
  stages_[stage].J.evaluate(inputs(work), values, work.J[stage]);
}

void StepEquations::carry(Workspace& work) const noexcept {
  carried_.evaluate(inputs(work), end(work).subspan(num_solved_), work.carried);
}

}  // namespace koppel
