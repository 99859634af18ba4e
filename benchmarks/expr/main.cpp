// expr_benchmark: what expressions cost, beside the same work written by hand in C. Prints
// tables for tools/performance. With arguments (functions, series, sizes, generation, compilation)
// only those parts.
#include <cstdio>
#include <string>
#include <string_view>

#include <koppel/version.hpp>

#include "benchmarks/machine.hpp"
#include "sections.hpp"

namespace {

struct Section {
  std::string_view name;
  void (*report)();
};

constexpr Section kSections[] = {
    {"functions", koppel::benchmarks::report_functions},
    {"series", koppel::benchmarks::report_series},
    {"sizes", koppel::benchmarks::report_sizes},
    {"generation", koppel::benchmarks::report_generation},
    {"compilation", koppel::benchmarks::report_compilation},
};

}  // namespace

int main(int argc, char** argv) {
  const koppel::benchmarks::EmptyCache cache;
  std::printf("koppel %s, commit %s\ncompiler: %s, flags: %s; hand-written: -O2\nprocessor: %s\n",
              koppel::version(), koppel::commit(), __VERSION__, KOPPEL_FLAGS,
              koppel::benchmarks::processor().c_str());
  for (const Section& section : kSections) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || argv[i] == section.name;
    if (wanted) section.report();
  }
}
