#include "apps/koppel/with_flags.hpp"

#include <functional>
#include <map>

#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

using Renderings = std::map<std::string, std::string, std::less<>>;

// Of options by their tables: `tolerance` is --tol.
const Renderings& typed_options() {
  static const Renderings kTyped = [] {
    Renderings out;
    for (const Command& command : commands()) {
      for (const Option& option : command.options()) {
        if (!option.is_positional()) out.emplace(option.info.name, option.typed());
      }
    }
    return out;
  }();
  return kTyped;
}

// Of operations of the library: `simulate` is `koppel run`.
const Renderings& typed_operations() {
  static const Renderings kTyped = [] {
    Renderings out;
    for (const Command& command : commands()) {
      const std::string_view operation =
          command.operation.empty() ? command.name : command.operation;
      out.emplace(operation, "`koppel " + std::string(command.name) + '`');
    }
    return out;
  }();
  return kTyped;
}

// `name` or `name = value`, without the backquotes; empty when it is neither option nor operation.
std::string render(std::string_view quoted) {
  constexpr std::string_view kIs = " = ";
  const std::size_t is = quoted.find(kIs);
  const Renderings& options = typed_options();
  if (const auto option = options.find(quoted.substr(0, is)); option != options.end()) {
    if (is == std::string_view::npos) return option->second;
    return option->second + ' ' + std::string(quoted.substr(is + kIs.size()));
  }
  const auto operation = typed_operations().find(quoted);
  return operation == typed_operations().end() ? std::string() : operation->second;
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
