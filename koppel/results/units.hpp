// SI units of columns, as far as they can be told.
#pragma once

#include <string>

#include <koppel/model/model.hpp>

namespace koppel {

// Of an expression that the user wrote: of a quantity or its rate; empty for anything else.
std::string unit_of(const Model& model, Expr written);

// Of a coordinate that a coordinate set made for bodies, by its name ("P.x", "hinge.angle"), and of
// a velocity. Names of the user's own coordinates tell nothing.
std::string unit_of_coordinate(const Model& model, const std::string& name);
std::string unit_of_velocity(const Model& model, const std::string& name);

// Of the time derivative of what has the unit: "m" → "m/s", "m/s" → "m/s^2"; empty stays empty.
std::string unit_of_derivative(const std::string& unit, int order = 1);

// Of the multiplier of a constraint: N where the constraint is a distance along an axis.
std::string unit_of_multiplier(const Model& model, const std::string& coordinates,
                               const std::string& row);

}  // namespace koppel
