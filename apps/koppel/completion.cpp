// koppel completion: a script that lets a shell complete commands, options and built-in models. It
// is made from the tables of options.

#include <cstdio>
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

std::vector<Flag> flags_of(const Command& command) {
  std::vector<Flag> flags = {{"--help", "Print this help", false}};
  for (const Option& option : command.options()) {
    if (option.is_positional()) continue;
    const bool needs_value = !option.is_flag() && option.info.alone.empty();
    flags.push_back({option.typed(), option.described(), needs_value});
  }
  return flags;
}

// For texts within single quotes of a shell.
std::string quoted(std::string text) {
  for (std::size_t i = 0; (i = text.find('\'', i)) != text.npos; i += 4)
    text.replace(i, 1, "'\\''");
  return text;
}

constexpr const char* kModels = "$(koppel models 2>/dev/null | cut -d ' ' -f 1)";

using Commands = std::span<const Command>;

std::string names_of_commands(Commands commands) {
  std::string out;
  for (const Command& command : commands) {
    out += (out.empty() ? "" : " ") + std::string(command.name);
  }
  return out;
}

std::string for_bash(Commands commands) {
  std::string cases, with_model;
  for (const Command& command : commands) {
    std::string words;
    for (const Flag& flag : flags_of(command)) words += ' ' + flag.name;
    cases +=
        fmt::format("    {}) flags='{}' ;;\n", command.name, words.substr(words.empty() ? 0 : 1));
    if (command.takes_model())
      with_model += (with_model.empty() ? "" : " | ") + std::string(command.name);
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
                     names_of_commands(commands), cases, with_model, kModels);
}

std::string for_zsh(Commands commands) {
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
  for (const Command& command : commands) {
    list += fmt::format("    '{}:{}'\n", command.name, plain(std::string(command.text)));
    cases += fmt::format("    {}) _arguments", command.name);
    for (const Flag& flag : flags_of(command)) {
      cases += fmt::format(" \\\n      '{}[{}]{}'", flag.name, plain(flag.text),
                           flag.takes_value ? ":value:_files" : "");
    }
    if (command.takes_model()) {
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

std::string for_fish(Commands commands) {
  std::string out = "# koppel completion fish: load it with `koppel completion fish | source`.\n";
  for (const Command& command : commands) {
    out += fmt::format("complete -c koppel -n __fish_use_subcommand -f -a {} -d '{}'\n",
                       command.name, quoted(std::string(command.text)));
  }
  for (const Command& command : commands) {
    const std::string when =
        fmt::format("complete -c koppel -n '__fish_seen_subcommand_from {}'", command.name);
    for (const Flag& flag : flags_of(command)) {
      out += fmt::format("{} -l {}{} -d '{}'\n", when, flag.name.substr(2),
                         flag.takes_value ? " -r" : "", quoted(flag.text));
    }
    if (command.takes_model()) {
      out += fmt::format("{} -a \"(koppel models 2>/dev/null | cut -d ' ' -f 1)\"\n", when);
    }
  }
  return out;
}

struct CompletionOptions {
  std::string shell;

  static const OptionTable& options();
};

const OptionTable& CompletionOptions::options() {
  static const OptionTable kOptions = {{{.name = "shell",
                                         .text = "The shell: bash, zsh or fish",
                                         .typed = "SHELL",
                                         .is_required = true},
                                        &CompletionOptions::shell}};
  return kOptions;
}

void print_completion(const CompletionOptions& options) {
  const std::string script = completion_script(options.shell, commands());
  std::fputs(script.c_str(), stdout);
}

}  // namespace

std::string completion_script(const std::string& shell, Commands commands) {
  if (shell == "bash") return for_bash(commands);
  if (shell == "zsh") return for_zsh(commands);
  if (shell == "fish") return for_fish(commands);
  throw Error("arguments.wrong", "there is no completion for '" + shell + "'.",
              "It is one of: bash, zsh, fish.");
}

Command completion_command() {
  return CommandOf<print_completion>::make(
      "completion", "Print a completion script for a shell",
      "Example:\n  koppel completion bash\nTo load it: source <(koppel completion bash)");
}

}  // namespace koppel::app
