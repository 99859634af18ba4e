#include "apps/koppel/builtin_models.hpp"

#include <algorithm>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>

namespace koppel::app {

namespace fs = std::filesystem;

std::vector<fs::path> builtin_models() {
  std::vector<fs::path> files;
  std::error_code error;
  const fs::path program = fs::canonical("/proc/self/exe", error);
  const fs::path folder = program.parent_path().parent_path() / "share/koppel/models";
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

fs::path find_model(const std::string& name) {
  std::error_code error;
  if (fs::exists(name, error) && !fs::is_directory(name, error)) return name;
  std::vector<std::string> known;
  for (const fs::path& file : builtin_models()) {
    if (file.stem() == name) return file;
    known.push_back(file.stem().string());
  }
  std::string hint;
  if (const std::string meant = suggest(name, known); !meant.empty()) {
    hint = "Did you mean the built-in model '" + meant + "'? ";
  }
  if (fs::path(name).extension().empty()) hint += "`koppel models` lists the built-in ones.";
  const bool is_folder = fs::is_directory(name, error);
  throw Error(
      {Diagnostic{"model.no-file",
                  is_folder ? "this is a folder, not a model file." : "there is no such file.",
                  is_folder ? "" : hint,
                  {name, 0, 0},
                  {}}});
}

}  // namespace koppel::app
