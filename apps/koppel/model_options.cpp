#include "apps/koppel/model_options.hpp"

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/model/places.hpp>
#include <koppel/simulate/run_request.hpp>

#include "apps/koppel/builtin_models.hpp"
#include "apps/koppel/load_origins.hpp"

namespace koppel::app {
namespace {

Places& loaded_places() {
  static Places places;
  return places;
}

}  // namespace

const OptionTable& ModelOptions::options() {
  using O = ModelOptions;
  static const OptionTable kOptions = {
      {{.name = "model",
        .text = "Model file, or name of a built-in model",
        .typed = "MODEL",
        .is_required = true},
       &O::path},
      coordinates_option(&O::coordinates),
      {{.name = "set", .text = "Override a parameter; may be repeated", .value = "NAME=VALUE"},
       &O::settings}};
  return kOptions;
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
