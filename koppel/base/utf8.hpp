// UTF-8, as far as names and error messages need it.
#pragma once

#include <cstddef>
#include <string_view>

namespace koppel {

// The length of the UTF-8 character that a text starts with; 0: it is none [RFC 3629].
std::size_t utf8_length(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace koppel
