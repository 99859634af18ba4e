// koppel completion: a script that lets a shell complete commands, options and built-in models. It
// is made from the program's own options.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

struct Flag {
  std::string name, text;  // "--end"
  bool takes_value;
};

std::vector<Flag> flags_of(const CLI::App& command) {
  std::vector<Flag> flags;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      flags.push_back({"--" + name, option->get_description(), option->get_items_expected() > 0});
    }
  }
  return flags;
}

bool takes_model(const CLI::App& command) {
  return command.get_option_no_throw("MODEL") != nullptr;
}

// For texts within single quotes of a shell.
std::string quoted(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != text.npos; i += 4)
    text.replace(i, 1, "'\\''");
  return text;
}

using Commands = std::vector<const CLI::App*>;

constexpr const char* kModels = "$(koppel models 2>/dev/null | cut -d ' ' -f 1)";

std::string names_of(const Commands& commands) {
  std::string out;
  for (const CLI::App* command : commands) out += (out.empty() ? "" : " ") + command->get_name();
  return out;
}

std::string for_bash(const Commands& commands) {
  std::string cases, with_model;
  for (const CLI::App* command : commands) {
    std::string words;
    for (const Flag& flag : flags_of(*command)) words += ' ' + flag.name;
    cases += fmt::format("    {}) flags='{}' ;;\n", command->get_name(),
                         words.substr(words.empty() ? 0 : 1));
    if (takes_model(*command))
      with_model += (with_model.empty() ? "" : " | ") + command->get_name();
  }
  return fmt::format(R"(# koppel completion bash: load it with `source <(koppel completion bash)`.
_koppel() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} flags= models=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$word"))
    return
  fi
  case ${{COMP_WORDS[1]}} in
{}  esac
  case ${{COMP_WORDS[1]}} in {}) models={} ;; esac
  case $word in
    -*) COMPREPLY=($(compgen -W "$flags" -- "$word")) ;;
    *) COMPREPLY=($(compgen -W "$models" -- "$word") $(compgen -f -- "$word")) ;;
  esac
}}
complete -o filenames -F _koppel koppel
)",
                     names_of(commands), cases, with_model, kModels);
}

std::string for_zsh(const Commands& commands) {
  // Of what _arguments reads, colons and brackets are part of its language.
  const auto plain = [](const std::string& text) {
    std::string out;
    for (const char c : quoted(text)) {
      if (c == ':' || c == '[' || c == ']') out += '\\';
      out += c;
    }
    return out;
  };
  std::string list, cases;
  for (const CLI::App* command : commands) {
    list += fmt::format("    '{}:{}'\n", command->get_name(), plain(command->get_description()));
    cases += fmt::format("    {}) _arguments", command->get_name());
    for (const Flag& flag : flags_of(*command)) {
      cases += fmt::format(" \\\n      '{}[{}]{}'", flag.name, plain(flag.text),
                           flag.takes_value ? ":value:_files" : "");
    }
    if (takes_model(*command)) {
      cases += fmt::format(" \\\n      '1:model:{{_files; compadd -- {}}}'", kModels);
    }
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef koppel
# koppel completion zsh: put it as _koppel into a folder of $fpath.
local -a commands
commands=(
{})
if (( CURRENT == 2 )); then
  _describe 'command' commands
else
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{}  esac
fi
)",
                     list, cases);
}

std::string for_fish(const Commands& commands) {
  std::string out = "# koppel completion fish: load it with `koppel completion fish | source`.\n";
  for (const CLI::App* command : commands) {
    out += fmt::format("complete -c koppel -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       command->get_name(), quoted(command->get_description()));
  }
  for (const CLI::App* command : commands) {
    const std::string when =
        fmt::format("complete -c koppel -n '__fish_seen_subcommand_from {}'", command->get_name());
    for (const Flag& flag : flags_of(*command)) {
      out += fmt::format("{} -l {}{} -d '{}'\n", when, flag.name.substr(2),
                         flag.takes_value ? " -r" : "", quoted(flag.text));
    }
    if (takes_model(*command)) {
      out += fmt::format("{} -a \"(koppel models 2>/dev/null | cut -d ' ' -f 1)\"\n", when);
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& program) {
  CLI::App* command = program.add_subcommand("completion", "Print a completion script for a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell: bash, zsh or fish")->required();
  command->footer(
      "Example:\n  koppel completion bash\nTo load it: source <(koppel completion bash)");
  command->callback([shell, &program] {
    const Commands commands = [&] {
      Commands all;
      for (const CLI::App* one : program.get_subcommands({})) all.push_back(one);
      return all;
    }();
    if (*shell != "bash" && *shell != "zsh" && *shell != "fish") {
      throw Error("arguments.wrong", "there is no completion for '" + *shell + "'.",
                  "It is one of: bash, zsh, fish.");
    }
    const std::string script = *shell == "bash"  ? for_bash(commands)
                               : *shell == "zsh" ? for_zsh(commands)
                                                 : for_fish(commands);
    std::fputs(script.c_str(), stdout);
  });
}

}  // namespace koppel::app
