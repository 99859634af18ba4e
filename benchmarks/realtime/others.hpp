// Two mechanisms with fixed steps in other programs: the N four-bar windows (N = 2), which have
// loops, and the double pendulum, a tree; the data of models/four_bar.yaml and
// double_pendulum.yaml.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace koppel::benchmarks {

struct Other {
  std::string program, mechanism, method;
  std::function<void()> restart, step;         // to the start; a step on
  std::function<std::array<double, 2>()> tip;  // xB0, yB0; x, y of the lower rod's end
};

std::vector<Other> simbody_steps(double h);
std::vector<Other> dart_steps(double h);

}  // namespace koppel::benchmarks
