// Cost against size: steps, set-up, memory.
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "benchmarks/expr/measure.hpp"
#include "contest.hpp"
#include "prepared.hpp"
#include "sections.hpp"

namespace koppel::benchmarks {
namespace {

double peak_megabytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

struct Size {
  double bodies, set_up, step, megabytes;
};

Size measure_size(const std::string& file, const char* parameter, long value, double bodies) {
  Size size{bodies, 0, 0, 0};
  std::unique_ptr<Prepared> prepared;
  const IntegrateOptions options{.tolerance = 1e-9};
  size.set_up = time_once([&] {
    prepared = std::make_unique<Prepared>(built_in(file, {{parameter, std::to_string(value)}}),
                                          Way{"natural", "index3", "taylor"});
    prepared->run_steps(1, options);
  });
  constexpr int kSteps = 10;
  const double one = least_seconds([&] { prepared->run_steps(1, options); });
  const double many = least_seconds([&] { prepared->run_steps(1 + kSteps, options); });
  size.step = (many - one) / kSteps;
  size.megabytes = peak_megabytes();
  return size;
}

void report_growth(const std::string& file, const char* parameter, long per_window) {
  std::vector<Size> all;
  for (const long bodies : {10L, 100L, 1000L, 10000L}) {
    all.push_back(measure_size(file, parameter, bodies / per_window, static_cast<double>(bodies)));
    const Size& size = all.back();
    const auto exponent = [&](double Size::*what) -> std::string {
      if (all.size() < 2) return "";
      return number(std::log(size.*what / all[all.size() - 2].*what) /
                        std::log(size.bodies / all[all.size() - 2].bodies),
                    2);
    };
    print_row({file, std::to_string(bodies), milliseconds(size.step), exponent(&Size::step),
               milliseconds(size.set_up), exponent(&Size::set_up), number(size.megabytes, 0)});
    if (size.set_up > 60) break;
  }
  if (all.size() < 3) return;
  const Size &first = all[1], &last = all.back();
  const double exponent = std::log(last.step / first.step) / std::log(last.bodies / first.bodies);
  add_target(
      file + ": exponent of the time of a step, 100 to " + number(last.bodies, 0) + " bodies",
      "≤ 1.1", exponent, exponent <= 1.1);
}

void report_set_up(const Way& way, long n) {
  double least = 1e300;
  const int rounds = way.native == Native::Cc ? 1 : 3;  // compiled code is in the cache afterwards
  for (int i = 0; i < rounds; ++i) {
    least = std::min(least, time_once([&] {
                       Prepared prepared(built_in("chain", {{"n", std::to_string(n)}}), way);
                       prepared.run_steps(1, {.tolerance = 1e-9});
                     }));
  }
  const std::string name = way.coordinates + ", " + way.formulation + ", " + way.integrator +
                           (way.native == Native::Cc ? ", compiled" : ", generated");
  print_row({name, std::to_string(n), milliseconds(least)});
  const double limit = n == 10 ? 0.3 : 1;
  if (way.integrator == "taylor") {
    add_target("set-up of the chain of " + std::to_string(n) + ", " + name + ", s",
               "≤ " + number(limit, 1), least, least <= limit);
  }
}

}  // namespace

void report_sizes() {
  print_heading("Cost against size");
  print_head({"mechanism", "bodies", "a step, ms", "exponent", "set-up, ms", "exponent",
              "peak of memory so far, MB"});
  report_growth("chain", "n", 1);
  report_growth("four_bar", "N", 2);
  std::printf("\n");
  print_head({"way", "links", "set-up, ms"});
  for (const long n : {10L, 100L}) {
    report_set_up({"natural", "index3", "taylor"}, n);
    report_set_up({"joint", "minimal", "taylor"}, n);
    report_set_up({"joint", "minimal", "dop853"}, n);
  }
  report_set_up({"joint", "minimal", "taylor", Native::Cc}, 10);
}

}  // namespace koppel::benchmarks
