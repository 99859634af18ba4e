// Variants of integrators: what stands behind the colon of `generalized-alpha:0.5`, joined by +
// where there are more: `generalized-alpha:0.5+null-space`.
#pragma once

#include <string_view>

#include <koppel/integrate/integrator.hpp>

namespace koppel {

// What the variants of all integrators say; each looks at its own.
struct Variant {
  double spectral_radius = 0.8;
  bool is_trapezoidal = false;
  bool by_null_space = false;  // multipliers are eliminated from Newton's matrix
};

inline std::string_view variant_of(std::string_view integrator) {
  const std::size_t colon = integrator.find(':');
  return colon == std::string_view::npos ? std::string_view{} : integrator.substr(colon + 1);
}

// Options of fixed-cost steps from the parts of "J2:velocities-first:stiff=tyre"; empty: the
// defaults. Without Jacobian: explicit Euler. Throws Error `integrate.unknown-variant`.
FixedCostOptions read_fixed_cost(std::string_view variant, bool has_jacobian);
// Of an integrator with its variant, "linear-implicit:J2", and the projection asked for. Throws
// Error `integrate.unknown-variant`.
FixedCostOptions fixed_cost_options(std::string_view integrator, Projection projection);

// Throws Error `integrate.unknown-variant`.
Variant parse_variant(std::string_view integrator, std::string_view text);
void check_variant(const IntegratorInfo& integrator, std::string_view text);

}  // namespace koppel
