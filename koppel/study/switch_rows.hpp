// Integrals and extremes over rows of quantities that switch, select(x > c, 1, 0) say, or jump with
// an event. Beside the quantity the rows have the arguments whose signs decide which of its pieces
// holds, x − c here. Where an argument passes through zero follows from its rows, to the fourth
// order in their distance, as integrals of smooth quantities are; pieces between such times and
// events are integrated by themselves, up to their ends with the parabola through their first or
// last three rows. For sources of this folder only.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/study/criteria.hpp>

namespace koppel {

// Makes the arguments of quantities, unless only final values are asked for, outputs of the model.
// Those of tables, which have corners and no jumps but for held ones, are left out.
void add_switches(std::span<const Criterion> criteria, Model& model);

// The columns of a quantity's arguments.
std::vector<std::span<const double>> switch_columns(const std::string& quantity,
                                                    const Trajectory& trajectory);

// The times at which an argument changes its sign, between events; not at them.
std::vector<double> find_zeros(std::span<const double> t, std::span<const double> argument,
                               const std::vector<double>& events);

// What a quantity comes to from either side at zeros, which are among the breaks: corners, where
// its extremes may be. From pieces of three rows and more.
std::vector<double> limits_at(std::span<const double> t, std::span<const double> values,
                              std::span<const double> zeros, std::vector<double> breaks);

// ∫ values dt, in pieces between these times, in any order.
double integrate_pieces(std::span<const double> t, std::span<const double> values,
                        std::vector<double> breaks);

}  // namespace koppel
