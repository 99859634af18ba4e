// Lists of names in messages.
#pragma once

#include <span>
#include <string>

namespace koppel {

// "'a', 'b'": names in quotation marks, as they come; six at most, then how many more there are.
std::string quoted(std::span<const std::string> names);

}  // namespace koppel
