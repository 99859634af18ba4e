// Equations that the structure of a DAE does not show.
//
// Where the system Jacobian J of structural analysis (signature.hpp) is singular for all values,
// not just at a point, there is w(x) with wᵀJ = 0, and the combination
//   F̄ = F_l + Σ w_i F_i⁽ᶜⁱ⁻ᶜˡ⁾,     c_l the least c_i with w_i ≠ 0,                          (1)
// has lower derivatives than its parts: their leading ones cancel. Put in the place of F_l it makes
// the DAE another one with the same solutions and a better structure [Tan, Nedialkov & Pryce 2017].
// A crane in minimal coordinates is the example: its load has no input of its own, which equations
// for the motion of angle and cable do not show, but their combination across the cable does.
//
// w comes from elimination in J, with expressions, along pivots that are far from 0 in numbers at a
// given point and at others around it. What vanishes at all of them vanishes; so do derivatives by
// unknowns that have cancelled, and these are then replaced by 0.
#pragma once

#include <map>
#include <vector>

#include <koppel/expr/dae/signature.hpp>

namespace koppel {

struct RevealedDae {
  Dae dae;
  Structure structure;
  int num_hidden = 0;  // equations that were put in the place of others
  // For each equation, how often the equations of the original DAE are differentiated in it.
  std::vector<std::map<int, int>> differentiated;
  // How often equation i of the original DAE is differentiated altogether, and the index that is.
  std::vector<int> order;
  int index = -1;
};

// Unchanged where the structure is right. Where it is not, first the values of parameters are put
// in: a damping of 0 is no damping. Where none of the above helps, the structure stays singular.
RevealedDae reveal_hidden_equations(Dae dae, const DaePoint& near);

// Whether the system Jacobian is regular at the point or at one of some others around it.
bool is_regular_around(const Dae& dae, const Structure& structure, const DaePoint& near);

// Numbers in the place of the symbols that have values at the point.
Dae with_values(const Dae& dae, const DaePoint& point);

}  // namespace koppel
