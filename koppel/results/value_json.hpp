// JSON of values.
#pragma once

#include <string>

#include <koppel/base/value.hpp>

namespace koppel {

enum class KeyOrder { AsGiven, Alphabetic };

// With line breaks and two spaces for each level. Numbers have the digits that give them back;
// those that are not finite are null.
std::string to_json(const Value& value, KeyOrder order = KeyOrder::AsGiven);

}  // namespace koppel
