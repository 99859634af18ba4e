// Whether the offsets of a DAE (expr/dae/signature.hpp) are right at a point: the system Jacobian
// in numbers, and which values may be chosen there.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/expr/dae/signature.hpp>

namespace koppel {

struct FreeValue {
  int unknown = 0;
  int order = 0;     // of derivative
  std::string name;  // x, x', …
};

// J in numbers.
struct Regularity {
  bool is_regular = false;
  double smallest_pivot = 0;  // relative; of the equilibrated matrix
  int rank = 0;
  // The equations and unknowns of the near-null vectors, where it is singular.
  std::vector<std::string> equations, unknowns;
  // The values that may be chosen at the start. Solving stage by stage k = −max d, …, −1 for the
  // x_j⁽ᵈʲ⁺ᵏ⁾, those whose columns are best conditioned are solved for; the others are free. Not
  // listed for systems of more than 400 equations, which are checked by sparse elimination.
  std::vector<FreeValue> free;
};

Regularity check_regularity(const Dae& dae, const Structure& structure, const DaePoint& point,
                            double tolerance = 1e-9);

}  // namespace koppel
