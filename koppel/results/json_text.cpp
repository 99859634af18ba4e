#include <koppel/results/json_text.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

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

namespace {

constexpr double kLeast = std::numeric_limits<float>::min();
constexpr double kLargest = std::numeric_limits<float>::max();

bool is_float(double value) {
  const double size = std::abs(value);
  return size == 0 || (size >= kLeast && size <= kLargest);
}

}  // namespace

void JsonText::packed(std::span<const double> values) {
  const bool are_floats = std::all_of(values.begin(), values.end(), [](double value) {
    return !std::isfinite(value) || is_float(value);
  });
  if (!are_floats) return numbers(values);
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const std::size_t num_bytes = 4 * values.size();
  std::vector<unsigned char> bytes(num_bytes + 2, 0);  // whole triples
  unsigned char* byte = bytes.data();
  for (const double value : values) {
    const float near =
        std::isfinite(value) ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN();
    const auto word = std::bit_cast<std::uint32_t>(near);
    for (int shift = 0; shift < 32; shift += 8) *byte++ = static_cast<unsigned char>(word >> shift);
  }
  const std::size_t num_triples = (num_bytes + 2) / 3, first = out_.size();
  out_.resize(first + 4 * num_triples + 2, '"');
  char* digit = &out_[first + 1];
  for (std::size_t k = 0; k < num_triples; ++k) {
    const unsigned char* const three = &bytes[3 * k];
    const std::uint32_t bits = std::uint32_t{three[0]} << 16 | three[1] << 8 | three[2];
    for (int shift = 18; shift >= 0; shift -= 6) *digit++ = kDigits[bits >> shift & 63];
  }
  for (std::size_t k = 0; k < 3 * num_triples - num_bytes; ++k)
    digit[-1 - static_cast<int>(k)] = '=';
}

// The shortest text of the nearest float has the seven digits that a page shows and takes a tenth
// of the time of "{:.7g}"; most of the time of a report goes into numbers.
void JsonText::number(double value) {
  if (!std::isfinite(value)) {
    out_ += "null";
  } else if (is_float(value)) {
    char digits[32];
    out_.append(digits, std::to_chars(digits, std::end(digits), static_cast<float>(value)).ptr);
  } else {
    fmt::format_to(std::back_inserter(out_), "{:.7g}", value);
  }
}

}  // namespace koppel
