// Forward simulation, from a model to a trajectory:
//
//   Simulation s = simulate(model, {.end = 10, .tolerance = 1e-9});
//   s["knee.angle"];  s.summary.energy_drift;
//
// The equations are derived in the coordinates asked for (or chosen), the start is assembled,
// constraints that repeat others are left out, and the integrator's dense output is sampled. A
// numerical failure is a status with its story; all that was reached is kept. The run is watched
// (health_watch.hpp): one that came to its end but should not be trusted is doubtful.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <koppel/formulation/fixed_cost/descriptor.hpp>
#include <koppel/model/model.hpp>
#include <koppel/results/observe.hpp>
#include <koppel/results/scene.hpp>
#include <koppel/results/summary.hpp>
#include <koppel/results/trajectory.hpp>
#include <koppel/simulate/choose.hpp>
#include <koppel/simulate/health_watch.hpp>

namespace koppel {

// When there shall be rows.
struct Sampling {
  int count = 1001;                // equal distances, both ends included
  bool every_step = false;         // instead: at the start and the end of every step
  std::vector<double> times = {};  // instead: these, ascending
};

struct SimulateOptions {
  double end = 10;
  // The method, field by field, so that a call can name what it wants: {.end = 2, .coordinates =
  // "joint"}.
  std::string coordinates = {};  // empty or "auto": chosen, as the others where they are open
  Formulation formulation = {};
  Integrator integrator = {};
  Projection projection = Projection::Full;
  double baumgarte = 0;  // as in Method
  double tolerance = 1e-8;
  std::optional<double> step = {};  // fixed; adaptive where there is none
  int order = 0;                    // of Taylor series; 0: from the tolerance
  Sampling sampling = {};
  Native native = Native::Auto;                 // what evaluates the equations
  ReactionAxes reactions = ReactionAxes::None;  // columns for the forces and torques in joints
  int derivatives = 0;        // columns for the time derivatives of outputs up to this order
  HealthOptions health = {};  // how the run is watched

  Method method() const { return {coordinates, formulation, integrator, projection, baumgarte}; }
  // Throws Error `simulate.bad-option`.
  void validate() const;
};

// The model's own wishes (`run:`), and defaults for what it leaves open.
SimulateOptions options_of(const Model& model);

struct Progress {
  double t = 0;  // reached
  double end = 0;
  long steps = 0;
};

// All may be empty. Those that return a bool stop the simulation by false.
struct SimulateCallbacks {
  std::function<void(const Choice&)> chosen;              // before the integration
  std::function<void(const std::vector<Column>&)> begin;  // before the first row
  std::function<bool(std::span<const double>)> row;       // with every row
  std::function<bool(const Progress&)> progress;          // after every step
  std::function<void(const std::string&)> message;
};

struct Stage {
  std::string name;
  double seconds = 0;
};

struct Simulation {
  Outcome::Status status = Outcome::Status::Done;
  std::string text;  // what went wrong, or is doubtful
  Choice choice;
  Trajectory trajectory;
  Summary summary;
  std::vector<Stage> stages;  // where the time went, before and in the integration

  Shared<Equations> equations;
  std::optional<Observation> observation;
  std::shared_ptr<const Model> model;

  // Any quantity of the model over the rows, whatever coordinates were chosen: knee.angle, rod.x';
  // or a column. Throws Error `results.unknown-column`, with a suggestion.
  std::vector<double> operator[](const std::string& name) const;
};

// Throws Error for what is wrong with the model or the options: `assembly.impossible`,
// `simulate.wrong-pair`, …
Simulation simulate(const Model& model, const SimulateOptions& options,
                    const SimulateCallbacks& callbacks = {});

// All that comes before the integration: what is to be integrated, and from where.
struct Prepared {
  Choice choice;
  Shared<Equations> equations;
  Shared<Equations> independent;  // without redundant rows: what the problem is made of
  State state;                    // the assembled start
  Problem problem;
  Descriptor descriptor;  // what fixed-cost steps are made of
  Start start;
  std::vector<double> impulses;  // the times of those that fixed-cost steps pass
  std::vector<std::string> messages;
};
Prepared prepare(const Model& model, const SimulateOptions& options);

// The picture over time; nothing for models without bodies and drawing.
std::optional<Scene> make_scene(const Model& model, const Simulation& simulation,
                                std::size_t max_frames);

}  // namespace koppel
