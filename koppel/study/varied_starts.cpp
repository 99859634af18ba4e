#include <koppel/study/varied_starts.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/expected_start.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/simulate/assembled_model.hpp>
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
  return assembled.state;
}

}  // namespace koppel
