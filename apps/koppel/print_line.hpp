// Readable results on standard output.
#pragma once

#include <string>

namespace koppel::app {

// A label and text behind it, wrapped between words.
void print_line(const std::string& label, const std::string& text);

}  // namespace koppel::app
