// koppel play: the workbench. A page in the browser with the model's text and the mechanism, which
// runs there.

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/play/server.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/play.hpp"
#include "apps/koppel/with_flags.hpp"

namespace koppel {
extern const char* const kWorkbenchPage;   // embedded from viewer/
extern const char* const kReportTemplate;  // the page of a run
}  // namespace koppel

namespace koppel::app {
namespace {

struct Options {
  std::string model, address;
  unsigned short port = 0;
  bool no_browser = false;
};

// Where there is a screen and a program that knows what to open it with; its output is nobody's.
void open_browser(const std::string& url) {
  if (std::getenv("DISPLAY") == nullptr && std::getenv("WAYLAND_DISPLAY") == nullptr) return;
  const pid_t child = fork();
  if (child < 0) return;
  if (child > 0) {
    waitpid(child, nullptr, 0);
    return;
  }
  if (fork() != 0) _exit(0);  // the grandchild is nobody's to wait for
  const int nowhere = open("/dev/null", O_RDWR);
  for (int i = 0; i <= 2; ++i) dup2(nowhere, i);
  execlp("xdg-open", "xdg-open", url.c_str(), static_cast<char*>(nullptr));
  _exit(1);
}

using GoesOn = std::function<bool()>;

SimulateCallbacks stop_by(const GoesOn& goes_on) {
  SimulateCallbacks callbacks;
  callbacks.progress = [&goes_on](const Progress&) { return goes_on(); };
  return callbacks;
}

// What a page may have computed: the accurate run, with the reactions of all joints, and the inputs
// for the prescribed motion.
std::vector<PlayStudy> studies() {
  PlayStudy accurate{"run", [](const Model&) { return true; },
                     [](const Model& model, const GoesOn& goes_on) {
                       SimulateOptions options = options_of(model);
                       options.reactions = ReactionAxes::World;
                       const Simulation done = simulate(model, options, stop_by(goes_on));
                       return to_json(with_flags(make_report(model, done)));
                     }};
  PlayStudy inputs{"inverse", [](const Model& model) { return !model.servos.empty(); },
                   [](const Model& model, const GoesOn& goes_on) {
                     const Inverse done =
                         inverse(model, inverse_options_of(model), stop_by(goes_on));
                     return to_json(with_flags(make_report(model, done)));
                   }};
  return {accurate, inputs};
}

void run(const Options& options) {
  if (*kWorkbenchPage == '\0') {
    throw Error("play.no-pages", "this build has no pages, and the workbench is one",
                "run models with `koppel run`, or configure with -D KOPPEL_PAGES=ON.");
  }
  WorkbenchOptions what;
  if (!options.model.empty()) {
    what.file = find_model(options.model);
    what.can_save = what.file == options.model;  // not a built-in one
  }
  what.gallery = builtin_models();
  what.studies = studies();
  const Workbench workbench(std::move(what));
  PlayServerOptions how;
  how.port = options.port;
  if (!options.address.empty()) {
    how.address = options.address;
    how.token = make_token();
  }
  const InterruptGuard guard;
  PlayServer server(how, workbench, {{"", kWorkbenchPage}, {"report.html", kReportTemplate}});
  std::printf("%s\n", server.url().c_str());
  std::fflush(stdout);
  if (!options.no_browser) open_browser(server.url());
  server.run(is_interrupted);
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
  command->callback([options] { run(*options); });
}

}  // namespace koppel::app
