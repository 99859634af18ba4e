#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/results/value_json.hpp>
#include <koppel/study/result_fields.hpp>

namespace koppel {

Limit parse_limit(const std::string& text) {
  Limit out;
  std::size_t at = text.find("<=");
  if (at == text.npos) {
    at = text.find(">=");
    out.is_upper = false;
  }
  const auto refuse = [&](const std::string& why) {
    throw Error(
        "study.bad-limit", fmt::format("'{}' is no limit: {}", text, why),
        "Write CRITERION <= NUMBER or CRITERION >= NUMBER, as in \"rod.angle:max <= 0.5\".");
  };
  if (at == text.npos) refuse("it has neither <= nor >=.");
  std::string number = text.substr(at + 2);
  number.erase(0, number.find_first_not_of(" \t"));
  number.erase(number.find_last_not_of(" \t") + 1);
  const char* const end = number.data() + number.size();
  const auto [rest, error] = std::from_chars(number.data(), end, out.bound);
  if (error != std::errc() || rest != end || !std::isfinite(out.bound)) {
    refuse(fmt::format("'{}' is not a number.", number));
  }
  out.criterion = parse_criterion(std::string_view(text).substr(0, at));
  return out;
}

std::string to_string(const Limit& limit) {
  return fmt::format("{} {} {:g}", limit.criterion.label,
                     limit.is_upper ? "<=" : ">=", limit.bound);
}

const char* name_of(Optimum::End end) {
  switch (end) {
    case Optimum::End::Converged: return "converged";
    case Optimum::End::TooManyEvaluations: return "stopped by the limit of evaluations";
    case Optimum::End::Stopped: return "interrupted";
    case Optimum::End::Nothing: return "no run came to its end";
  }
  return "";
}

namespace {

std::string goal_of(const OptimizeOptions& options) {
  std::string out;
  for (const Criterion& criterion : options.minimize) {
    out += (out.empty() ? "" : " + ") + criterion.label;
  }
  return out;
}

double shown(double value, const OptimizeOptions& options) {
  return options.maximizes ? -value : value;
}

// The value of a limit's criterion.
double value_at_limit(const Limit& limit, double excess) {
  return limit.bound + (limit.is_upper ? excess : -excess);
}

}  // namespace

std::string to_text(const Optimum& optimum, const OptimizeOptions& options) {
  std::string out;
  if (optimum.best.at.empty()) return out;
  std::size_t width = 9;
  for (const std::string& name : optimum.parameters) width = std::max(width, name.size());
  for (const Limit& limit : options.limits) width = std::max(width, to_string(limit).size());
  const std::string goal = goal_of(options);
  width = std::max(width, goal.size());
  const bool has_first = optimum.first.is_good();
  const auto line = [&](const std::string& name, double before, double after) {
    out += fmt::format("  {:<{}}  {:>14}  {:>14.8g}\n", name, width,
                       std::isfinite(before) ? fmt::format("{:.8g}", before) : "failed", after);
  };
  out += fmt::format("  {:<{}}  {:>14}  {:>14}\n", "", width, "before", "after");
  line(goal, has_first ? shown(optimum.first.value, options) : NAN,
       shown(optimum.best.value, options));
  for (std::size_t k = 0; k < options.limits.size(); ++k) {
    const Limit& limit = options.limits[k];
    line(to_string(limit), has_first ? value_at_limit(limit, optimum.first.limits[k]) : NAN,
         value_at_limit(limit, optimum.best.limits[k]));
  }
  for (std::size_t i = 0; i < optimum.parameters.size(); ++i) {
    line(optimum.parameters[i], optimum.first.at[i], optimum.best.at[i]);
  }
  const bool is_missed = optimum.end == Optimum::End::Converged && !optimum.missed.empty();
  out += fmt::format("\n{} after {} runs with derivatives",
                     is_missed ? "ended" : name_of(optimum.end), optimum.evaluations);
  if (optimum.starts.size() > 1) out += fmt::format(" from {} starts", optimum.starts.size());
  out += fmt::format("; remaining slope {:.2g}\n", optimum.remaining_slope);
  if (optimum.slope_at_kink) {
    out += fmt::format(
        "at a kink, where slopes jump: those on its two sides balance each other up to {:.2g}\n",
        *optimum.slope_at_kink);
  }
  const auto list = [&](const char* what, const std::vector<std::string>& names) {
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    if (!all.empty()) out += fmt::format("{}: {}\n", what, all);
  };
  list("at bounds", optimum.at_bounds);
  list("active limits", optimum.active);
  if (optimum.failures > 0) {
    out += fmt::format("{} runs failed, the first: {}\n", optimum.failures, optimum.failure);
  }
  return out;
}

namespace {

using NamedNumbers = std::vector<std::pair<std::string, double>>;

struct OptimumPoint {
  std::optional<double> value;
  std::optional<std::string> failed;
  std::optional<NamedNumbers> parameters, limits;
};

const ResultTable& result_fields(const OptimumPoint* /*of*/) {
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<&OptimumPoint::value>("value", "of the goal", {}, kLeftOut),
      field<&OptimumPoint::failed>("failed", "why its run failed", {}, kLeftOut),
      field<&OptimumPoint::parameters>("parameters", "their values", {}, kLeftOut),
      field<&OptimumPoint::limits>("limits", "the values of their criteria", {}, kLeftOut)};
  return kFields;
}

// An optimisation from one start.
struct FromOneStart {
  std::vector<double> start, end;
  double value;
  bool is_feasible, is_converged;
};

const ResultTable& result_fields(const FromOneStart* /*of*/) {
  using F = FromOneStart;
  static const ResultTable kFields = {
      field<&F::start>("start", "where it began"), field<&F::end>("end", "where it ended"),
      field<&F::value>("value", "of the goal there"),
      field<&F::is_feasible>("is_feasible", "whether all limits are kept there"),
      field<&F::is_converged>("converged", "whether it is an optimum")};
  return kFields;
}

std::optional<NamedNumbers> unless_no(NamedNumbers numbers) {
  return numbers.empty() ? std::nullopt : std::optional(std::move(numbers));
}

std::optional<OptimumPoint> optimum_point_of(const OptimumSummary& s, const Evaluation& e) {
  if (e.at.empty()) return {};
  OptimumPoint out;
  if (e.is_good()) out.value = shown(e.value, *s.options);
  if (!e.is_good()) out.failed = e.why;
  NamedNumbers parameters, limits;
  for (std::size_t i = 0; i < s.optimum->parameters.size(); ++i) {
    parameters.emplace_back(s.optimum->parameters[i], e.at[i]);
  }
  for (std::size_t k = 0; e.is_good() && k < s.options->limits.size(); ++k) {
    const Limit& limit = s.options->limits[k];
    limits.emplace_back(to_string(limit), value_at_limit(limit, e.limits[k]));
  }
  out.parameters = unless_no(std::move(parameters));
  out.limits = unless_no(std::move(limits));
  return out;
}

std::vector<FromOneStart> starts_in(const OptimumSummary& s) {
  std::vector<FromOneStart> out;
  for (const Optimum::FromStart& from : s.optimum->starts) {
    out.push_back(
        {from.start, from.end, shown(from.value, *s.options), from.is_feasible, from.is_converged});
  }
  return out;
}

}  // namespace

