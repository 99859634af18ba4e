#include "apps/koppel/help_format.hpp"

#include <algorithm>

namespace koppel::app {
namespace {

constexpr std::size_t kWidth = 99, kColumn = 26;

// What is typed on the left, what it does on the right, both of it in as many lines as it takes.
std::string entry(const std::string& typed, const std::string& does) {
  std::string out = "  " + typed;
  std::size_t column = out.size();
  const auto new_line = [&] {
    out += '\n' + std::string(kColumn, ' ');
    column = kColumn;
  };
  if (column + 2 > kColumn) {
    new_line();
  } else {
    out.append(kColumn - column, ' ');
    column = kColumn;
  }
  for (std::size_t begin = 0; begin < does.size();) {
    const std::size_t end = std::min(does.find(' ', begin), does.size());
    const std::size_t space = column > kColumn ? 1 : 0;
    if (space == 1 && column + 1 + end - begin > kWidth) {
      new_line();
    } else {
      out.append(space, ' ');
      column += space;
    }
    out += does.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return out + '\n';
}

// "--reactions[=world|joint]", "--step H": CLI11 would add the types, the values that a validator
// takes and the default of a flag in its own notation.
std::string typed(const CLI::Option& option, bool is_positional) {
  if (is_positional) return option.get_name(true, false);
  std::string name = option.get_name(false, true);
  if (const std::size_t brace = name.find('{'); brace != std::string::npos) name.erase(brace);
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    name.insert(comma + 1, " ");
  }
  std::string value = option.get_option_text();
  if (value.empty() && option.get_type_size() != 0) value = option.get_type_name();
  if (value.empty()) return name;
  return name + (value.starts_with("[=") ? "" : " ") + value;
}

}  // namespace

HelpFormat::HelpFormat() {
  label("Positionals", "Arguments");
  label("Subcommands", "Commands");
  label("SUBCOMMAND", "COMMAND");
}

std::string HelpFormat::make_option(const CLI::Option* option, bool is_positional) const {
  return entry(typed(*option, is_positional), option->get_description());
}

std::string HelpFormat::make_subcommand(const CLI::App* command) const {
  return entry(command->get_name(), command->get_description());
}

}  // namespace koppel::app
