// Whole simulations, as a user sees them.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include <koppel/base/diagnostic.hpp>
#include <koppel/simulate/simulate.hpp>

#include "benchmarks/expr/measure.hpp"
#include "contest.hpp"
#include "sections.hpp"

namespace koppel::benchmarks {
namespace {

struct Timing {
  double set_up = INFINITY, integration = INFINITY;
  long steps = 0;
  std::string choice;
};

Timing time_simulation(const Model& model, double tolerance) {
  SimulateOptions options = options_of(model);
  options.tolerance = tolerance;
  options.sampling.count = 2;
  Timing timing;
  for (int i = 0; i < 5; ++i) {
    const Simulation s = simulate(model, options);
    timing.choice = s.choice.coordinates + ", " + s.choice.formulation.text() + ", " +
                    s.choice.integrator.text();
    if (s.status != Outcome::Status::Done) return timing;
    timing.set_up = std::min(timing.set_up, s.summary.setup_seconds);
    timing.integration = std::min(timing.integration, s.summary.wall_seconds);
    timing.steps = s.summary.steps;
    if (s.summary.wall_seconds > 1) break;
  }
  return timing;
}

void report_models() {
  print_head({"model", "chosen", "set-up, ms", "1e-6, ms", "steps", "1e-10, ms", "steps"});
  for (const char* name : {"slider_crank", "copy_machine", "four_bar", "bricard", "five_link",
                           "mcpherson", "andrews", "flyball_governor"}) {
    const Model model = built_in(name);
    const Timing coarse = time_simulation(model, 1e-6), fine = time_simulation(model, 1e-10);
    print_row({name, fine.choice, milliseconds(fine.set_up), milliseconds(coarse.integration),
               std::to_string(coarse.steps), milliseconds(fine.integration),
               std::to_string(fine.steps)});
    if (std::string(name) != "flyball_governor") continue;
    add_target("flyball governor at 1e-6, s", "≤ 0.1", coarse.integration,
               coarse.integration <= 0.1);
    add_target("flyball governor at 1e-10, s", "≤ 0.1", fine.integration, fine.integration <= 0.1);
  }
}

void report_command() {
  namespace fs = std::filesystem;
  const fs::path out = fs::temp_directory_path() / "koppel-forward-benchmark";
  const std::string command = std::string(KOPPEL_PROGRAM) + " run " + KOPPEL_MODELS +
                              "slider_crank.yaml --quiet --out " + out.string();
  double least = INFINITY;
  for (int i = 0; i < 20; ++i) {
    const auto start = std::chrono::steady_clock::now();
    if (std::system(command.c_str()) != 0) break;
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    least = std::min(least, seconds.count());
  }
  fs::remove_all(out);
  std::printf("\n`koppel run models/slider_crank.yaml`, all files included: %s ms of wall clock.\n",
              milliseconds(least).c_str());
  add_target("koppel run models/slider_crank.yaml, s", "≤ 0.15", least, least <= 0.15);
}

}  // namespace

void report_program() {
  print_heading("Whole simulations");
  report_models();
  report_command();
}

}  // namespace koppel::benchmarks
