// Texts from outside, made fit to be shown: on a terminal, control characters would act.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace koppel {

// The length of the control character that a text starts with; 0: it is none. Beside those of ASCII
// (all but the tab and the line feed) and of Latin-1 these are what turns the direction of writing
// and what breaks lines [Unicode 15, 23.2].
std::size_t control_length(std::string_view text);

// Control characters, and bytes that are not UTF-8, are written \xNN; with `keep_lines` line feeds
// and tabs stay.
std::string printable(std::string_view text, bool keep_lines = false);

// Words of more than `most` bytes are cut: names may have any length.
std::string with_short_words(std::string_view text, std::size_t most = 120);

}  // namespace koppel
