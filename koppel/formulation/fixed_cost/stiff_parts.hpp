// Which parts of the forces a linear-implicit step takes derivatives of: the partition of the
// Jacobian [Burgermeister, Arnold & Esterl 2006, section 2]. Steps are W-methods, of their order
// for any choice; what matters for stability has to be in, the rest costs time only.
//
// A partition is a text, a list of names separated by commas:
//
//   tyre[1]     a part (Equations::parts): its derivatives by positions and by velocities
//   tyre        all parts tyre[…]
//   tyre/v      those by velocities only; tyre/q those by positions
//   all, none
//
// An empty text is what the model says (`stiff: true`), or all where it says nothing.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/formulation/fixed_cost/descriptor.hpp>

namespace koppel {

struct StiffParts {
  std::vector<char> by_q, by_v;  // for each of Equations::parts
  bool operator==(const StiffParts&) const = default;
};

// Throws Error `integrate.unknown-force`, with a suggestion.
StiffParts read_stiff(const std::vector<Equations::ForcePart>& parts, std::string_view text);
// As short as it can be, for people and read_stiff.
std::string write_stiff(const std::vector<Equations::ForcePart>& parts, const StiffParts& stiff);

// The forces whose derivatives by q (and t), and by v, a step takes. Without multipliers, and
// without forces that it chooses.
struct StiffForces {
  std::vector<Expr> by_q, by_v;
};
// `f` are all forces, without multipliers.
StiffForces stiff_forces(const Descriptor& descriptor, const std::vector<Expr>& f,
                         std::string_view text);

}  // namespace koppel
