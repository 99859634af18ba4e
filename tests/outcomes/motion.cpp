#include "tests/outcomes/motion.hpp"

#include <ctime>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/base/diagnostic.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel::testing {
namespace {

double processor_seconds() {
  std::timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::vector<double>> values_of(const Trajectory& trajectory,
                                           const std::vector<std::string>& names) {
  std::vector<std::vector<double>> out;
  for (const std::string& name : names) {
    const auto column = trajectory[name];
    out.emplace_back(column.begin(), column.end());
  }
  return out;
}

}  // namespace

std::size_t Motion::num_rows() const { return places.empty() ? 0 : places[0].size(); }

Columns add_probes(Model& model) {
  Columns out;
  const auto probe = [&](int quantity, const std::string& name) {
    const Quantity& q = model.quantities[static_cast<std::size_t>(quantity)];
    out.places.push_back(name);
    out.velocities.push_back(name + ".rate");
    model.outputs.push_back({name, q.value, {}});
    model.outputs.push_back({name + ".rate", q.rate, {}});
  };
  const int axes = model.is_planar ? 2 : 3;
  for (std::size_t b = 1; b < model.bodies.size(); ++b) {
    const int num_points = model.bodies[b].is_point ? 1 : axes;
    for (int k = 0; k < num_points; ++k) {
      // The origin, and points on the first axes half a metre away.
      Vec3e point;
      if (k > 0) point[static_cast<std::size_t>(k) - 1] = 0.5;
      for (int axis = 0; axis < axes; ++axis) {
        const std::string name = "probe." + std::to_string(b) + "." + std::to_string(k) + "." +
                                 std::string(1, "xyz"[axis]);
        probe(model.coordinate_of(name, {static_cast<int>(b), point}, axis), name);
      }
    }
  }
  for (std::size_t i = 0; i < model.quantities.size() && model.bodies.size() == 1; ++i) {
    if (!std::holds_alternative<Quantity::Free>(model.quantities[i].of)) continue;
    probe(static_cast<int>(i), "probe." + std::to_string(i));
  }
  return out;
}

RunOutcome run(const Model& model, const Trial& trial, double end, const Columns& columns,
               double seconds, int rows) {
  SimulateOptions options;
  options.end = end;
  options.coordinates = trial.coordinates;
  options.formulation = trial.formulation;
  options.integrator = trial.integrator;
  if (trial.tolerance > 0) options.tolerance = trial.tolerance;
  options.step = trial.step;
  options.sampling.count = rows;
  const double start = processor_seconds();
  bool is_slow = false;
  SimulateCallbacks callbacks;
  callbacks.progress = [&](const Progress&) {
    is_slow = processor_seconds() - start > seconds;
    return !is_slow;
  };
  try {
    const Simulation s = simulate(model, options, callbacks);
    RunOutcome out{is_slow ? "slow" : s.summary.status, s.text, {}};
    out.motion = {values_of(s.trajectory, columns.places),
                  values_of(s.trajectory, columns.velocities)};
    return out;
  } catch (const Error& error) {
    return {"refused", error.what(), {}};
  }
}

Model disturbed(const Model& model, double delta) {
  Model out = model;
  const double g = 10 * delta;
  out.gravity = out.gravity +
                (model.is_planar ? Vec3e{0.6 * g, 0.8 * g, 0} : Vec3e{0.48 * g, 0.6 * g, 0.64 * g});
  for (Initial& initial : out.initial) {
    for (const Quantity& q : out.quantities) {
      if (q.rate == initial.symbol) initial.value = (1 + delta) * initial.value;
    }
  }
  for (const FreeCoordinate& c : out.coordinates) out.potential = out.potential + g * c.value;
  return out;
}

double distance(const std::vector<std::vector<double>>& a,
                const std::vector<std::vector<double>>& b) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  double out = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].size() != b[i].size()) return kInfinite;
    for (std::size_t k = 0; k < a[i].size(); ++k) {
      const double d = std::abs(a[i][k] - b[i][k]);
      if (!(d < kInfinite)) return kInfinite;
      out = std::max(out, d);
    }
  }
  return out;
}

}  // namespace koppel::testing
