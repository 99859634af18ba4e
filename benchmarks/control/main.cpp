// Inverse dynamics: time against the mechanism, the method and the number of samples, as a Markdown
// table. The least of several runs; set-up (derivation, analysis, compilation) apart.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include <koppel/control/inverse.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/version.hpp>

#include "benchmarks/machine.hpp"

namespace koppel::benchmarks {
namespace {

struct Times {
  double setup = 1e300, run = 1e300;
};

// Nothing where the method fails.
std::optional<Times> measure(const Model& model, const std::string& method, int samples,
                             bool native) {
  Times least;
  for (int round = 0; round < 5; ++round) {
    InverseOptions options = inverse_options_of(model);
    options.method = method;
    options.native = native;
    options.sampling.count = samples;
    if (method != "flat") options.step = options.end / (samples - 1);
    const Inverse result = inverse(model, options);
    if (result.status != Outcome::Status::Done) return {};
    least.setup = std::min(least.setup, result.summary.setup_seconds);
    least.run = std::min(least.run, result.summary.wall_seconds);
  }
  return least;
}

void print(const std::string& name, int samples) {
  const Model model = read_model(KOPPEL_MODELS + name + ".yaml");
  for (const bool native : {false, true}) {
    for (const char* method : {"flat", "minimal-extension", "minimal-extension:twice", "projection",
                               "projection:null-space"}) {
      const std::optional<Times> t = measure(model, method, samples, native);
      std::printf("| %s | %s | %s | %d |", name.c_str(), method, native ? "native" : "tape",
                  samples);
      if (t) {
        std::printf(" %.2f | %.2f | %.2f |\n", 1e3 * t->setup, 1e3 * t->run,
                    1e6 * t->run / samples);
      } else {
        std::printf(" | fails | |\n");
      }
    }
  }
}

// The exponent of the time over the number of samples, by least squares of logarithms.
void print_growth(const std::string& name, const char* method) {
  const Model model = read_model(KOPPEL_MODELS + name + ".yaml");
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const int samples : {1001, 2001, 4001, 8001, 16001}) {
    const std::optional<Times> t = measure(model, method, samples, false);
    if (!t) return;
    const double a = std::log(samples), b = std::log(t->run);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  std::printf("| %s | %s | %.2f |\n", name.c_str(), method, (n * xy - x * y) / (n * xx - x * x));
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  using namespace koppel::benchmarks;
  const EmptyCache cache;
  std::printf("Commit %s, %s.\n\n", koppel::commit(), processor().c_str());
  std::printf("| model | method | code | samples | set-up (ms) | run (ms) | a sample (µs) |\n");
  std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
  for (const int samples : {1001, 3001, 9001}) print("overhead_crane", samples);
  print("rotary_crane", 4001);
  print("navy_crane_2d", 3001);
  print("cable_manipulator", 2001);
  std::printf(
      "\n| model | method | exponent of the time over the samples |\n| --- | --- | --- |\n");
  for (const char* method : {"flat", "minimal-extension", "projection"}) {
    print_growth("overhead_crane", method);
    print_growth("rotary_crane", method);
  }
}
