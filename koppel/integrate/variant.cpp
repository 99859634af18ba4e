#include <koppel/integrate/variant.hpp>

#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

std::optional<double> read_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return value;
}

// False where the integrator has no such variant.
bool read_part(std::string_view integrator, std::string_view text, Variant& out) {
  const bool is_alpha = integrator == "generalized-alpha",
             is_variational = integrator == "variational";
  if (text == "null-space") {
    out.by_null_space = true;
    return is_alpha || is_variational || integrator == "energy-momentum";
  }
  if (is_variational && (text == "midpoint" || text == "trapezoidal")) {
    out.is_trapezoidal = text == "trapezoidal";
    return true;
  }
  const auto radius = is_alpha ? read_number(text) : std::nullopt;
  if (!radius || !(*radius >= 0 && *radius <= 1)) return false;
  out.spectral_radius = *radius;
  return true;
}

std::optional<Variant> read(std::string_view integrator, std::string_view text) {
  Variant out;
  while (!text.empty()) {
    const std::size_t plus = text.find('+');
    if (!read_part(integrator, text.substr(0, plus), out)) return {};
    text.remove_prefix(plus == std::string_view::npos ? text.size() : plus + 1);
  }
  return out;
}

}  // namespace

Variant parse_variant(std::string_view integrator, std::string_view text) {
  return read(integrator, text).value_or(Variant{});
}

void check_variant(const IntegratorInfo& integrator, std::string_view text) {
  if (read(integrator.name, text)) return;
  throw Error("integrate.unknown-variant",
              fmt::format("integrator '{}' has no variant '{}'.", integrator.name, text),
              integrator.variants.empty()
                  ? std::string("It has none.")
                  : fmt::format("Behind the colon stands {}.", integrator.variants));
}

}  // namespace koppel
