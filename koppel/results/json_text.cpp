#include <koppel/results/json_text.hpp>

#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace koppel {

void JsonText::string(const std::string& text) {
  const std::string quoted =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  for (const char c : quoted) {
    if (c == '<') {
      out_ += "\\u003c";
    } else {
      out_ += c;
    }
  }
}

// The shortest text of the nearest float has the seven digits that a page shows and takes a tenth
// of the time of "{:.7g}"; most of the time of a report goes into numbers.
void JsonText::number(double value) {
  constexpr double kLeast = std::numeric_limits<float>::min();
  constexpr double kLargest = std::numeric_limits<float>::max();
  const double size = std::abs(value);
  if (!std::isfinite(value)) {
    out_ += "null";
  } else if (size == 0 || (size >= kLeast && size <= kLargest)) {
    char digits[32];
    out_.append(digits, std::to_chars(digits, std::end(digits), static_cast<float>(value)).ptr);
  } else {
    fmt::format_to(std::back_inserter(out_), "{:.7g}", value);
  }
}

}  // namespace koppel
