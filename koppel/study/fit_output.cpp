#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/value_json.hpp>
#include <koppel/study/result_fields.hpp>

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

namespace {

struct FittedParameter {
  double before, value;
  std::optional<double> deviation, half_width;
  std::optional<std::vector<double>> profile;
};

const ResultTable& result_fields(const FittedParameter* /*of*/) {
  using P = FittedParameter;
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<&P::before>("before", "the value of the model"), field<&P::value>("value", "the fit"),
      field<&P::deviation>("standard_deviation", "null: not determined", {}, kLeftOut),
      field<&P::half_width>("half_width_95", "of the interval of 95 %; null: not determined", {},
                            kLeftOut),
      field<&P::profile>("profile_95",
                         "with `profiles`: the interval of 95 %; null: the data do not bound it",
                         {}, kLeftOut)};
  return kFields;
}

template <typename T>
std::optional<T> unless_none(T items) {
  return items.empty() ? std::nullopt : std::optional(std::move(items));
}

auto fitted_in(const Fit& fit) {
  std::vector<std::pair<std::string, FittedParameter>> out;
  for (std::size_t i = 0; i < fit.parameters.size(); ++i) {
    FittedParameter p{fit.before[i], fit.values[i], {}, {}, {}};
    if (i < fit.deviations.size()) p.deviation = fit.deviations[i];
    if (i < fit.half_width.size()) p.half_width = fit.half_width[i];
    if (i < fit.profiles.size()) p.profile = {{fit.profiles[i].low, fit.profiles[i].high}};
    out.emplace_back(fit.parameters[i], std::move(p));
  }
  return unless_none(std::move(out));
}

auto covariance_in(const Fit& fit) {
  std::vector<std::vector<double>> out;
  for (int i = 0; i < fit.covariance.rows; ++i) {
    std::vector<double>& row = out.emplace_back();
    for (int j = 0; j < fit.covariance.columns; ++j) row.push_back(fit.covariance(i, j));
  }
  return unless_none(std::move(out));
}

auto columns_in(const Fit& fit) {
  std::vector<std::pair<std::string, Fit::OfColumn>> out;
  for (const Fit::OfColumn& column : fit.columns) out.emplace_back(column.name, column);
  return unless_none(std::move(out));
}

}  // namespace

const ResultTable& result_fields(const Fit::OfColumn* /*of*/) {
  using C = Fit::OfColumn;
  static const ResultTable kFields = {
      field<&C::num_values>("values", "how many"),
      field<&C::num_gaps>("gaps", "empty fields"),
      field<&C::rms_before>("rms_before", "of the differences, with the values of the model"),
      field<&C::rms>("rms", "of the differences, with the fit"),
      field<&C::sigma>("sigma", "standard deviation of the noise"),
      field<&C::is_noise_given>("noise_given", "whether it was given; else it is estimated")};
  return kFields;
}

const ResultTable& result_fields(const Fit* /*of*/) {
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<[](const Fit& f) { return name_of(f.end); }>("end", "how it ended"),
      field<[](const Fit& f) { return unless_none(f.text); }>("text", "why it failed", {},
                                                              kLeftOut),
      field<[](const Fit& f) { return unless_none(f.doubt); }>(
          "doubt", "why the run with these values should not be trusted", {}, kLeftOut),
      field<&Fit::runs>("runs", "of the model"),
      field<[](const Fit& f) { return fitted_in(f); }>("parameters", "that were fitted", {},
                                                       kLeftOut),
      field<[](const Fit& f) { return covariance_in(f); }>(
          "covariance", "of the parameters, in their order", {}, kLeftOut),
      field<[](const Fit& f) { return columns_in(f); }>("columns", "of the data", {}, kLeftOut),
      field<&Fit::undetermined>("undetermined", "directions that the data do not determine"),
      field<&Fit::at_bounds>("at_bounds", "parameters at their bounds"),
      field<&Fit::stop>("stop", "where an event ends the run with these values", "s", kLeftOut),
      field<&Fit::num_rows_left_out>("rows_left_out", "rows after that"),
      field<&Fit::ignored>("ignored", "columns of the data that the model does not know")};
  return kFields;
}

std::string to_json(const Fit& fit) { return to_json(koppel::value_of(fit)); }

}  // namespace koppel
