// koppel play: the workbench. A page in the browser with the model's text and the mechanism, which
// runs there. Its server is a program of its own, apps/workbench, beside this one: what it is made of takes as long to
// compile as a tenth of all else.

#include <unistd.h>
#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>

#include <koppel/base/diagnostic.hpp>

#include "apps/koppel/play.hpp"

namespace koppel::app {
namespace {

struct Options {
  std::string model, address;
  unsigned short port = 0;
  bool no_browser = false;
};

// Ends this program, or throws.
void start_workbench(const Options& options) {
  std::error_code error;
  const std::filesystem::path program =
      std::filesystem::canonical("/proc/self/exe", error).parent_path() / "koppel-workbench";
  const std::string port = std::to_string(options.port);
  std::fflush(stdout);
  ::execl(program.c_str(), program.c_str(), options.model.c_str(), options.address.c_str(), port.c_str(),
          options.no_browser ? "no-browser" : "browser", static_cast<char*>(nullptr));
  throw Error("play.no-workbench", "this build has no workbench: there is no " + program.string() + ".",
              "Install libboost-dev and build again; bin/koppel play does both by itself.");
}

}  // namespace

void add_play(CLI::App& program) {
  CLI::App* command =
      program.add_subcommand("play", "Edit a model in the browser beside the running mechanism");
  auto options = std::make_shared<Options>();
  command->add_option("MODEL", options->model,
                      "Model file, or name of a built-in model (default: a gallery of these)");
  command
      ->add_option("--address", options->address,
                   "Address to serve on, with a token in the page's address "
                   "(default: 127.0.0.1, without)")
      ->type_name("A");
  command->add_option("--port", options->port, "Port to serve on (default: any that is free)")
      ->type_name("N");
  command->add_flag("--no-browser", options->no_browser, "Print the address only");
  command->footer("Example:\n  koppel play slider_crank");
  command->callback([options] { start_workbench(*options); });
}

}  // namespace koppel::app
