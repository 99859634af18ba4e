#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/study/sensitivity.hpp>

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

std::string to_json(const Sensitivity& s) {
  nlohmann::ordered_json out;
  out["status"] = name_of(s.status);
  if (!s.text.empty()) out["text"] = s.text;
  out["mode"] = s.is_adjoint ? "adjoint" : "forward";
  if (!s.reason.empty()) out["reason"] = s.reason;
  out["coordinates"] = s.choice.coordinates;
  out["formulation"] = s.choice.formulation.text();
  out["integrator"] = s.choice.integrator.text();
  out["steps"] = s.steps;
  out["seconds"] = {{"run", s.run_seconds}, {"derivatives", s.derivative_seconds}};
  for (std::size_t j = 0; j < s.parameters.size(); ++j) {
    out["parameters"][s.parameters[j]] = s.parameter_values[j];
  }
  out["criteria"] = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < s.values.size(); ++i) {
    nlohmann::ordered_json& criterion = out["criteria"][s.criteria[i]];
    criterion["value"] = s.values[i];
    for (std::size_t j = 0; j < s.parameters.size(); ++j) {
      criterion["derivatives"][s.parameters[j]] =
          s.derivatives(static_cast<int>(i), static_cast<int>(j));
    }
    for (std::size_t j = 0; i < s.second.size() && j < s.parameters.size(); ++j) {
      for (std::size_t k = 0; k < s.parameters.size(); ++k) {
        criterion["second"][s.parameters[j]][s.parameters[k]] =
            s.second[i](static_cast<int>(j), static_cast<int>(k));
      }
    }
  }
  out["messages"] = s.messages;
  return out.dump(2);
}

}  // namespace koppel
