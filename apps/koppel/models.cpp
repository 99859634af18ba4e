// koppel models: the models that come with the program, a line each.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <memory>
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

void run(bool json) {
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
  if (json) {
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

void add_models(CLI::App& program) {
  CLI::App* command = program.add_subcommand("models", "List the built-in models");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print the list as JSON, with the paths of the files");
  command->footer("Example:\n  koppel models");
  command->callback([json] { run(*json); });
}

}  // namespace koppel::app