const ResultTable& result_fields(const OptimumSummary* /*of*/) {
  using S = OptimumSummary;
  constexpr IfNothing kLeftOut = IfNothing::LeftOut;
  static const ResultTable kFields = {
      field<[](const S& s) { return name_of(s.optimum->end); }>("end", "how it ended"),
      field<[](const S& s) { return goal_of(*s.options); }>("goal", "what was asked for"),
      field<[](const S& s) { return s.optimum->is_feasible; }>("is_feasible",
                                                               "whether all limits are kept"),
      field<[](const S& s) { return s.optimum->evaluations; }>("evaluations", "runs"),
      field<[](const S& s) { return s.optimum->failures; }>("failures", "runs that failed"),
      field<[](const S& s) {
        return s.optimum->failure.empty() ? std::nullopt : std::optional(s.optimum->failure);
      }>("failure", "the reason of the first", {}, kLeftOut),
      field<[](const S& s) { return optimum_point_of(s, s.optimum->first); }>(
          "before", "with the values of the model", {}, kLeftOut),
      field<[](const S& s) { return optimum_point_of(s, s.optimum->best); }>(
          "after", "the best point that keeps the limits", {}, kLeftOut),
      field<[](const S& s) { return s.optimum->remaining_slope; }>(
          "remaining_slope",
          "the largest derivative along a direction that bounds and limits leave free, times the "
          "range of its parameter: 0 at an optimum"),
      field<[](const S& s) { return s.optimum->slope_at_kink; }>(
          "slope_at_kink", "where slopes jump at the optimum: what is left of them", {}, kLeftOut),
      field<[](const S& s) { return s.optimum->at_bounds; }>("at_bounds",
                                                             "parameters at their bounds"),
      field<[](const S& s) { return s.optimum->active; }>("active",
                                                          "limits that are met with equality"),
      field<[](const S& s) { return s.optimum->missed; }>(
          "missed", "limits that are not kept, and by how much"),
      field<[](const S& s) { return starts_in(s); }>("starts", "from each start")};
  return kFields;
}

std::string to_json(const Optimum& optimum, const OptimizeOptions& options) {
  return to_json(value_of(OptimumSummary{&optimum, &options}));
}

}  // namespace koppel
