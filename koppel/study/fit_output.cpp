#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/fit.hpp>

namespace koppel {

Fitted parse_fitted(const std::string& text) {
  if (text.find('=') == text.npos) return {.name = text};
  Fitted out = parse_range(text);
  if (out.values.empty() && out.count == 0 && !out.is_logarithmic && out.low < out.high) return out;
  throw Error("study.bad-range", fmt::format("'{}' gives no bounds.", text),
              "Write name=low:high with low below high, or the name alone.");
}

const char* name_of(Fit::End end) {
  switch (end) {
    case Fit::End::Converged: return "converged";
    case Fit::End::TooManyIterations: return "stopped by the limit of iterations";
    case Fit::End::Stopped: return "interrupted";
    case Fit::End::Failed: return "failed";
  }
  return "";
}

std::string to_text(const Fit& fit) {
  std::string out;
  std::size_t width = 9;
  for (const std::string& name : fit.parameters) width = std::max(width, name.size());
  out += fmt::format("  {:<{}}  {:>12}  {:>14}  {:>10}  {}\n", "parameter", width, "before",
                     "after", "± (95 %)", fit.profiles.empty() ? "" : "  by profile");
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    std::string interval = "?", profile;
    if (i < fit.half_width.size()) {
      interval = std::isfinite(fit.half_width[i]) ? fmt::format("{:.3g}", fit.half_width[i]) : "∞";
    }
    if (i < fit.profiles.size()) {
      profile = fmt::format("  {:.6g} … {:.6g}", fit.profiles[i].low, fit.profiles[i].high);
    }
    out += fmt::format("  {:<{}}  {:>12.6g}  {:>14.8g}  {:>10}  {}\n", fit.parameters[i], width,
                       fit.before[i], fit.values[i], interval, profile);
  }
  std::size_t column_width = 6;
  for (const Fit::OfColumn& column : fit.columns) {
    column_width = std::max(column_width, column.name.size());
  }
  out += fmt::format("\n  {:<{}}  {:>7}  {:>5}  {:>12}  {:>12}  {:>12}\n", "column", column_width,
                     "values", "gaps", "rms before", "rms after", "noise");
  for (const Fit::OfColumn& column : fit.columns) {
    out +=
        fmt::format("  {:<{}}  {:>7}  {:>5}  {:>12.4g}  {:>12.4g}  {:>12}\n", column.name,
                    column_width, column.num_values, column.num_gaps, column.rms_before, column.rms,
                    column.is_noise_given ? fmt::format("{:.4g}", column.sigma) : "estimated");
  }
  out += fmt::format("\n{} after {} runs\n", name_of(fit.end), fit.runs);
  for (const std::string& text : fit.undetermined) {
    out += "the data hardly determine " + text + "\n";
  }
  if (fit.stop && fit.num_rows_left_out > 0) {
    out += fmt::format(
        "an event stops the run at t = {:.6g} s: {} after it {} not compared\n", *fit.stop,
        fit.num_rows_left_out == 1 ? "the row" : fmt::format("{} rows", fit.num_rows_left_out),
        fit.num_rows_left_out == 1 ? "is" : "are");
  }
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    if (!all.empty()) out += fmt::format("{}: {}\n", what, all);
  };
  list("at bounds", fit.at_bounds);
  list("columns that the model does not know, left out", fit.ignored);
  return out;
}

std::string to_json(const Fit& fit) {
  nlohmann::ordered_json out;
  out["end"] = name_of(fit.end);
  if (!fit.text.empty()) out["text"] = fit.text;
  if (!fit.doubt.empty()) out["doubt"] = fit.doubt;
  out["runs"] = fit.runs;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    nlohmann::ordered_json& at = out["parameters"][fit.parameters[i]];
    at["before"] = fit.before[i];
    at["value"] = fit.values[i];
    if (i < fit.deviations.size()) at["standard_deviation"] = fit.deviations[i];
    if (i < fit.half_width.size()) at["half_width_95"] = fit.half_width[i];
    if (i < fit.profiles.size()) at["profile_95"] = {fit.profiles[i].low, fit.profiles[i].high};
  }
  if (fit.covariance.rows > 0) {
    for (int i = 0; i < fit.covariance.rows; ++i) {
      nlohmann::ordered_json row = nlohmann::ordered_json::array();
      for (int j = 0; j < fit.covariance.columns; ++j) row.push_back(fit.covariance(i, j));
      out["covariance"].push_back(row);
    }
  }
  for (const Fit::OfColumn& column : fit.columns) {
    out["columns"][column.name] = {
        {"values", column.num_values},     {"gaps", column.num_gaps},
        {"rms_before", column.rms_before}, {"rms", column.rms},
        {"sigma", column.sigma},           {"noise_given", column.is_noise_given}};
  }
  out["undetermined"] = fit.undetermined;
  out["at_bounds"] = fit.at_bounds;
  if (fit.stop) out["stop"] = *fit.stop;
  out["rows_left_out"] = fit.num_rows_left_out;
  out["ignored"] = fit.ignored;
  return out.dump(2);
}

}  // namespace koppel
