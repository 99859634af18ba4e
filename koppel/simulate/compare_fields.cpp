#include <koppel/results/value_json.hpp>
#include <koppel/simulate/result_fields.hpp>

namespace koppel {
namespace {

std::optional<std::string> text_unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

std::optional<double> number_unless_zero(double number) {
  return number > 0 ? std::optional(number) : std::nullopt;
}

}  // namespace

const ResultTable& result_fields(const Following* /*of*/) {
  using F = Following;
  static const ResultTable kFields = {
      field<&F::name>("name", "of the tracking"),
      field<&F::unit>("unit", "of differences"),
      field<&F::holds>("holds", "how often the signal is held"),
      field<&F::overshoot>("overshoot", "part of the jump"),
      field<&F::left>("left", "the difference at the end of holds"),
      field<&F::off>("off", "the difference, root of the mean square"),
      field<&F::force>("force", "the largest"),
      field<&F::fastest>("fastest", "the largest rate"),
      field<&F::roughest>("roughest", "the largest change of the rate in a step")};
  return kFields;
}

const ResultTable& result_fields(const Compared* /*of*/) {
  using C = Compared;
  static const ResultTable kFields = {
      field<&C::coordinates>("coordinates", "the coordinates of the equations"),
      field<&C::formulation>("formulation", "the form of the equations"),
      field<&C::integrator>("integrator", "the integration method"),
      field<[](const C& c) { return number_unless_zero(c.tolerance); }>("tolerance",
                                                                        "null: fixed steps"),
      field<[](const C& c) { return number_unless_zero(c.step); }>("step", "null: adaptive steps",
                                                                   "s"),
      field<[](const C& c) { return name_of(c.status); }>(
          "status", "'done', 'doubtful', 'stopped' (it took too long) or 'failed'"),
      field<&C::reached>("reached", "the time reached", "s"),
      field<&C::setup_seconds>("setup_seconds", "derivation, analysis, compilation", "s"),
      field<&C::seconds>("wall_seconds", "the integration alone", "s"),
      field<&C::steps>("steps", "how many"),
      field<&C::rejected>("rejected", "steps that were repeated"),
      field<&C::evaluations>("evaluations", "of the equations"),
      field<&C::position_drift>("max_position_violation", "the largest of $\\lvert g\\rvert$"),
      field<&C::velocity_drift>("max_velocity_violation", "the largest of $\\lvert\\dot g\\rvert$"),
      field<&C::energy_error>("energy_error", "where energy is conserved"),
      field<&C::momentum_error>("momentum_error", "where a coordinate is cyclic"),
      field<&C::error>("error", "of the outputs against the reference"),
      field<[](const C& c) {
        return c.following.empty() ? std::nullopt : std::optional(c.following);
      }>("following", "how signals are followed", {}, IfNothing::LeftOut),
      field<[](const C& c) { return text_unless_empty(c.model); }>(
          "model", "of those beside, or another way to follow", {}, IfNothing::LeftOut),
      field<[](const C& c) { return text_unless_empty(c.text); }>(
          "text", "why it did not come to the end, or is doubtful", {}, IfNothing::LeftOut)};
  return kFields;
}

const ResultTable& result_fields(const Skipped* /*of*/) {
  static const ResultTable kFields = {
      field<&Skipped::coordinates>("coordinates", "the coordinates of the equations"),
      field<&Skipped::formulation>("formulation", "the form of the equations"),
      field<&Skipped::integrator>("integrator", "the integration method"),
      field<&Skipped::why>("why", "it makes no sense")};
  return kFields;
}

const ResultTable& result_fields(const Comparison* /*of*/) {
  using C = Comparison;
  static const ResultTable kFields = {
      field<&C::model>("model", "the model"),
      field<&C::end>("end", "the end time", "s"),
      field<&C::projection>("projection", "onto the constraints after each step"),
      field<&C::reference>("reference", "what it is; empty: there is none"),
      field<&C::reference_error>("reference_error", "estimated"),
      field<&C::runs>("runs", "by tolerance, those that came to the end first, the fastest first"),
      field<&C::skipped>("skipped", "pairs that make no sense"),
      field<[](const C& c) {
        return c.recommended >= 0 ? std::optional(c.recommended) : std::nullopt;
      }>("recommended", "the place of one of the runs, counted from 0"),
      field<&C::reason>("reason", "in a sentence"),
      field<&C::is_stopped>("stopped", "before all methods were tried")};
  return kFields;
}

std::string to_json(const Comparison& comparison) {
  return to_json(value_of(comparison), KeyOrder::Alphabetic);
}

}  // namespace koppel
