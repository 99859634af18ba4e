#include <koppel/study/optimize_journal.hpp>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/study/sweep_manifest.hpp>
#include <koppel/version.hpp>

namespace koppel {
namespace {

using nlohmann::json;

// All that the evaluations depend on.
Manifest manifest_of(const std::string& model_hash, const OptimizeOptions& options) {
  json goals = json::array(), limits = json::array(), over = json::array();
  for (const Criterion& c : options.minimize) goals.push_back(to_string(c));
  for (const Limit& limit : options.limits) {
    limits.push_back(fmt::format("{} {} {}", to_string(limit.criterion),
                                 limit.is_upper ? "<=" : ">=", limit.bound));
  }
  for (const Range& range : options.over) over.push_back(range.name);
  Manifest out = {{"koppel", json(version()).dump()},
                  {"commit", json(commit()).dump()},
                  {"model_hash", json(model_hash).dump()},
                  {options.maximizes ? "maximize" : "minimize", goals.dump()},
                  {"limits", limits.dump()},
                  {"over", over.dump()}};
  add_run(options.run, out);
  return out;
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

OptimizeJournal::OptimizeJournal(const std::filesystem::path& path, const std::string& model_hash,
                                 const OptimizeOptions& options)
    : path_(path) {
  const Manifest manifest = manifest_of(model_hash, options);
  std::string text = to_json(manifest) + '\n', line;
  std::ifstream before(path);
  // A head that is cut off has no evaluations behind it.
  if (std::getline(before, line) && !before.eof()) {
    if (const std::string other = differences(manifest, line); !other.empty()) {
      throw Error("study.other-optimization",
                  fmt::format("{} is that of another optimisation: {}.", path.string(), other),
                  "Give another folder, or remove the journal to start again.");
    }
    while (std::getline(before, line)) {
      const json parsed = json::parse(line, nullptr, false);
      if (parsed.is_discarded()) break;  // cut off
      try {
        Evaluation e = read(parsed);
        text += to_line(e);
        known_.insert_or_assign(e.at, std::move(e));
      } catch (const json::exception&) {
        break;
      }
    }
  }
  write_text(path, text);
  out_.open(path, std::ios::app);
}

std::optional<Evaluation> OptimizeJournal::find(const std::vector<double>& at) const {
  const auto it = known_.find(at);
  return it == known_.end() ? std::nullopt : std::optional(it->second);
}

void OptimizeJournal::append(const Evaluation& e) {
  if (!known_.emplace(e.at, e).second) return;
  out_ << to_line(e);
  out_.flush();
  if (!out_) {
    throw WriteError(
        fmt::format("{} cannot be written any further: {}. {} runs in it are complete.",
                    path_.string(), std::strerror(errno), known_.size() - 1));
  }
}

}  // namespace koppel
