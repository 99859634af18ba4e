#include "apps/koppel/with_flags.hpp"

#include <algorithm>
#include <iterator>

namespace koppel::app {
namespace {

struct Rendering {
  std::string_view name, typed;
};

// clang-format off
constexpr Rendering kOptions[] = {
    {"bounded", "--bounded"}, {"collect", "--collect"}, {"coordinates", "--coordinates"}, {"derivatives", "--derivatives"},
    {"end", "--end"}, {"feedback", "--feedback"}, {"float", "--float"},
    {"formulation", "--formulation"}, {"integrator", "--integrator"}, {"json", "--json"},
    {"part", "--part"}, {"period", "--period"}, {"realtime", "--realtime"}, {"samples", "--samples"},
    {"speed", "--speed"}, {"step", "--step"}, {"stiff", "--stiff"}, {"tolerance", "--tol"},
};
constexpr Rendering kOperations[] = {
    {"inverse", "`koppel inverse`"}, {"live", "`koppel live`"}, {"simulate", "`koppel run`"},
};
// clang-format on

const Rendering* find(const auto& table, std::string_view name) {
  const auto* const found = std::find_if(std::begin(table), std::end(table),
                                         [&](const Rendering& r) { return r.name == name; });
  return found == std::end(table) ? nullptr : found;
}

// `name` or `name = value`, without the backquotes; empty when it is neither option nor operation.
std::string render(std::string_view quoted) {
  constexpr std::string_view kIs = " = ";
  const std::size_t is = quoted.find(kIs);
  if (const Rendering* const option = find(kOptions, quoted.substr(0, is))) {
    std::string out(option->typed);
    if (is != std::string_view::npos) (out += ' ') += quoted.substr(is + kIs.size());
    return out;
  }
  const Rendering* const operation = find(kOperations, quoted);
  return operation == nullptr ? std::string() : std::string(operation->typed);
}

}  // namespace

std::string with_flags(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t open = text.find('`');
    const std::size_t close = open == std::string_view::npos ? open : text.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const std::string_view quoted = text.substr(open + 1, close - open - 1);
    const std::string typed = render(quoted);
    out += text.substr(0, open);
    out += typed.empty() ? text.substr(open, close + 1 - open) : std::string_view(typed);
    text.remove_prefix(close + 1);
  }
  return out += text;
}

std::vector<std::string> with_flags(std::vector<std::string> texts) {
  for (std::string& text : texts) text = with_flags(text);
  return texts;
}

Report with_flags(Report report) {
  report.messages = with_flags(std::move(report.messages));
  report.alarms = with_flags(std::move(report.alarms));
  return report;
}

}  // namespace koppel::app
