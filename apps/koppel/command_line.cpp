// The command line by tables of options. CLI11 takes long to compile: nothing else knows it.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/version.hpp>

#include "apps/koppel/command.hpp"

namespace koppel::app {
namespace {

constexpr std::size_t kHelpWidth = 99, kHelpColumn = 26;

// What is typed on the left, what it does on the right, both of it in as many lines as it takes.
std::string help_entry(const std::string& typed, const std::string& does) {
  std::string out = "  " + typed;
  std::size_t column = out.size();
  const auto new_line = [&] {
    out += '\n' + std::string(kHelpColumn, ' ');
    column = kHelpColumn;
  };
  if (column + 2 > kHelpColumn) {
    new_line();
  } else {
    out.append(kHelpColumn - column, ' ');
    column = kHelpColumn;
  }
  for (std::size_t begin = 0; begin < does.size();) {
    const std::size_t end = std::min(does.find(' ', begin), does.size());
    const std::size_t space = column > kHelpColumn ? 1 : 0;
    if (space == 1 && column + 1 + end - begin > kHelpWidth) {
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
std::string typed_in_help(const CLI::Option& option, bool is_positional) {
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

// Lines under 100 columns, options as they are typed, an example at the end.
class HelpFormat : public CLI::Formatter {
 public:
  HelpFormat() {
    label("Positionals", "Arguments");
    label("Subcommands", "Commands");
    label("SUBCOMMAND", "COMMAND");
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return help_entry(typed_in_help(*option, is_positional), option->get_description());
  }
  std::string make_subcommand(const CLI::App* command) const override {
    return help_entry(command->get_name(), command->get_description());
  }
};

std::string version_line() {
  const std::string missing = left_out();
  return std::string("koppel ") + version() + " (commit " + commit() + ")" +
         (missing.empty() ? "" : "\nleft out of this build: " + missing);
}

void add_checks(const OptionInfo& info, CLI::Option& option) {
  if (!info.words.empty()) option.check(CLI::IsMember(info.words));
  if (info.bound == OptionBound::Positive) option.check(CLI::PositiveNumber);
  if (info.max > 0) option.check(CLI::Range(0, info.max));
  if (info.bound == OptionBound::Count) {
    option.check([counted = info.counted](const std::string& text) {
      return text.starts_with('-') ? text + " is no " + counted : std::string();
    });
  }
  // A check would be part of the name of the type.
  const bool is_checked =
      !info.words.empty() || info.bound == OptionBound::Positive || info.max > 0;
  if (is_checked || !info.alone.empty()) {
    option.option_text(info.value);
  } else if (!info.value.empty()) {
    option.type_name(info.value);
  }
}

// `target` lives as long as the command does.
void add_option(CLI::App& command, const Option& option, void* target) {
  const OptionInfo& info = option.info;
  const std::string typed = option.typed();
  const auto add = [&](auto* value) -> CLI::Option* {
    using T = std::remove_pointer_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool>) {
      return command.add_flag(typed, *value, option.described());
    } else if constexpr (std::is_same_v<T, std::string>) {
      if (!info.alone.empty()) {
        return command.add_flag(typed + '{' + info.alone + '}', *value, option.described());
      }
      return command.add_option(typed, *value, option.described());
    } else {
      return command.add_option(typed, *value, option.described());
    }
  };
  CLI::Option* const added = std::visit(add, option.member.in(target));
  if (info.is_required) added->required();
  if (option.member.is<std::vector<std::string>>()) added->allow_extra_args(false);
  if (info.has_commas) added->delimiter(',');
  add_checks(info, *added);
}

// An empty text is no value of any option; it comes from a variable of a script that is not set.
void check_empty(std::span<char*> arguments) {
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view text = arguments[i];
    if (text.empty()) {
      throw Error("arguments.wrong",
                  "argument " + std::to_string(i) + " is empty" +
                      (i > 1 ? ", after '" + std::string(arguments[i - 1]) + "'" : "") + ".");
    }
    if (text.starts_with("--") && text.ends_with('=') && text.find('=') == text.size() - 1) {
      throw Error("arguments.wrong", "'" + std::string(text) + "' has no value.");
    }
  }
}

// CLI11 only says that a subcommand is missing when one is misspelt.
void check_command(std::span<const Command> commands, std::span<char*> arguments) {
  if (arguments.size() < 2 || arguments[1][0] == '-') return;
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  const std::string given = arguments[1];
  if (std::find(names.begin(), names.end(), given) != names.end()) return;
  std::string hint = "`koppel --help` lists the commands.";
  if (const std::string meant = suggest(given, names); !meant.empty()) {
    hint = "Did you mean '" + meant + "'? " + hint;
  }
  throw Error("arguments.unknown-command", "there is no command '" + given + "'.", hint);
}

}  // namespace

CommandLine parse_command_line(std::span<const Command> commands, int argc, char** argv) {
  const std::span<char*> arguments(argv, static_cast<std::size_t>(argc));
  CLI::App program("Koppel models, simulates and controls mechanisms.", "koppel");
  program.formatter(std::make_shared<HelpFormat>());
  program.set_help_flag("-h,--help", "Print this help");
  program.set_version_flag("--version", version_line(), "Print the version");
  program.require_subcommand(1);
  program.footer("`koppel COMMAND --help` shows the options of a command.");
  CommandLine out;
  for (const Command& command : commands) {
    CLI::App* const added =
        program.add_subcommand(std::string(command.name), std::string(command.text));
    added->group("Commands");
    added->footer(std::string(command.footer));
    const auto is_it = [&](const char* text) { return text == command.name; };
    if (std::none_of(arguments.begin(), arguments.end(), is_it)) continue;
    const std::shared_ptr<void> options = command.make();
    for (const Option& option : command.options()) add_option(*added, option, options.get());
    added->callback([&out, &command, options] { out = {&command, options}; });
  }
  try {
    check_empty(arguments);
    check_command(commands, arguments);
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // help or version
    program.exit(request);
    return {};
  } catch (const CLI::ParseError& error) {
    throw Error("arguments.wrong", error.what() + std::string("."),
                "`koppel --help` and `koppel COMMAND --help` say more.");
  }
  check_texts(out.command->options(), out.options.get(), "arguments.wrong",
              [](const Option& option, const std::string& text) {
                return option.typed() + " '" + text + '\'';
              });
  return out;
}

}  // namespace koppel::app
