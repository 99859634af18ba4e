// Measuring what integrators with fixed steps preserve: orders of convergence, energy, momentum,
// phase-space area. Used by tests.
#pragma once

#include <string>
#include <vector>

#include <koppel/model/model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel::problems {

// A simulation with a fixed step, sampled at every step. Throws where it does not reach the end.
struct FixedStep {
  std::string coordinates, formulation, integrator;
  double step = 1e-3;
};
Simulation simulate_steps(const Model& model, const FixedStep& method, double end);

// All outputs at the end: of a Taylor series at tolerance 1e-13, and by a method.
std::vector<double> exact_end(const Model& model, double end);
double end_error(const Simulation& simulation, const std::vector<double>& exact);

// log₂ of how the error falls when the step is halved.
struct MeasuredOrder {
  double coarse = 0, fine = 0;  // errors
  double order() const;
};
MeasuredOrder measure_order(const Model& model, const FixedStep& method, double end,
                            const std::vector<double>& exact);

// The largest |x − x₀| of a column of values, and x₀.
struct Change {
  double start = 0, largest = 0;
};
Change change_of(std::span<const double> values);

// The angular momentum about the z axis, Σ (r × p)_z over all vectors r of the coordinates (NAME.x,
// NAME.y, NAME.z and the like), p = M v: that of directors, natural coordinates and points.
std::vector<double> vertical_momentum(const Simulation& simulation);

// The motions that orders are measured on, and the step for a method of this order.
struct Mechanism {
  std::string model, coordinates;  // a tree: joint ones; else natural
  double end = 1;
  double step(int order) const;
  double base_step = 1e-3;  // for order 2
};
const std::vector<Mechanism>& mechanisms();

struct Method {
  std::string formulation;  // of mechanisms with constraints
  std::string integrator;
  int order = 2;
};
const std::vector<Method>& methods();

}  // namespace koppel::problems
