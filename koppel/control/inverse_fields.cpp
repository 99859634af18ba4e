#include <koppel/control/inverse_fields.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/results/summary_fields.hpp>
#include <koppel/results/value_json.hpp>

namespace koppel {
namespace {

struct Robustness {
  std::string kind;
  std::vector<RobustnessCase> cases;
};

const ResultTable& result_fields(const Robustness* /*of*/) {
  static const ResultTable kFields = {
      field<&Robustness::kind>("kind", "of feedback: 'lqr' or 'pd'"),
      field<&Robustness::cases>("cases", "the mechanism as it is, and with what was changed")};
  return kFields;
}

std::optional<Robustness> robustness_of(const InverseSummary& s) {
  if (s.robustness.empty()) return {};
  return Robustness{s.feedback, s.robustness};
}

std::vector<std::vector<double>> pairs_of(const std::vector<std::complex<double>>& numbers) {
  std::vector<std::vector<double>> out;
  for (const std::complex<double>& z : numbers) out.push_back({z.real(), z.imag()});
  return out;
}

}  // namespace

const ResultTable& result_fields(const Verification* /*of*/) {
  using V = Verification;
  static const ResultTable kFields = {
      field<&V::is_done>("done", "whether the forward simulation came to its end"),
      field<&V::text>("text", "why not"),
      field<&V::reached>("reached", "the time reached", "s"),
      field<&V::max_error>("max_error", "the largest error of the outputs, as a vector of all"),
      field<&V::at>("at", "its time", "s"),
      field<&V::end_error>("end_error", "the error at the end"),
      field<&V::path_length>("path_length", "of the references"),
      field<&V::relative_error>("relative_error", "the largest error relative to the path"),
      field<&V::is_verified>("verified", "whether the relative error is within its bound"),
      field<&V::bound>("bound", "of the relative error"),
      field<&V::growth>("growth", "of small deviations, where inputs are not verified; else 0")};
  return kFields;
}

const ResultTable& result_fields(const RobustnessCase* /*of*/) {
  using C = RobustnessCase;
  static const ResultTable kFields = {
      field<[](const C& c) { return to_text(c.disturbance); }>("case", "what is different"),
      field<&C::open>("open_loop", "with the inputs alone"),
      field<&C::closed>("closed_loop", "with feedback")};
  return kFields;
}

const ResultTable& result_fields(const InputSummary* /*of*/) {
  using I = InputSummary;
  static const ResultTable kFields = {
      field<&I::min>("min", "the least"),
      field<&I::at_min>("at_min", "its time", "s"),
      field<&I::max>("max", "the largest"),
      field<&I::at_max>("at_max", "its time", "s"),
      field<[](const I& i) { return std::max(std::abs(i.min), std::abs(i.max)); }>(
          "max_abs", "the largest in magnitude"),
      field<&I::lower_limit>("lower_limit", "of the actuator; null: none"),
      field<&I::upper_limit>("upper_limit", "of the actuator; null: none")};
  return kFields;
}

const ResultTable& result_fields(const InverseSummary* /*of*/) {
  using S = InverseSummary;
  static const ResultTable kFields = {
      field<&S::model>("model", "the model"),
      field<&S::status>("status", "'done', 'doubtful', 'stopped' or 'failed'"),
      field<&S::health>("health", "what the solution says about itself"),
      field<&S::start>("start", "the requested start time", "s"),
      field<&S::end>("end", "the requested end time", "s"),
      field<&S::begun>("begun", "the time of the first row", "s"),
      field<&S::reached>("reached", "the time of the last row", "s"),
      field<&S::dof>("dof", "degrees of freedom at the start"),
      field<&S::index>("index", "of the servo problem"),
      field<&S::internal_dynamics>("internal_dynamics", "their order; 0: there are none"),
      field<[](const S& s) { return pairs_of(s.internal_eigenvalues); }>(
          "internal_eigenvalues",
          "of the internal dynamics linearised at the start: real and imaginary part", "1/s"),
      field<&S::coordinates>("coordinates", "the coordinates of the equations"),
      field<&S::method>("method", "the method"),
      field<&S::integrator>("integrator", "the integration method; empty: nothing is integrated"),
      field<&S::choice>("choice", "the reason, where something was chosen automatically"),
      field<[](const S& s) { return 0 < s.step ? std::optional(s.step) : std::nullopt; }>(
          "step", "null where there is none", "s"),
      field<&S::order>("order", "of the integration"),
      field<&S::steps>("steps", "how many"),
      field<&S::setup_seconds>("setup_seconds", "derivation, analysis, compilation", "s"),
      field<&S::wall_seconds>("wall_seconds", "the computation alone, without writing rows", "s"),
      field<&S::max_residual>("max_residual", "the largest of all equations, in their units"),
      field<&S::relative_residual>(
          "relative_residual",
          "of time-stepping methods: the largest relative to the terms of its equation"),
      field<&S::max_servo_error>("max_servo_error",
                                 "the largest difference of an output from its "
                                 "reference"),
      field<&S::max_position_violation>("max_position_violation",
                                        "the largest of $\\lvert g\\rvert$"),
      field<&S::max_velocity_violation>(
          "max_velocity_violation",
          "the largest of $\\lvert\\dot g\\rvert$ and $\\lvert a v + b\\rvert$"),
      field<&S::samples>("samples", "the number of rows"),
      field<[](const S& s) {
        std::vector<std::pair<std::string, InputSummary>> out;
        for (const InputSummary& input : s.inputs) out.emplace_back(input.name, input);
        return out;
      }>("inputs", "the range of each"),
      field<&S::limit_violations>("limit_violations", "inputs beyond their limits"),
      field<&S::pushing_cables>("pushing_cables",
                                "cables that would have to push, open contacts that would pull"),
      field<&S::unavoidable>("unavoidable_violations",
                             "limits that no inputs with this motion keep"),
      field<&S::verification>("verification", "with `verify`: the forward simulation", {},
                              IfNothing::LeftOut),
      field<[](const S& s) { return robustness_of(s); }>(
          "feedback", "with `feedback`, `plant` or `disturb`", {}, IfNothing::LeftOut),
      field<&S::messages>("messages", "notes and warnings"),
      field<&S::final>("final", "outputs and inputs in the last row"),
      field<&S::files>("files", "the other files")};
  return kFields;
}

std::string to_json(const InverseSummary& summary) { return to_json(value_of(summary)); }

}  // namespace koppel
