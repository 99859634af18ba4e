// SI units of what a model has, as far as they are known; empty: none, or not known.
#pragma once

#include <string>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// Of an expression that the user wrote: of a quantity or its rate; empty for anything else.
std::string unit_of(const Model& model, Expr written);

// Of the time derivative of what has the unit: "m" → "m/s", "m/s" → "m/s^2"; empty stays empty.
std::string unit_of_derivative(const std::string& unit, int order = 1);

// Of the multiplier of a row, whose product with the residual, or its rate, is an energy or a
// power: N where the row is a length or a speed.
std::string unit_of_multiplier(const Equations::Row& row);

}  // namespace koppel
