// expr_benchmark: what expressions cost, beside the same work written by hand in C. Prints the
// tables of docs/performance.md. With arguments (functions, series, sizes, compilation) only those
// parts.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include <koppel/version.hpp>

#include "sections.hpp"

namespace {

namespace fs = std::filesystem;

// Native code is compiled anew in every run, and leaves nothing behind.
class EmptyCache {
 public:
  EmptyCache() {
    std::string name = (fs::temp_directory_path() / "koppel-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
    unsetenv("KOPPEL_NATIVE");
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  ~EmptyCache() {
    std::error_code error;
    if (!path_.empty()) fs::remove_all(path_, error);
  }

 private:
  fs::path path_;
};

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

struct Section {
  std::string_view name;
  void (*report)();
};

constexpr Section kSections[] = {
    {"functions", koppel::benchmarks::report_functions},
    {"series", koppel::benchmarks::report_series},
    {"sizes", koppel::benchmarks::report_sizes},
    {"compilation", koppel::benchmarks::report_compilation},
};

}  // namespace

int main(int argc, char** argv) {
  const EmptyCache cache;
  std::printf("koppel %s, commit %s\ncompiler: %s, flags: %s; by hand: -O2\nprocessor: %s\n",
              koppel::version(), koppel::commit(), __VERSION__, KOPPEL_FLAGS, processor().c_str());
  for (const Section& section : kSections) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || argv[i] == section.name;
    if (wanted) section.report();
  }
}
