// What came out of a run, in numbers: summary.json. Keys are those of the struct.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <koppel/results/health.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct Summary {
  std::string model;
  std::string status;  // done, doubtful, stopped, failed
  Health health;
  double end = 0;      // asked for
  double reached = 0;  // the time up to which there are results

  int dof = 0;
  int index = 0;  // of the equations of motion, by structure; −1: not found
  std::string coordinates, formulation, integrator;
  std::string projection;  // after every step, where the formulation leaves drift: none, once, full
  std::string choice;      // what was chosen, and why

  double tolerance = 0;
  double step = 0;  // fixed; 0: adaptive
  int order = 0;    // the highest that was used
  long steps = 0, rejected = 0, evaluations = 0, jacobians = 0, factorizations = 0, iterations = 0;
  // What evaluated the equations, in operations of the programs that were run in loops.
  struct Code {
    std::string asked;  // auto, jit, cc or off
    std::string taken;  // cc, jit or interpreter: the first of these that was used
    std::string why;
    long generated = 0, compiled = 0, interpreted = 0;
  };
  Code native;
  double setup_seconds = 0;  // all before the first step: derivation, analysis, compilation
  double wall_seconds = 0;   // the integration alone

  // The largest of |g| and of |ġ|, |a v + b|: at the ends of steps, which are what the integrator
  // computes, and at rows between them, where its dense output adds its own error.
  double max_position_violation = 0, max_velocity_violation = 0;
  double max_position_violation_between = 0, max_velocity_violation_between = 0;
  // The largest of |E − E₀ − ∫P dt − (what events gave)| over the energy that moved: always an
  // error. NaN where there is no such balance.
  double energy_drift = 0;
  bool is_conservative = false;  // P, the power of all that does not conserve energy, vanishes

  std::size_t samples = 0;
  std::vector<std::string> redundant;  // constraints that repeat others, by name
  std::vector<std::string> messages;
  struct Event {
    std::string name;
    double t;
  };
  std::vector<Event> events;  // that happened, in order
  struct Passage {
    double t;
    std::vector<std::string> constraints;  // that depend on each other there
  };
  std::vector<Passage> singular_passages;             // singular configurations, in order
  std::vector<std::pair<std::string, double>> final;  // the outputs in the last row
  // Of outputs, energies and violations.
  std::vector<std::pair<std::string, ColumnStatistics>> statistics;
  std::map<std::string, std::string> files;  // what they are, and their names in the folder
};

// Fills in what a trajectory says: samples, reached, final and statistics.
void describe(const Trajectory& trajectory, Summary& summary);

std::string to_json(const Summary& summary);

}  // namespace koppel
