// A model with what its parameters follow from.
#pragma once

#include <vector>

#include <koppel/model/yaml/parameter_origins.hpp>

#include "apps/koppel/model_options.hpp"

namespace koppel::app {

// As load() without them.
Model load(const ModelOptions& options, std::vector<ParameterOrigin>& origins);

}  // namespace koppel::app
