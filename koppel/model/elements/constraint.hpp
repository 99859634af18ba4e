// Constraints given by expressions: `constraints`, `couplings` and `nonholonomic`.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct ConstraintElement {
  static constexpr ElementInfo kInfo{"constraint", "an expression that is kept zero"};

  std::optional<Expr> value = {};
  bool pulls = false;
  Word jump{-1};

  static const std::vector<Field<ConstraintElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

// Of the coordinates of joints, such as gears.
struct CouplingElement {
  static constexpr ElementInfo kInfo{"constraint", "an expression that is kept zero"};

  std::optional<Expr> value = {};
  Word jump{-1};

  static const std::vector<Field<CouplingElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct NonholonomicElement {
  static constexpr ElementInfo kInfo{"constraint",
                                     "an expression, linear in rates, that is kept zero"};

  std::optional<Expr> value = {};
  Word jump{-1};

  static const std::vector<Field<NonholonomicElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
