// The same mechanisms in Simbody, in its joint coordinates with constraints for loops, by its
// Runge–Kutta–Merson integrator.
#pragma once

#include <cstddef>

#include <problems/slider_crank.hpp>

#include "contest.hpp"

namespace koppel::benchmarks {

Contestant simbody_slider_crank(const problems::SliderCrank& data, double end);  // Ax, Ay, Bx
Contestant simbody_four_bar(std::size_t N, double end);                          // xB0, yB0
Contestant simbody_chain(std::size_t n, double end);                             // the tip

}  // namespace koppel::benchmarks
