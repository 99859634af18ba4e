#include "apps/koppel/model_options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/places.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/load_origins.hpp"

namespace koppel::app {
namespace {

Places& loaded_places() {
  static Places places;
  return places;
}

}  // namespace

std::shared_ptr<ModelOptions> add_model_options(CLI::App& command) {
  auto options = std::make_shared<ModelOptions>();
  command.add_option("MODEL", options->path, "Model file, or name of a built-in model")->required();
  command
      .add_option("--coordinates", options->coordinates,
                  "Coordinates: absolute, cardan, joint, natural, directors; lagrange for models "
                  "without bodies")
      ->type_name("SET");
  command.add_option("--set", options->settings, "Override a parameter; may be repeated")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  return options;
}

std::vector<std::pair<std::string, std::string>> settings_of(const ModelOptions& options) {
  std::vector<std::pair<std::string, std::string>> out;
  for (const std::string& text : options.settings) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw Error("arguments.wrong", "--set '" + text + "' is not of the form name=value.");
    }
    out.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return out;
}

Model load(const ModelOptions& options) {
  std::vector<ParameterOrigin> origins;
  return load(options, origins);
}

Model load(const ModelOptions& options, std::vector<ParameterOrigin>& origins) {
  const ReadOptions read{settings_of(options)};
  Model model = read_model(find_model(options.path), read, origins);
  for (const Diagnostic& remark : model.remarks) {
    fmt::print(stderr, "{}:{}: note[{}]: {}\n", remark.where.file, remark.where.line, remark.id,
               remark.message);
  }
  loaded_places() = Places(model);
  return model;
}

Error with_places(const Error& error) { return loaded_places().locate(error); }

std::string coordinates_of(const ModelOptions& options, const Model& model) {
  if (!options.coordinates.empty()) return options.coordinates;
  if (!model.run.coordinates.empty()) return model.run.coordinates;
  return coordinate_sets(model)[0];
}

}  // namespace koppel::app
