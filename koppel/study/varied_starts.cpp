#include <koppel/study/varied_starts.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/expected_start.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/simulate/assembled_model.hpp>
#include <koppel/simulate/singular_start.hpp>
#include <koppel/study/start_tangent.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {

VariedStarts::VariedStarts(const Model& model, const std::vector<ParameterOrigin>& origins,
                           std::shared_ptr<const StepModel> step,
                           const std::vector<std::string>& names)
    : model_(model),
      step_(std::move(step)),
      space_(model, origins, names),
      checks_(space_.model(), space_.changed()) {
  if (space_.model().parameters.size() != model_.parameters.size()) {
    throw Error("study.bad-option",
                "an initial value is no parameter of the model, and cannot differ in a batch.",
                "Define a parameter, and give it as the initial value.");
  }
  for (const std::vector<double>& direction : space_.directions(model_)) {
    moves_ = moves_ || moves_start(direction);
  }
}

// Masses weigh the distance from the expected start: where that is 0, they do not matter, and
// neither does its derivative.
bool VariedStarts::moves_start(std::span<const double> direction) const {
  const Equations& e = step_->prepared.equations;
  const ExpectedStart expected = make_expected_start(model_, e);
  Exprs all = join({e.g, e.h, e.b, e.g_t, expected.q, expected.v, expected.x});
  for (const Equations::Wish& wish : e.wishes) all.push_back(wish.residual);
  const Matrix tangent = start_tangent(model_, e, step_->prepared.state);
  const Exprs used = symbols_of(all);
  for (std::size_t j = 0; j < direction.size(); ++j) {
    if (direction[j] == 0) continue;
    if (std::find(used.begin(), used.end(), e.p[j]) != used.end()) return true;
    constexpr double kRoundOff = 1e-11;  // of a state, for a parameter that is twice as large
    const double size = std::max(std::abs(step_->prepared.state.p[j]), 1.0);
    for (int i = 0; i < tangent.rows; ++i) {
      if (std::abs(tangent(i, static_cast<int>(j))) * size > kRoundOff) return true;
    }
  }
  return false;
}

std::optional<Diagnostic> VariedStarts::put(std::span<const double> values, std::span<double> all,
                                            Work& work) const {
  space_.put(values, all, work.parameters);
  std::vector<Diagnostic> faults = checks_(all, work.checks);
  if (faults.empty()) return {};
  return std::move(faults.front());
}

State VariedStarts::assemble(std::span<const double> all) const {
  Model model = model_;
  for (std::size_t i = 0; i < all.size(); ++i) model.parameters[i].value = all[i];
  AssembledModel assembled;
  assembled.assemble(model, step_->prepared.equations->coordinates);
  check_rank(assembled);
  return assembled.state;
}

// The step has the rows of the model that it was made of: they must be independent in the copy, and
// say all.
void VariedStarts::check_rank(AssembledModel& copy) const {
  const std::vector<int>& kept = step_->prepared.problem.rows;
  const int num_kept = static_cast<int>(kept.size());
  const auto refuse = [](std::string text) {
    throw Error("study.batch-start", std::move(text),
                "Run these variants one by one, or begin with a model that is like them.");
  };
  if (copy.rank.rank > num_kept) {
    const Equations& e = copy.equations;
    const auto is_new = [&](int row) {
      return !std::binary_search(kept.begin(), kept.end(), row) &&
             !std::binary_search(copy.rank.redundant_rows.begin(), copy.rank.redundant_rows.end(),
                                 row);
    };
    int row = 0;
    while (row < static_cast<int>(e.num_rows()) && !is_new(row)) ++row;
    refuse(
        fmt::format("'{}' repeats what others hold in the model, and is left out of all copies, "
                    "but not with these values.",
                    e.rows[static_cast<std::size_t>(row)].owner.name));
  }
  if (leave_singular_start(*copy.evaluator, copy.state, copy.rank).departure) refuse_departure();
  std::vector<int> left;
  for (int row = 0; row < static_cast<int>(copy.num_rows()); ++row) {
    if (!std::binary_search(kept.begin(), kept.end(), row)) left.push_back(row);
  }
  if (copy.rank.redundant_rows == left) return;
  const Evaluator of_step(leave_out(copy.equations, left));
  if (analyze_rank(of_step, copy.state, {.here_only = true}).rank_here == num_kept) return;
  refuse("constraints that are independent in the model repeat one another with these values.");
}

}  // namespace koppel
