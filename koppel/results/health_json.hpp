// Health as part of a summary.json.
#pragma once

#include <nlohmann/json.hpp>

#include <koppel/results/health.hpp>

namespace koppel {

nlohmann::ordered_json json_of(const Health& health);

}  // namespace koppel
