#include <koppel/results/json_text.hpp>

#include <cmath>
#include <iterator>

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

void JsonText::number(double value) {
  if (!std::isfinite(value)) {
    out_ += "null";
  } else {
    fmt::format_to(std::back_inserter(out_), "{:.7g}", value);
  }
}

}  // namespace koppel
