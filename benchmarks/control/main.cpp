// Inverse dynamics: time against the mechanism, the method and the number of samples, as a Markdown
// table. The least of several runs; set-up (derivation, analysis, compilation) apart.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
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
                             Native native) {
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
  for (const Native native : {Native::Auto, Native::Cc}) {
    for (const char* method : {"flat", "minimal-extension", "minimal-extension:twice", "projection",
                               "projection:null-space"}) {
      const std::optional<Times> t = measure(model, method, samples, native);
      std::printf("| %s | %s | %s | %d |", name.c_str(), method,
                  native == Native::Cc ? "compiled" : "generated", samples);
      if (t) {
        std::printf(" %.2f | %.2f | %.2f |\n", 1e3 * t->setup, 1e3 * t->run,
                    1e6 * t->run / samples);
      } else {
        std::printf(" | fails | |\n");
      }
    }
  }
}

// The least processor time of some runs, without set-up: what else the machine does hardly counts.
double processor_time(const Model& model, const std::string& method, int samples) {
  double least = 1e300;
  for (int round = 0; round < 3; ++round) {
    InverseOptions options = inverse_options_of(model);
    options.method = method;
    options.sampling.count = samples;
    if (method != "flat") options.step = options.end / (samples - 1);
    std::clock_t begin = 0;
    SimulateCallbacks callbacks;
    callbacks.begin = [&](const std::vector<Column>&) { begin = std::clock(); };
    inverse(model, options, callbacks);
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

// The exponent of the time over the number of samples, by least squares of logarithms.
void print_growth(const std::string& name, const char* method) {
  const Model model = read_model(KOPPEL_MODELS + name + ".yaml");
  double n = 0, x = 0, y = 0, xx = 0, xy = 0, last = 0;
  for (const int samples : {1001, 2001, 4001, 8001, 16001}) {
    last = processor_time(model, method, samples);
    const double a = std::log(samples), b = std::log(last);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  std::printf("| %s | %s | %.1f | %.2f |\n", name.c_str(), method, 1e6 * last / 16001,
              (n * xy - x * y) / (n * xx - x * x));
}

}  // namespace
}  // namespace koppel::benchmarks

// `inverse_benchmark growth`: only how the time grows with the samples.
int main(int count, char** arguments) {
  using namespace koppel::benchmarks;
  const EmptyCache cache;
  std::printf("Commit %s, %s.\n\n", koppel::commit(), processor().c_str());
  if (count < 2 || std::string(arguments[1]) != "growth") {
    std::printf("| model | method | code | samples | set-up (ms) | run (ms) | a sample (µs) |\n");
    std::printf("| --- | --- | --- | --- | --- | --- | --- |\n");
    for (const int samples : {1001, 3001, 9001}) print("overhead_crane", samples);
    print("rotary_crane", 4001);
    print("navy_crane_2d", 3001);
    print("cable_manipulator", 2001);
    std::printf("\n");
  }
  std::printf("| model | method | a sample (µs) | exponent of the time over the samples |\n");
  std::printf("| --- | --- | --- | --- |\n");
  for (const char* name : {"overhead_crane", "rotary_crane"}) {
    for (const char* method : {"flat", "minimal-extension", "minimal-extension:twice", "projection",
                               "projection:null-space"}) {
      print_growth(name, method);
    }
  }
}
