// A product as a number times powers of different bases, c ∏ bᵢ^eᵢ.
//
// Quotients are negative exponents, √b is b^½, exp(u) is e^u. Exponents multiply through only when
// the outer one is an integer: √(x²) stays the root of x·x. Bases are what is not a product; of the
// two differences a − b and b − a one is chosen, and the sign goes into c.
#pragma once

#include <cstdint>
#include <vector>

#include <koppel/expr/algebra/usage.hpp>
#include <koppel/expr/graph/expr.hpp>

namespace koppel::algebra {

// Whether to look into subexpressions that have other users too. What is taken apart there must
// be made again, so neither choice is the better one always.
enum class Reach { Unshared, Shared };

struct Factor {
  Expr base, exponent;

  bool operator==(const Factor&) const = default;
};

struct Monomial {
  double coefficient = 1;
  std::vector<Factor> factors;  // in the order of their bases, each base once
  std::uint64_t hash = 0;       // of the factors

  // False when a number has left the range of double: such a monomial must not be used.
  bool is_valid() const;
  bool has_factors_of(const Monomial& other) const {
    return hash == other.hash && factors == other.factors;
  }
  // Orders the factors, merges equal bases; true when there were some.
  bool normalise();
};

Monomial operator*(const Monomial& a, const Monomial& b);

// e as a monomial.
struct MonomialOf {
  Monomial monomial;
  bool merged = false;         // bases or numbers met
  bool is_shorter = false;     // merged, or x² y² that can be (x y)²
  bool opened_shared = false;  // something with other users was taken apart
};
MonomialOf read_monomial(Expr e, Reach reach, const Usage& usage);

// The expression of a valid monomial: (numerator/denominator) · number, with bases of equal
// integer exponents under one power, and with products that are in use already where there are any.
Expr make_expr(const Monomial& monomial, const Usage& usage, Graph& graph);

// x, or NaN where it is not a normal number: an overflow, or an underflow that lost digits.
double checked(double x);

// A hash for the parts of a key.
std::uint64_t mix(std::uint64_t a, std::uint64_t b);
std::uint64_t hash_of(const Factor& factor);
// Equal for equal expressions of one graph.
std::uint64_t key_of(Expr e);

// Whether e is a number without fraction, small enough for exact arithmetic.
bool is_integer(Expr e);

}  // namespace koppel::algebra
