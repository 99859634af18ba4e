// Options of integrators: what stands behind the colon of `generalized-alpha:0.5`, joined by +
// where there are more (`generalized-alpha:0.5+null-space`), and behind those of
// `linear-implicit:J2:velocities-first:stiff=tyre`.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <koppel/problem/fixed_cost.hpp>

namespace koppel {

struct IntegratorInfo;

// What was said; each integrator looks at its own.
struct IntegratorVariant {
  std::optional<double> spectral_radius;  // at infinite frequency, of generalized-alpha
  std::optional<bool> is_trapezoidal;     // the discrete Lagrangian of variational
  bool by_null_space = false;             // multipliers are eliminated from Newton's matrix
  // Of fixed-cost steps.
  std::optional<FixedCostOptions::Jacobian> jacobian;
  std::optional<FixedCostOptions::Updates> updates;
  std::optional<std::string> stiff;

  bool operator==(const IntegratorVariant&) const = default;
};
inline constexpr std::string_view kStiffAuto = "auto";  // the partition is to be chosen

// Readers of the text behind the first colon, one for each kind of integrator. They add to what was
// read before. Throw Error `integrate.unknown-variant`.
using ReadVariant = void (*)(const IntegratorInfo& integrator, std::string_view text,
                             IntegratorVariant& out);
void read_no_variant(const IntegratorInfo& integrator, std::string_view text,
                     IntegratorVariant& out);
void read_generalized_alpha(const IntegratorInfo& integrator, std::string_view text,
                            IntegratorVariant& out);
void read_energy_momentum(const IntegratorInfo& integrator, std::string_view text,
                          IntegratorVariant& out);
void read_variational(const IntegratorInfo& integrator, std::string_view text,
                      IntegratorVariant& out);
void read_explicit_euler(const IntegratorInfo& integrator, std::string_view text,
                         IntegratorVariant& out);
void read_linear_implicit(const IntegratorInfo& integrator, std::string_view text,
                          IntegratorVariant& out);
void read_rosenbrock(const IntegratorInfo& integrator, std::string_view text,
                     IntegratorVariant& out);
void read_rattle(const IntegratorInfo& integrator, std::string_view text, IntegratorVariant& out);

// As it is read, with its colon; empty where nothing was said.
std::string write_variant(const IntegratorVariant& variant);

}  // namespace koppel
