#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/study/optimize.hpp>

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
double value_of(const Limit& limit, double excess) {
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
    line(to_string(limit), has_first ? value_of(limit, optimum.first.limits[k]) : NAN,
         value_of(limit, optimum.best.limits[k]));
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

std::string to_json(const Optimum& optimum, const OptimizeOptions& options) {
  nlohmann::ordered_json out;
  out["end"] = name_of(optimum.end);
  out["goal"] = goal_of(options);
  out["is_feasible"] = optimum.is_feasible;
  out["evaluations"] = optimum.evaluations;
  out["failures"] = optimum.failures;
  if (!optimum.failure.empty()) out["failure"] = optimum.failure;
  const auto put = [&](const char* name, const Evaluation& e) {
    if (e.at.empty()) return;
    nlohmann::ordered_json& at = out[name];
    if (e.is_good()) at["value"] = shown(e.value, options);
    if (!e.is_good()) at["failed"] = e.why;
    for (std::size_t i = 0; i < optimum.parameters.size(); ++i) {
      at["parameters"][optimum.parameters[i]] = e.at[i];
    }
    for (std::size_t k = 0; e.is_good() && k < options.limits.size(); ++k) {
      at["limits"][to_string(options.limits[k])] = value_of(options.limits[k], e.limits[k]);
    }
  };
  put("before", optimum.first);
  put("after", optimum.best);
  out["remaining_slope"] = optimum.remaining_slope;
  if (optimum.slope_at_kink) out["slope_at_kink"] = *optimum.slope_at_kink;
  out["at_bounds"] = optimum.at_bounds;
  out["active"] = optimum.active;
  out["missed"] = optimum.missed;
  out["starts"] = nlohmann::ordered_json::array();
  for (const Optimum::FromStart& from : optimum.starts) {
    out["starts"].push_back({{"start", from.start},
                             {"end", from.end},
                             {"value", shown(from.value, options)},
                             {"is_feasible", from.is_feasible},
                             {"converged", from.is_converged}});
  }
  return out.dump(2);
}

}  // namespace koppel
