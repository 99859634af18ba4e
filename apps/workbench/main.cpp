// koppel-workbench MODEL ADDRESS PORT browser|no-browser: the server of the workbench, which `koppel play` starts.
// Empty texts stand for what was not given.

#include <cstdio>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <koppel/play/server.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/describe.hpp"
#include "apps/koppel/exit_code.hpp"
#include "apps/koppel/interrupt.hpp"
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
}  // namespace koppel::app

int main(int argc, char** argv) {
  using namespace koppel::app;
  if (argc != 5) {
    std::fputs("koppel-workbench is started by `koppel play`.\n", stderr);
    return static_cast<int>(ExitCode::kWrongInput);
  }
  ignore_file_size_signal();
  const Options options{argv[1], argv[2], static_cast<unsigned short>(std::atoi(argv[3])), std::string(argv[4]) == "no-browser"};
  return static_cast<int>(finish_output(exit_code_of([&] { run(options); })));
}
