// The command line. Standard output is for results, standard error for messages.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/version.hpp>

#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

std::string version_line() {
  return std::string("koppel ") + version() + " (commit " + commit() + ")";
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

int run(int argc, char** argv) {
  CLI::App program("Koppel models, simulates and controls mechanisms.", "koppel");
  program.set_version_flag("--version", version_line());
  program.require_subcommand(1);
  program.get_formatter()->column_width(24);
  add_commands(program);
  try {
    check_command(program, argc, argv);
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // help or version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    throw Error("arguments.wrong", error.what() + std::string("."),
                "`koppel --help` and `koppel COMMAND --help` say more.");
  }
  return static_cast<int>(ExitCode::kDone);
}

}  // namespace
}  // namespace koppel::app

int main(int argc, char** argv) {
  using koppel::app::ExitCode;
  ExitCode code = ExitCode::kWrongInput;
  std::string message;
  try {
    return koppel::app::run(argc, argv);
  } catch (const koppel::app::Failure& failure) {
    code = failure.code;
    message = failure.message;
  } catch (const koppel::Error& error) {
    message = error.what();
  } catch (const std::exception& error) {
    message = std::string("error: ") + error.what();
  }
  std::fprintf(stderr, "%s\n", message.c_str());
  return static_cast<int>(code);
}
