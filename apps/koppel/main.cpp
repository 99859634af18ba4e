// The command line. Standard output is for results, standard error for messages.

#include <fcntl.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/version.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/exit_code.hpp"
#include "apps/koppel/heap.hpp"
#include "apps/koppel/help_format.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/play.hpp"

namespace koppel::app {
namespace {

std::string version_line() {
  const std::string missing = left_out();
  return std::string("koppel ") + version() + " (commit " + commit() + ")" +
         (missing.empty() ? "" : "\nleft out of this build: " + missing);
}

void add_commands(CLI::App& program) {
  add_run(program);
  add_budget(program);
  add_check(program);
  add_compare(program);
  add_equations(program);
  add_export(program);
  add_expr(program);
  add_inverse(program);
  add_live(program);
  add_models(program);
  add_play(program);
  add_sensitivity(program);
  add_optimize(program);
  add_fit(program);
  add_sweep(program);
  add_new(program);
  add_explain(program);
  add_completion(program);
  for (CLI::App* command : program.get_subcommands({})) command->group("Commands");
}

// An empty text is no value of any option; it comes from a variable of a script that is not set.
void check_empty(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string_view text = argv[i];
    if (text.empty()) {
      throw Error("arguments.wrong",
                  "argument " + std::to_string(i) + " is empty" +
                      (i > 1 ? ", after '" + std::string(argv[i - 1]) + "'" : "") + ".");
    }
    if (text.starts_with("--") && text.ends_with('=') && text.find('=') == text.size() - 1) {
      throw Error("arguments.wrong", "'" + std::string(text) + "' has no value.");
    }
  }
}

// CLI11 only says that a subcommand is missing when one is misspelt.
void check_command(CLI::App& program, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands({})) names.push_back(command->get_name());
  const std::string given = argv[1];
  if (std::find(names.begin(), names.end(), given) != names.end()) return;
  std::string hint = "`koppel --help` lists the commands.";
  if (const std::string meant = suggest(given, names); !meant.empty()) {
    hint = "Did you mean '" + meant + "'? " + hint;
  }
  throw Error("arguments.unknown-command", "there is no command '" + given + "'.", hint);
}

// A standard descriptor that is closed would be given to the next file that is opened, and what is
// printed would go there.
void guard_standard_descriptors() {
  for (int i = 0; i <= 2; ++i) {
    if (::fcntl(i, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDWR) != i) std::abort();  // the lowest that is free
  }
}

void run(int argc, char** argv) {
  CLI::App program("Koppel models, simulates and controls mechanisms.", "koppel");
  program.formatter(std::make_shared<HelpFormat>());
  program.set_help_flag("-h,--help", "Print this help");
  program.set_version_flag("--version", version_line(), "Print the version");
  program.require_subcommand(1);
  program.footer("`koppel COMMAND --help` shows the options of a command.");
  add_commands(program);
  try {
    check_empty(argc, argv);
    check_command(program, argc, argv);
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // help or version
    program.exit(request);
  } catch (const CLI::ParseError& error) {
    throw Error("arguments.wrong", error.what() + std::string("."),
                "`koppel --help` and `koppel COMMAND --help` say more.");
  }
}

// `run`, `live` and `inverse` tell of it themselves.
void tell_no_executable_memory(int argc, char** argv) {
  if (!has_lacked_executable_memory() || argc < 2) return;
  const std::string_view command = argv[1];
  if (command == "run" || command == "live" || command == "inverse") return;
  std::fprintf(stderr, "note: %s\n", kNoExecutableMemory);
}

}  // namespace
}  // namespace koppel::app

int main(int argc, char** argv) {
  using koppel::app::ExitCode;
  koppel::app::take_large_pages();
  koppel::app::guard_standard_descriptors();
  koppel::app::ignore_file_size_signal();
  const ExitCode code = koppel::app::exit_code_of([&] { koppel::app::run(argc, argv); });
  koppel::app::tell_no_executable_memory(argc, argv);
  return static_cast<int>(koppel::app::finish_output(code));
}
