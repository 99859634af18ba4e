// koppel play: the workbench. A page in the browser with the model's text and the mechanism, which
// runs there. Its server is a program of its own, apps/workbench, beside this one: what it is made
// of takes as long to compile as a tenth of all else.

#include <unistd.h>

#include <cstdio>
#include <filesystem>

#include <koppel/base/diagnostic.hpp>

#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

struct PlayOptions {
  std::string model, address;
  std::uint16_t port = 0;
  bool no_browser = false;

  static const OptionTable& options();
};

const OptionTable& PlayOptions::options() {
  using O = PlayOptions;
  static const OptionTable kOptions = {
      {{.name = "model",
        .text = "Model file, or name of a built-in model",
        .unless_given = "a gallery of these",
        .typed = "MODEL"},
       &O::model},
      {{.name = "address",
        .text = "Address to serve on, with a token in the page's address",
        .value = "A",
        .unless_given = "127.0.0.1, without"},
       &O::address},
      {{.name = "port",
        .text = "Port to serve on",
        .value = "N",
        .unless_given = "any that is free"},
       &O::port},
      {{.name = "no_browser", .text = "Print the address only"}, &O::no_browser}};
  return kOptions;
}

// Ends this program, or throws.
void start_workbench(const PlayOptions& options) {
  std::error_code error;
  const std::filesystem::path program =
      std::filesystem::canonical("/proc/self/exe", error).parent_path() / "koppel-workbench";
  const std::string port = std::to_string(options.port);
  std::fflush(stdout);
  ::execl(program.c_str(), program.c_str(), options.model.c_str(), options.address.c_str(),
          port.c_str(), options.no_browser ? "no-browser" : "browser", static_cast<char*>(nullptr));
  throw Error("play.no-workbench",
              "this build has no workbench: there is no " + program.string() + ".",
              "Install libboost-dev and build again; bin/koppel play does both by itself.");
}

}  // namespace

Command play_command() {
  return CommandOf<start_workbench>::make(
      "play", "Edit a model in the browser beside the running mechanism",
      "Example:\n  koppel play slider_crank");
}

}  // namespace koppel::app
