// What came out of an inverse simulation, in numbers: summary.json of `koppel inverse`.
#pragma once

#include <complex>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <koppel/control/feedback/disturbance.hpp>
#include <koppel/results/excess.hpp>
#include <koppel/results/health.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct InputSummary {
  std::string name;
  double min = 0, max = 0;                  // reached
  double at_min = 0, at_max = 0;            // when
  double lower_limit = 0, upper_limit = 0;  // may be infinite
};

struct InverseSummary {
  std::string model;
  std::string status;  // done, doubtful, stopped, failed
  Health health;
  double start = 0, end = 0;      // asked for
  double begun = 0, reached = 0;  // the times between which there are results

  int dof = 0;
  int index = 0;              // of the servo problem
  int internal_dynamics = 0;  // its order
  std::string coordinates, method, integrator;
  std::string choice;  // why

  std::vector<std::complex<double>> internal_eigenvalues;  // linearised at the start

  double step = 0;  // fixed; 0: none
  long steps = 0;
  int order = 0;
  double setup_seconds = 0, wall_seconds = 0;

  double max_residual = 0;       // of all equations, in their units
  double relative_residual = 0;  // of time-stepping methods: by the terms of the equation
  double max_servo_error = 0;    // |s(q) − y_d|
  double max_position_violation = 0, max_velocity_violation = 0;

  std::size_t samples = 0;
  std::vector<InputSummary> inputs;
  std::vector<Excess> limit_violations, pushing_cables;
  std::vector<Excess> unavoidable;  // limits that no inputs with this motion keep
  std::optional<Verification> verification;
  std::string feedback;  // its kind
  std::vector<RobustnessCase> robustness;
  std::vector<std::string> messages;
  std::vector<std::pair<std::string, double>> final;  // outputs and inputs in the last row
  std::map<std::string, std::string> files;
};

// Fills in what a trajectory says: samples, begun, reached, inputs, violations, final.
void describe(const Trajectory& trajectory, const Equations& equations, InverseSummary& summary);

std::string to_json(const InverseSummary& summary);

}  // namespace koppel
