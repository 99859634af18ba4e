#include <koppel/results/json_text.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
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

namespace {

constexpr std::size_t kSpare = 16;  // digits that are put and taken back
constexpr double kLeast = std::numeric_limits<float>::min();
constexpr double kLargest = std::numeric_limits<float>::max();

bool is_float(double value) {
  const double size = std::abs(value);
  return size == 0 || (size >= kLeast && size <= kLargest);
}

// Of base64 [RFC 4648], two digits for each number of twelve bits.
constexpr auto kPairs = [] {
  constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::array<char, 2 * 4096> pairs{};
  for (std::size_t i = 0; i < 4096; ++i) {
    pairs[2 * i] = kDigits[i / 64];
    pairs[2 * i + 1] = kDigits[i % 64];
  }
  return pairs;
}();

// The nearest float, its least byte on the left.
std::uint32_t bytes_of(double value) {
  const float near =
      std::isfinite(value) ? static_cast<float>(value) : std::numeric_limits<float>::quiet_NaN();
  const auto word = std::bit_cast<std::uint32_t>(near);
  return word << 24 | (word & 0xFF00) << 8 | (word >> 8 & 0xFF00) | word >> 24;
}

// Three bytes as four digits.
char* put_triple(char* to, std::uint32_t bytes) {
  std::copy_n(&kPairs[2 * (bytes >> 12)], 2, to);
  std::copy_n(&kPairs[2 * (bytes & 0xFFF)], 2, to + 2);
  return to + 4;
}

// Three floats as sixteen digits.
char* put_floats(char* to, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  to = put_triple(to, a >> 8);
  to = put_triple(to, (a & 0xFF) << 16 | b >> 16);
  to = put_triple(to, (b & 0xFFFF) << 8 | c >> 24);
  return put_triple(to, c & 0xFFFFFF);
}

}  // namespace

void JsonText::packed(std::span<const double> values) {
  const bool are_floats = std::all_of(values.begin(), values.end(), [](double value) {
    return !std::isfinite(value) || is_float(value);
  });
  if (!are_floats) return numbers(values);
  const std::size_t n = values.size(), first = out_.size(), num_digits = 4 * ((4 * n + 2) / 3);
  out_.resize(first + num_digits + 2 + kSpare);
  char* to = &out_[first];
  *to++ = '"';
  std::size_t i = 0;
  for (; i + 3 <= n; i += 3) {
    to = put_floats(to, bytes_of(values[i]), bytes_of(values[i + 1]), bytes_of(values[i + 2]));
  }
  if (i < n) put_floats(to, bytes_of(values[i]), i + 1 < n ? bytes_of(values[i + 1]) : 0, 0);
  out_.resize(first + num_digits + 2);
  out_.back() = '"';
  const std::size_t num_padded = 2 * (n % 3) % 3;  // (−4n) mod 3
  std::fill_n(out_.end() - 1 - static_cast<std::ptrdiff_t>(num_padded), num_padded, '=');
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
