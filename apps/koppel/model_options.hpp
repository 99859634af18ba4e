// What all subcommands that take a model have in common.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/option.hpp>
#include <koppel/model/model.hpp>

namespace koppel::app {

struct ModelOptions {
  std::string path;
  std::string coordinates;            // empty: the model's or the default
  std::vector<std::string> settings;  // name=value

  static const OptionTable& options();
};

// What --set says. Throws Error `arguments.wrong`.
std::vector<std::pair<std::string, std::string>> settings_of(const ModelOptions& options);

Model load(const ModelOptions& options);

// The error with the places of what it names in the model that was loaded last, if any.
Error with_places(const Error& error);

// The set to use: asked for on the command line, in the model, or the default.
std::string coordinates_of(const ModelOptions& options, const Model& model);

}  // namespace koppel::app
