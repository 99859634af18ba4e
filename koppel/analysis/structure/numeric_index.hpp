// The differentiation index of a DAE from ranks, for where the structure deceives.
//
// The derivative array F, F′, …, F⁽ᵏ⁾ = 0 is an algebraic system for the derivatives of the
// unknowns. Let m_j be the order in which x_j occurs in F, at least 1; the values below m_j are the
// state of the equivalent system of first order. The index is the smallest k for which the array
// determines all x_j of order m_j: every null vector of its Jacobian with respect to the orders
// from m_j on vanishes in order m_j [Campbell & Gear 1995]. An ODE has index 0.
//
// Ranks are those at a point of the array, which Gauss-Newton finds near the given one; Taylor
// arithmetic (Series) gives the array and its Jacobian exactly to all orders. Dense: O((k n)³), for
// mechanisms of some ten bodies.
#pragma once

#include <string>

#include <koppel/analysis/structure/dae.hpp>

namespace koppel {

struct NumericIndexOptions {
  int max_index = 9;
  int max_size = 1500;  // largest array that is worth it
  double tolerance = 1e-8;
};

struct NumericIndex {
  int index = -1;               // −1: not found
  int degrees_of_freedom = -1;  // values to choose at the start
  std::string text;             // why not
};

NumericIndex find_numeric_index(const Dae& dae, const DaePoint& near,
                                const NumericIndexOptions& options = {});

}  // namespace koppel
