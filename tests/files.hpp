// Files as texts, built-in models, and programs that run in a folder.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {

inline std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

#ifdef KOPPEL_MODELS
inline Model built_in(const std::string& name, const ReadOptions& options = {}) {
  return read_model(std::string(KOPPEL_MODELS) + name + ".yaml", options);
}
#endif

// The exit status; what is printed goes to files `out` and `err` of the folder.
inline int run_in(const std::filesystem::path& folder, const std::string& command) {
  return std::system(("cd '" + folder.string() + "' && " + command + " >out 2>err").c_str());
}

inline bool has_program(const std::string& name) {
  return std::system(("command -v " + name + " >/dev/null").c_str()) == 0;
}

}  // namespace koppel::testing
