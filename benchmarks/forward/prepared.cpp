#include "prepared.hpp"

#include <algorithm>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/formulation/formulation.hpp>

namespace koppel::benchmarks {

Prepared::Prepared(const Model& model, Way way)
    : way_(std::move(way)),
      evaluator_(std::make_unique<Evaluator>(derive(model, way_.coordinates))) {
  const Assembly assembly = assemble(*evaluator_);
  if (!assembly) throw Error("assembly.impossible", assembly.text);
  state_ = assembly.state;
  const std::vector<int> redundant = analyze_rank(*evaluator_, state_).redundant_rows;
  problem_ = formulate(leave_out(evaluator_->equations, redundant), way_.formulation, state_,
                       {.compile = {.native = way_.native}});
  start_ = {state_.t, start_values(problem_, *evaluator_, state_)};
}

bool Prepared::run(double end, const IntegrateOptions& options) {
  outcome_ = integrate(problem_, way_.integrator, start_, end, options);
  return outcome_.status == Outcome::Status::Done;
}

void Prepared::run_steps(int count, const IntegrateOptions& options) {
  integrate(problem_, way_.integrator, start_, 1e6, options,
            [&](const Step&) { return --count > 0; });
}

std::vector<double> Prepared::outputs(const std::vector<std::string>& names) const {
  const Equations& e = evaluator_->equations;
  std::vector<Expr> wanted;
  for (const std::string& name : names) {
    const auto it = std::find_if(e.outputs.begin(), e.outputs.end(),
                                 [&](const NamedExpr& output) { return output.name == name; });
    if (it == e.outputs.end()) throw Error("benchmark.no-output", "no output '" + name + "'");
    wanted.push_back(it->value);
  }
  State state = state_;
  const auto q = problem_.q(std::span<const double>(outcome_.y));
  const auto v = problem_.v(std::span<const double>(outcome_.y));
  state.t = outcome_.t;
  state.q.assign(q.begin(), q.end());
  state.v.assign(v.begin(), v.end());
  return VectorFunction(e, wanted)(state);
}

}  // namespace koppel::benchmarks
