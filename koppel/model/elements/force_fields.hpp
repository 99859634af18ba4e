// What forces have in common.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

// `stiff: true`.
template <typename E>
Field<E> stiff_field() {
  return {{.key = "stiff",
           .text = "fixed-cost steps treat marked forces implicitly and all others explicitly",
           .unless_given = "false"},
          &E::stiff};
}

// The energy of a linear spring; none where stiffness or rest change during the motion.
Expr stored_energy(const ModelWriter& writer, Expr stiffness, Expr rest, Expr stretch);

// Whether the ends are given and on different bodies; else it is a mistake.
bool is_between_bodies(ModelWriter& writer, const Ends& ends);

}  // namespace koppel
