// What is an expression under a name: parameters, signals, definitions, outputs, what stays
// positive, forces on coordinates and values at the start. With other keys it stands under `value`.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct ParameterElement {
  static constexpr ElementInfo kInfo{"parameter", "a number that can be given another value"};

  std::optional<Expr> value = {};

  static const std::vector<Field<ParameterElement>>& fields();
};

struct ExpressionSignal {
  static constexpr ElementInfo kInfo{"signal", "an expression of time"};

  std::optional<Expr> value = {};

  static const std::vector<Field<ExpressionSignal>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct DefinitionElement {
  static constexpr ElementInfo kInfo{"definition", "an expression of the motion"};

  std::optional<Expr> value = {};

  static const std::vector<Field<DefinitionElement>>& fields();
};

// The rotation of a body against another, in space: `name.roll`, `name.pitch`, `name.yaw` and the
// rotation vector `name.rx`, `name.ry`, `name.rz`.
struct RotationElement {
  static constexpr ElementInfo kInfo{"definition", "the rotation between two bodies"};

  Ends between = {};

  static const std::vector<Field<RotationElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct OutputElement {
  static constexpr ElementInfo kInfo{"output", "a column of the result"};

  std::optional<Expr> value = {};

  static const std::vector<Field<OutputElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct PositiveElement {
  static constexpr ElementInfo kInfo{"positive expression",
                                     "what stays positive on the branch that is meant"};

  std::optional<Expr> value = {};

  static const std::vector<Field<PositiveElement>>& fields();
  void add_to(ModelWriter& writer) const;
};

struct GeneralizedForce {
  static constexpr ElementInfo kInfo{"generalized force", "a force on a quantity"};

  std::optional<Expr> value = {};

  static const std::vector<Field<GeneralizedForce>>& fields();
};

struct InitialElement {
  static constexpr ElementInfo kInfo{"initial value", "of a quantity or a rate"};

  std::optional<Expr> value = {};
  bool fixed = true, wish = false;

  static const std::vector<Field<InitialElement>>& fields();
};

}  // namespace koppel
