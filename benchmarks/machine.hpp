// Where a benchmark runs: the processor's name, and a cache of native code that begins empty.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

namespace koppel::benchmarks {

inline std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// Native code is compiled anew in every run, and leaves nothing behind.
class EmptyCache {
 public:
  EmptyCache() {
    std::string name = (std::filesystem::temp_directory_path() / "koppel-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) return;
    path_ = name;
    setenv("XDG_CACHE_HOME", name.c_str(), 1);
    unsetenv("KOPPEL_NATIVE");
  }
  EmptyCache(const EmptyCache&) = delete;
  EmptyCache& operator=(const EmptyCache&) = delete;
  ~EmptyCache() {
    std::error_code error;
    if (!path_.empty()) std::filesystem::remove_all(path_, error);
  }

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace koppel::benchmarks
