// forward_benchmark: simulations by Koppel beside the same ones written by hand and by others, at
// equal accuracy. Prints tables for tools/performance. With arguments (loops, trees, sizes,
// program) only those parts; `points` shows every measurement;
//
//   forward_benchmark case "slider crank" "koppel, generated" 1e-9
//
// runs one of them once, for counting instructions:
//   valgrind --tool=callgrind forward_benchmark case …
#include <cstdio>
#include <string>
#include <string_view>

#include <koppel/version.hpp>

#include "benchmarks/machine.hpp"
#include "contest.hpp"
#include "sections.hpp"

namespace {

struct Section {
  std::string_view name;
  void (*report)();
};

constexpr Section kSections[] = {
    {"loops", koppel::benchmarks::report_loops},
    {"trees", koppel::benchmarks::report_trees},
    {"sizes", koppel::benchmarks::report_sizes},
    {"program", koppel::benchmarks::report_program},
};

}  // namespace

int main(int argc, char** argv) {
  using namespace koppel::benchmarks;
  const koppel::benchmarks::EmptyCache cache;
  if (argc == 5 && std::string_view(argv[1]) == "case") {
    selection() = {argv[2], argv[3], std::atof(argv[4])};
    report_loops();
    report_trees();
    return 0;
  }
  bool wants_all = true;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "points") {
      selection().prints_points = true;
    } else {
      wants_all = false;
    }
  }
  std::printf("koppel %s, commit %s\ncompiler: %s, flags: %s\nprocessor: %s\n", koppel::version(),
              koppel::commit(), __VERSION__, KOPPEL_FLAGS, koppel::benchmarks::processor().c_str());
  for (const Section& section : kSections) {
    bool wanted = wants_all;
    for (int i = 1; i < argc; ++i) wanted = wanted || argv[i] == section.name;
    if (wanted) section.report();
  }
  print_targets();
}
