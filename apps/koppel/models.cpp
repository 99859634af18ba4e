// koppel models: the models that come with the program, a line each.

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/yaml/read_model.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/commands.hpp"

namespace koppel::app {
namespace {

struct Line {
  std::string name, description, file;
};

struct ModelsOptions {
  bool json = false;

  static const OptionTable& options();
};

const OptionTable& ModelsOptions::options() {
  static const OptionTable kOptions = {
      {{.name = "json", .text = "Print the list as JSON, with the paths of the files"},
       &ModelsOptions::json}};
  return kOptions;
}

void list_models(const ModelsOptions& options) {
  std::vector<Line> lines;
  std::size_t width = 0;
  for (const std::filesystem::path& file : builtin_models()) {
    const Model model = read_model(file);
    lines.push_back({file.stem().string(),
                     model.description.empty() ? model.name : model.description, file.string()});
    width = std::max(width, lines.back().name.size());
  }
  if (lines.empty()) {
    throw Error("model.no-file", "the folder of the built-in models is missing.",
                "It is share/koppel/models, beside the folder of the program.");
  }
  if (options.json) {
    nlohmann::json out = nlohmann::json::array();
    for (const Line& line : lines) {
      out.push_back({{"name", line.name}, {"description", line.description}, {"file", line.file}});
    }
    std::printf("%s\n", out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  for (const Line& line : lines) {
    std::printf("%-*s  %s\n", static_cast<int>(width), line.name.c_str(), line.description.c_str());
  }
}

}  // namespace

Command models_command() {
  return CommandOf<list_models>::make("models", "List the built-in models",
                                      "Example:\n  koppel models");
}

}  // namespace koppel::app
