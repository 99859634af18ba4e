#include <koppel/integrate/variant.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

using Jacobian = FixedCostOptions::Jacobian;
using Updates = FixedCostOptions::Updates;
constexpr std::string_view kStiff = "stiff=";

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

FixedCostOptions read_fixed_cost(std::string_view variant, bool has_jacobian) {
  FixedCostOptions out;
  if (!has_jacobian) out.jacobian = Jacobian::None;
  while (!variant.empty()) {
    const std::size_t end = std::min(variant.find_first_of(":+"), variant.size());
    const std::string_view part = variant.substr(0, end);
    variant.remove_prefix(std::min(end + 1, variant.size()));
    if (has_jacobian && part.starts_with(kStiff)) {
      out.stiff = part.substr(kStiff.size());
    } else if (has_jacobian && part == "exact") {
      out.jacobian = Jacobian::Exact;
    } else if (has_jacobian && part == "J1") {
      out.jacobian = Jacobian::J1;
    } else if (has_jacobian && part == "J2") {
      out.jacobian = Jacobian::J2;
    } else if (has_jacobian && part == "J3") {
      out.jacobian = Jacobian::J3;
    } else if (part == "positions-first") {
      out.updates = Updates::PositionsFirst;
    } else if (part == "velocities-first") {
      out.updates = Updates::VelocitiesFirst;
    } else if (part == "new-positions") {
      out.updates = Updates::NewPositions;
    } else {
      throw Error("integrate.unknown-variant",
                  fmt::format("'{}' is not {}an order of updates", part,
                              has_jacobian ? "a Jacobian or " : ""),
                  fmt::format("{}orders: positions-first, velocities-first, new-positions{}.",
                              has_jacobian ? "Jacobians: exact, J1, J2, J3; " : "",
                              has_jacobian ? "; and stiff=NAMES" : ""));
    }
  }
  return out;
}

FixedCostOptions fixed_cost_options(std::string_view integrator, Projection projection) {
  const std::string_view name = integrator.substr(0, integrator.find(':'));
  const std::string_view variant = variant_of(integrator);
  FixedCostOptions out;
  if (name == "rattle") {
    if (!variant.empty()) {
      throw Error("integrate.unknown-variant", fmt::format("'{}' is no variant of rattle", variant),
                  "It has none.");
    }
    out.rule = FixedCostOptions::Rule::Rattle;
  } else if (name == "rosenbrock") {
    if (!variant.empty() && !variant.starts_with(kStiff)) {
      throw Error("integrate.unknown-variant",
                  fmt::format("'{}' is no variant of rosenbrock", variant),
                  "It has stiff=NAMES only.");
    }
    out.rule = FixedCostOptions::Rule::Rosenbrock;
    if (!variant.empty()) out.stiff = variant.substr(kStiff.size());
  } else {
    out = read_fixed_cost(variant, name == "linear-implicit");
  }
  out.projects = projection != Projection::None;
  return out;
}

}  // namespace koppel
