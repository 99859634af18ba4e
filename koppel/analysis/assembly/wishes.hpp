// Initial values and wishes as functions of the state. For sources of this folder only.
#pragma once

#include <string>
#include <vector>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/assembly/distance.hpp>

namespace koppel {

// Wishes as functions of the state.
struct Wishes {
  Wishes(const Equations& e, const std::vector<Equations::Wish>& wishes)
      : residual(e, residuals_of(wishes)),
        by_q(e, jacobian(residuals_of(wishes), e.q)),
        by_v(e, jacobian(residuals_of(wishes), e.v)) {
    for (const Equations::Wish& wish : wishes) names.push_back(wish.name);
  }

  static std::vector<Expr> residuals_of(const std::vector<Equations::Wish>& wishes) {
    std::vector<Expr> residuals;
    for (const Equations::Wish& wish : wishes) residuals.push_back(wish.residual);
    return residuals;
  }

  VectorFunction residual;
  MatrixFunction by_q, by_v;
  std::vector<std::string> names;
};

// Those of one kind: of positions or rates, firm ones or mere wishes.
std::vector<Equations::Wish> select_wishes(const Equations& e, bool rates, bool fixed);

// Those that are not for a coordinate or a velocity which the distance is measured in: the others
// are in the guess already.
std::vector<Equations::Wish> leave_out_guesses(const Equations& e, const StartDistance& distance,
                                               std::vector<Equations::Wish> wishes);

// Adds those that a state does not meet to what was missed.
void note_missed(const Wishes& wishes, const State& state, double tolerance, Assembly& result);

}  // namespace koppel
