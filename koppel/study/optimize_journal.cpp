#include "apps/koppel/optimize_journal.hpp"

#include <cerrno>
#include <cstring>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/whole_file.hpp>
#include <koppel/version.hpp>

#include "apps/koppel/builtin_models.hpp"

namespace koppel::app {
namespace {

using nlohmann::json;

// All that the evaluations depend on.
std::string head_of(const std::string& model, const std::vector<std::string>& settings,
                    const OptimizeOptions& options) {
  json head;
  head["version"] = version();
  std::ostringstream text;
  text << std::ifstream(find_model(model)).rdbuf();
  head["model"] = text.str();
  head["settings"] = settings;
  const SimulateOptions& run = options.run;
  head["run"] = {run.end,         run.tolerance,          run.step.value_or(0),
                 run.coordinates, run.formulation.text(), run.integrator.text()};
  head["maximizes"] = options.maximizes;
  for (const Criterion& criterion : options.minimize) {
    head["minimize"].push_back({criterion.quantity, static_cast<int>(criterion.reduction)});
  }
  for (const Limit& limit : options.limits) head["limits"].push_back(to_string(limit));
  for (const Range& range : options.over) head["over"].push_back(to_string(range));
  head["starts"] = {options.starts, options.seed, options.max_evaluations, options.tolerance};
  return head.dump();
}

// Not a number where there is none: JSON has no such number.
Evaluation read(const json& line) {
  Evaluation out;
  out.at = line.at("at").get<std::vector<double>>();
  out.why = line.at("why").get<std::string>();
  if (!out.is_good()) return out;
  out.value = line.at("value").get<double>();
  out.gradient = line.at("gradient").get<std::vector<double>>();
  out.limits = line.at("limits").get<std::vector<double>>();
  out.limit_slopes = line.at("limit_slopes").get<std::vector<std::vector<double>>>();
  return out;
}

std::string to_line(const Evaluation& e) {
  const json line = {{"at", e.at},         {"why", e.why},
                     {"value", e.value},   {"gradient", e.gradient},
                     {"limits", e.limits}, {"limit_slopes", e.limit_slopes}};
  return line.dump() + '\n';
}

}  // namespace

OptimizeJournal::OptimizeJournal(const std::filesystem::path& path, const std::string& model,
                                 const std::vector<std::string>& settings,
                                 const OptimizeOptions& options)
    : path_(path) {
  const std::string head = head_of(model, settings, options);
  std::ifstream before(path);
  std::string line;
  if (std::getline(before, line) && line == head) {
    while (std::getline(before, line)) {
      const json parsed = json::parse(line, nullptr, false);
      if (parsed.is_discarded()) break;  // cut off
      try {
        known_.push_back(read(parsed));
      } catch (const json::exception&) {
        break;
      }
    }
  }
  std::string text = head + '\n';
  for (const Evaluation& e : known_) text += to_line(e);
  write_text(path, text);
  out_.open(path, std::ios::app);
}

std::optional<Evaluation> OptimizeJournal::find(const std::vector<double>& at, long number) const {
  const auto i = static_cast<std::size_t>(number - 1);
  if (i >= known_.size() || known_[i].at != at) return {};
  return known_[i];
}

void OptimizeJournal::append(const Evaluation& e, long number) {
  if (static_cast<std::size_t>(number) <= known_.size()) return;
  out_ << to_line(e);
  out_.flush();
  if (!out_) {
    throw WriteError(fmt::format("cannot write {}: {}.", path_.string(), std::strerror(errno)));
  }
}

}  // namespace koppel::app
