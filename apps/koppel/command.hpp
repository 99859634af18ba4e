// A command of the program: what it is called, what it does, its options by their table, and what
// runs with them.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include <koppel/base/option.hpp>

namespace koppel::app {

struct Command {
  std::string_view name, text;
  std::string_view footer;  // of its help: an example
  const OptionTable& (*options)();
  std::shared_ptr<void> (*make)();  // its options as they are when nothing is given
  void (*run)(const void* options);
  std::string_view operation = {};  // of the library, where messages call it otherwise: `simulate`

  bool takes_model() const;
};

// Of O, a struct with a table of options, and what runs with one.
template <auto kRun>
struct CommandOf;
template <typename O, void (*kRun)(const O&)>
struct CommandOf<kRun> {
  static Command make(std::string_view name, std::string_view text, std::string_view footer,
                      std::string_view operation = {}) {
    return {name,
            text,
            footer,
            &O::options,
            []() -> std::shared_ptr<void> { return std::make_shared<O>(); },
            [](const void* options) { kRun(*static_cast<const O*>(options)); },
            operation};
  }
};

// What a person typed.
struct CommandLine {
  const Command* command = nullptr;  // none: help or the version was asked for, and printed
  std::shared_ptr<void> options;
};

// Throws Error `arguments.wrong` and `arguments.unknown-command`.
CommandLine parse_command_line(std::span<const Command> commands, int argc, char** argv);

// That lets a shell complete commands, options and built-in models. Throws Error `arguments.wrong`.
std::string completion_script(const std::string& shell, std::span<const Command> commands);

}  // namespace koppel::app
