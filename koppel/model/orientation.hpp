// The components of Quantity::Orientation by their names in model files, in their order.
#pragma once

#include <string_view>

namespace koppel {

inline constexpr std::string_view kOrientations[] = {"roll", "pitch", "yaw", "rx", "ry", "rz"};

}  // namespace koppel
