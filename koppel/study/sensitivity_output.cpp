#include <algorithm>

#include <fmt/format.h>

#include <koppel/results/value_json.hpp>
#include <koppel/study/result_fields.hpp>

namespace koppel {
namespace {

std::string second_text(const Sensitivity& s, std::size_t i, std::size_t width) {
  std::string out = fmt::format("\nsecond derivatives of {}\n\n  {:<{}}", s.criteria[i], "", width);
  for (const std::string& name : s.parameters) out += fmt::format("  {:>14}", name);
  out += '\n';
  for (int j = 0; j < s.second[i].rows; ++j) {
    out += fmt::format("  {:<{}}", s.parameters[static_cast<std::size_t>(j)], width);
    for (int k = 0; k < s.second[i].columns; ++k) {
      out += fmt::format("  {:>14.7g}", s.second[i](j, k));
    }
    out += '\n';
  }
  return out;
}

}  // namespace

// A block for each criterion, with what a change of the parameter by 1 % makes beside the
// derivative: numbers that can be compared whatever their units are.
std::string to_text(const Sensitivity& s) {
  std::string out;
  std::size_t width = 9;
  for (const std::string& name : s.parameters) width = std::max(width, name.size());
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    out += fmt::format("{}{} = {:.10g}\n\n", i > 0 ? "\n" : "", s.criteria[i], s.values[i]);
    out += fmt::format("  {:<{}}  {:>14}  {:>18}  {:>14}\n", "parameter", width, "value",
                       "derivative", "for 1 % more");
    for (std::size_t j = 0; j < s.parameters.size(); ++j) {
      const double d = s.derivatives(static_cast<int>(i), static_cast<int>(j));
      out += fmt::format("  {:<{}}  {:>14.7g}  {:>18.11g}  {:>14.4g}\n", s.parameters[j], width,
                         s.parameter_values[j], d, 0.01 * s.parameter_values[j] * d);
    }
  }
  for (std::size_t i = 0; i < s.second.size(); ++i) out += second_text(s, i, width);
  out +=
      fmt::format("\n{} derivatives{}, {} steps of {} in {} coordinates; {}derivatives {:.3g} ms\n",
                  s.is_adjoint ? "adjoint" : "forward",
                  s.reason.empty() ? "" : fmt::format(" (chosen: {})", s.reason), s.steps,
                  s.choice.integrator.text(), s.choice.coordinates,
                  s.run_seconds > 0 ? fmt::format("run {:.3g} ms, ", 1e3 * s.run_seconds) : "",
                  1e3 * s.derivative_seconds);
  return out;
}

namespace {

using NamedDerivatives = std::vector<std::pair<std::string, double>>;

struct CriterionSummary {
  double value;
  std::optional<NamedDerivatives> derivatives;
  std::optional<std::vector<std::pair<std::string, NamedDerivatives>>> second;
};

const ResultTable& result_fields(const CriterionSummary* /*of*/) {
  using C = CriterionSummary;
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<&C::value>("value", "its value"),
      field<&C::derivatives>("derivatives", "by each parameter", {}, kLeftOut),
      field<&C::second>("second", "with `second`: by two parameters", {}, kLeftOut)};
  return kFields;
}

struct StudySeconds {
  double run, derivatives;
};

const ResultTable& result_fields(const StudySeconds* /*of*/) {
  static const ResultTable kFields = {
      field<&StudySeconds::run>("run", "the run", "s"),
      field<&StudySeconds::derivatives>("derivatives", "the derivatives", "s")};
  return kFields;
}

auto criteria_in(const Sensitivity& s) {
  const std::size_t n = s.parameters.size();
  std::vector<std::pair<std::string, CriterionSummary>> out;
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    CriterionSummary criterion{s.values[i], {}, {}};
    for (std::size_t j = 0; j < n; ++j) {
      if (j == 0) criterion.derivatives.emplace();
      criterion.derivatives->emplace_back(s.parameters[j],
                                          s.derivatives(static_cast<int>(i), static_cast<int>(j)));
    }
    for (std::size_t j = 0; i < s.second.size() && j < n; ++j) {
      if (j == 0) criterion.second.emplace();
      NamedDerivatives& row =
          criterion.second->emplace_back(s.parameters[j], NamedDerivatives{}).second;
      for (std::size_t k = 0; k < n; ++k) {
        row.emplace_back(s.parameters[k], s.second[i](static_cast<int>(j), static_cast<int>(k)));
      }
    }
    out.emplace_back(s.criteria[i], std::move(criterion));
  }
  return out;
}

std::optional<NamedDerivatives> values_by_parameter(const Sensitivity& s) {
  if (s.parameters.empty()) return {};
  NamedDerivatives out;
  for (std::size_t j = 0; j < s.parameters.size(); ++j) {
    out.emplace_back(s.parameters[j], s.parameter_values[j]);
  }
  return out;
}

}  // namespace

const ResultTable& result_fields(const Sensitivity* /*of*/) {
  using S = Sensitivity;
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<[](const S& s) { return name_of(s.status); }>(
          "status", "'done', 'doubtful', 'stopped' or 'failed'"),
      field<[](const S& s) { return s.text.empty() ? std::nullopt : std::optional(s.text); }>(
          "text", "why it is not done", {}, kLeftOut),
      field<[](const S& s) { return s.is_adjoint ? "adjoint" : "forward"; }>(
          "mode", "'adjoint' or 'forward'"),
      field<[](const S& s) { return s.reason.empty() ? std::nullopt : std::optional(s.reason); }>(
          "reason", "for the mode, where it was chosen", {}, kLeftOut),
      field<[](const S& s) { return s.choice.coordinates; }>("coordinates",
                                                             "the coordinates of the equations"),
      field<[](const S& s) { return s.choice.formulation.text(); }>("formulation",
                                                                    "the form of the equations"),
      field<[](const S& s) { return s.choice.integrator.text(); }>("integrator",
                                                                   "the integration method"),
      field<&S::steps>("steps", "how many"),
      field<[](const S& s) {
        return StudySeconds{s.run_seconds, s.derivative_seconds};
      }>("seconds", "what it took"),
      field<[](const S& s) { return values_by_parameter(s); }>("parameters", "their values", {},
                                                               kLeftOut),
      field<[](const S& s) { return criteria_in(s); }>("criteria", "with their derivatives"),
      field<&S::messages>("messages", "notes and warnings")};
  return kFields;
}

std::string to_json(const Sensitivity& sensitivity) { return to_json(value_of(sensitivity)); }

}  // namespace koppel
