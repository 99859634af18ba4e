#include <koppel/integrate/variant.hpp>

#include <algorithm>
#include <charconv>
#include <vector>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel {
namespace {

using Jacobian = FixedCostOptions::Jacobian;
using Updates = FixedCostOptions::Updates;
constexpr std::string_view kStiff = "stiff=";

template <typename T>
struct Word {
  std::string_view text;
  T value;
};
constexpr Word<Jacobian> kJacobians[] = {
    {"exact", Jacobian::Exact}, {"J1", Jacobian::J1}, {"J2", Jacobian::J2}, {"J3", Jacobian::J3}};
constexpr Word<Updates> kUpdates[] = {{"positions-first", Updates::PositionsFirst},
                                      {"velocities-first", Updates::VelocitiesFirst},
                                      {"new-positions", Updates::NewPositions}};

template <typename T>
bool read_word(std::string_view text, std::span<const Word<T>> words, std::optional<T>& out) {
  for (const Word<T>& word : words) {
    if (word.text != text) continue;
    out = word.value;
    return true;
  }
  return false;
}

template <typename T>
std::string_view text_of(T value, std::span<const Word<T>> words) {
  for (const Word<T>& word : words) {
    if (word.value == value) return word.text;
  }
  return "";
}

bool read_radius(std::string_view text, IntegratorVariant& out) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  if (!(value >= 0 && value <= 1)) return false;
  out.spectral_radius = value;
  return true;
}

bool read_null_space(std::string_view text, IntegratorVariant& out) {
  if (text != "null-space") return false;
  out.by_null_space = true;
  return true;
}

// Parts that are joined by +.
template <typename ReadPart>
void read_parts(const IntegratorInfo& integrator, std::string_view text, IntegratorVariant& out,
                ReadPart&& read_part) {
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t plus = std::min(rest.find('+'), rest.size());
    if (!read_part(rest.substr(0, plus), out)) {
      throw Error("integrate.unknown-variant",
                  fmt::format("integrator '{}' has no variant '{}'.", integrator.name, text),
                  integrator.variants.empty()
                      ? std::string("It has none.")
                      : fmt::format("Behind the colon stands {}.", integrator.variants));
    }
    rest.remove_prefix(std::min(plus + 1, rest.size()));
  }
}

void read_euler(std::string_view text, bool has_jacobian, IntegratorVariant& out) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(":+"), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (has_jacobian && part.starts_with(kStiff)) {
      out.stiff = part.substr(kStiff.size());
    } else if (!(has_jacobian && read_word<Jacobian>(part, kJacobians, out.jacobian)) &&
               !read_word<Updates>(part, kUpdates, out.updates)) {
      throw Error("integrate.unknown-variant",
                  fmt::format("'{}' is not {}an order of updates", part,
                              has_jacobian ? "a Jacobian or " : ""),
                  fmt::format("{}orders: positions-first, velocities-first, new-positions{}.",
                              has_jacobian ? "Jacobians: exact, J1, J2, J3; " : "",
                              has_jacobian ? "; and stiff=NAMES" : ""));
    }
  }
}

}  // namespace

void read_no_variant(const IntegratorInfo& integrator, std::string_view text,
                     IntegratorVariant& out) {
  read_parts(integrator, text, out, [](std::string_view, IntegratorVariant&) { return false; });
}

void read_generalized_alpha(const IntegratorInfo& integrator, std::string_view text,
                            IntegratorVariant& out) {
  read_parts(integrator, text, out, [](std::string_view part, IntegratorVariant& to) {
    return read_null_space(part, to) || read_radius(part, to);
  });
}

void read_energy_momentum(const IntegratorInfo& integrator, std::string_view text,
                          IntegratorVariant& out) {
  read_parts(integrator, text, out, read_null_space);
}

void read_variational(const IntegratorInfo& integrator, std::string_view text,
                      IntegratorVariant& out) {
  read_parts(integrator, text, out, [](std::string_view part, IntegratorVariant& to) {
    if (read_null_space(part, to)) return true;
    if (part != "midpoint" && part != "trapezoidal") return false;
    to.is_trapezoidal = part == "trapezoidal";
    return true;
  });
}

void read_explicit_euler(const IntegratorInfo&, std::string_view text, IntegratorVariant& out) {
  read_euler(text, false, out);
}

void read_linear_implicit(const IntegratorInfo&, std::string_view text, IntegratorVariant& out) {
  read_euler(text, true, out);
}

void read_rosenbrock(const IntegratorInfo&, std::string_view text, IntegratorVariant& out) {
  if (text.empty()) return;
  if (!text.starts_with(kStiff)) {
    throw Error("integrate.unknown-variant", fmt::format("'{}' is no variant of rosenbrock", text),
                "It has stiff=NAMES only.");
  }
  out.stiff = text.substr(kStiff.size());
}

void read_rattle(const IntegratorInfo&, std::string_view text, IntegratorVariant&) {
  if (text.empty()) return;
  throw Error("integrate.unknown-variant", fmt::format("'{}' is no variant of rattle", text),
              "It has none.");
}

std::string write_variant(const IntegratorVariant& v) {
  std::vector<std::string> steps;
  if (v.spectral_radius) steps.push_back(fmt::format("{}", *v.spectral_radius));
  if (v.is_trapezoidal) steps.emplace_back(*v.is_trapezoidal ? "trapezoidal" : "midpoint");
  if (v.by_null_space) steps.emplace_back("null-space");
  std::string out = steps.empty() ? "" : fmt::format(":{}", fmt::join(steps, "+"));
  if (v.jacobian) out += fmt::format(":{}", text_of<Jacobian>(*v.jacobian, kJacobians));
  if (v.updates) out += fmt::format(":{}", text_of<Updates>(*v.updates, kUpdates));
  if (v.stiff) out += fmt::format(":{}{}", kStiff, *v.stiff);
  return out;
}

}  // namespace koppel
