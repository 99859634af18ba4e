#include <problems/structure.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <koppel/equations/evaluator.hpp>

namespace koppel::problems {
namespace {

std::vector<double> outputs_at_end(const Trajectory& trajectory) {
  std::vector<double> out;
  for (std::size_t i = 0; i < trajectory.num_columns(); ++i) {
    if (trajectory.columns()[i].group != Group::Outputs) continue;
    out.push_back(trajectory.column(i).back());
  }
  return out;
}

}  // namespace

Simulation simulate_steps(const Model& model, const FixedStep& method, double end) {
  SimulateOptions options;
  options.health = {.is_watched = false};  // errors are what is measured
  options.end = end;
  options.coordinates = method.coordinates;
  options.formulation = method.formulation;
  options.integrator = method.integrator;
  options.step = method.step;
  options.tolerance = 1e-10;  // of Newton's methods that ask for one
  options.sampling.every_step = true;
  Simulation out = simulate(model, options);
  if (out.status != Outcome::Status::Done) {
    throw std::runtime_error(method.integrator + ": " + out.text);
  }
  return out;
}

std::vector<double> exact_end(const Model& model, double end) {
  SimulateOptions options;
  options.end = end;
  options.integrator = "taylor";
  options.tolerance = 1e-13;
  options.sampling.count = 2;
  return outputs_at_end(simulate(model, options).trajectory);
}

double end_error(const Simulation& simulation, const std::vector<double>& exact) {
  const std::vector<double> found = outputs_at_end(simulation.trajectory);
  double largest = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    largest = std::max(largest, std::abs(found[i] - exact[i]));
  }
  return largest;
}

double MeasuredOrder::order() const { return std::log2(coarse / fine); }

MeasuredOrder measure_order(const Model& model, const FixedStep& method, double end,
                            const std::vector<double>& exact) {
  FixedStep half = method;
  half.step /= 2;
  return {end_error(simulate_steps(model, method, end), exact),
          end_error(simulate_steps(model, half, end), exact)};
}

Change change_of(std::span<const double> values) {
  Change out{values.front(), 0};
  for (const double value : values) {
    out.largest = std::max(out.largest, std::abs(value - out.start));
  }
  return out;
}

std::vector<double> vertical_momentum(const Simulation& simulation) {
  const Equations& e = simulation.equations;
  const std::vector<Expr> p = multiply(*e.M, e.v);
  const auto ends_in = [&](std::size_t i, char axis) {
    const std::string_view name = e.q[i].name();
    return !name.empty() && name.back() == axis;
  };
  Expr sum = 0;
  for (std::size_t i = 0; i + 1 < e.num_v(); ++i) {  // x and y follow each other
    if (ends_in(i, 'x') && ends_in(i + 1, 'y')) sum += e.q[i] * p[i + 1] - e.q[i + 1] * p[i];
  }
  const VectorFunction function(e, std::vector{sum});
  const Trajectory& trajectory = simulation.trajectory;
  State state = start_of(e);
  std::vector<double> out;
  for (std::size_t row = 0; row < trajectory.num_rows(); ++row) {
    state.t = trajectory.time()[row];
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      state.q[i] = trajectory.column(simulation.observation->columns_of_q()[i])[row];
    }
    for (std::size_t i = 0; i < state.v.size(); ++i) {
      state.v[i] = trajectory.column(simulation.observation->first_velocity() + i)[row];
    }
    out.push_back(function(state)[0]);
  }
  return out;
}

double Mechanism::step(int order) const {
  // Errors between 1e-9 and 1e-2: high orders take large steps, the first order small ones.
  return base_step * (order == 1 ? 0.1 : order == 4 ? 4 : order == 5 ? 16 : order == 8 ? 20 : 1);
}

const std::vector<Mechanism>& mechanisms() {
  static const std::vector<Mechanism> all = {
      {"double_pendulum", "joint", 1, 1e-3},
      {"slider_crank", "natural", 0.5, 5e-4},
      {"heavy_top", "natural", 0.25, 1.25e-4},
  };
  return all;
}

const std::vector<Method>& methods() {
  static const std::vector<Method> all = {
      {"index1", "rk4", 4},
      {"index1", "dop853", 8},
      {"ggl", "radau5", 5},
      {"ggl", "implicit-euler", 1},
      {"ggl", "midpoint", 2},
      {"index3", "midpoint", 2},
      {"index3", "generalized-alpha", 2},
      {"ggl", "generalized-alpha", 2},
      {"index3", "energy-momentum", 2},
      {"index3", "variational", 2},
      {"index3", "variational:trapezoidal", 2},
  };
  return all;
}

}  // namespace koppel::problems
