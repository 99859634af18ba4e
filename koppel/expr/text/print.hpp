// Expressions as text, as LaTeX, and as a list of assignments, also in the language of MATLAB.
//
//   to_text(e)     "m * x'' - 0.5 * k * (l - 1)^2"; parse gives the same expression again
//   to_latex(e)    "m\,\ddot{x} - 0.5\,k\,{\left(l - 1\right)}^{2}"
//   to_listing(…)  c1 = sin(phi)
//                  x = l * c1
//
// A divisor that is the number 0 is printed, but parse refuses it.
//
// An expression shares its parts, a text does not: as text it can be exponentially longer. Both
// therefore stop at a length, with Error `expr.text-too-long`; a listing names what is shared, and
// its length is linear in the number of nodes. No function here recurses.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include <koppel/expr/graph/expr.hpp>

namespace koppel {

inline constexpr std::size_t kLongestText = std::size_t{64} << 20;

// Numbers are as short as they can be to be read back as the same, parentheses as few.
std::string to_text(Expr e, std::size_t max_bytes = kLongestText);

// Names: theta_1 and θ1 become \theta_{1}, q[2] q_{2}, crane.mass \mathrm{crane.mass}; one and two
// quotes become dots.
std::string to_latex(Expr e, std::size_t max_bytes = kLongestText);

std::ostream& operator<<(std::ostream& stream, Expr e);  // to_text

struct NamedExpr {
  std::string name;
  Expr value;
};

enum class Notation { Text, Latex, Matlab };

struct ListingOptions {
  // Latex: an `aligned` environment. Matlab: statements that Octave and MATLAB run; select(…) is
  // koppel_select(…), a table koppel_table(NAME, order of derivative, …).
  Notation notation = Notation::Text;
  std::string prefix = "c";  // of the names of common parts; names in use are left out
  std::size_t max_bytes = kLongestText;
  std::vector<NamedExpr> symbols = {};  // symbols that are to be written under other names
  std::unordered_map<std::string, std::string> tables = {};  // the same of tables
};

// A line `c1 = …` for every part that occurs more than once, operands before what uses them, then
// a line `name = …` for each of the expressions. Symbols, numbers, their negatives and multiples
// stay where they are.
std::string to_listing(std::span<const NamedExpr> expressions, const ListingOptions& options = {});

}  // namespace koppel
