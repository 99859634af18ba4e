// Whether variants that stepped together can be trusted, by the limits of a run
// (simulate/health_limits.hpp): violated constraints, speeds beyond any scale, and the energy of
// models that conserve it. What is measured are functions of the layout of a step, so that it goes
// through lanes.
//
// Steps are not watched, which would cost. A variant is looked at where it starts, after 1, 4, 16,
// … steps and where it ends, and one that is suspicious there is stepped once more with an eye on
// all ends of steps. Suspicion errs on the safe side: an error counts relative to the energy that
// moved and the fastest motion, of which a few looks show a part only.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/expr/code/lane_function.hpp>
#include <koppel/simulate/health_limits.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {

struct StepModel;

struct BatchHealthTerms {
  // kinetic, potential and their sum, the largest |v|, g, [ġ; a v + b], and what the latter would
  // be by more with all velocities off by their own size.
  std::vector<Expr> now;
  // At the start: the kinetic energy with velocities 1, and the sizes of g (row_size.hpp).
  std::vector<Expr> start;
  std::vector<std::string> row_names;  // of [g; a]
  std::size_t num_positions = 0;
  // Not of steps that hold positions only at their nodes, as HealthOptions has it.
  bool has_velocities = false;
};
// Without energies where the model does not conserve them, whatever its parameters.
BatchHealthTerms make_batch_health_terms(const StepModel& model);

class BatchHealth {
 public:
  // `lanes`: those of the batch that it looks at (LaneFunction).
  BatchHealth(const StepModel& model, const HealthOptions& options, std::size_t lanes = 0);

  // After how many steps a variant is looked at, besides its start and end: powers of four.
  static bool is_look(std::uint64_t step);

  // Lanes that are looked at as they step: at their start, then at any time. Each time is compared
  // with the start alone.
  struct Look {
    std::vector<double> start, first, now;  // each number of all lanes
    std::vector<double> work_now, work_start;
  };
  std::size_t lanes() const { return now_.lanes(); }
  void begin(const double* layout, Look& look) const;
  void look(const double* layout, Look& look) const;
  // Of as many lanes as there are marks.
  void mark_suspects(double t, double steps, Look& look, std::span<std::uint8_t> suspects) const;

  std::size_t num_now() const { return now_.num_outputs(); }
  std::size_t num_start() const { return start_.num_outputs(); }

  struct Verdict {
    Health::State state = Health::State::Good;
    std::string text = {};
  };
  // From what is measured at the start, and the smallest and largest of it over a run.
  struct Seen {
    std::span<const double> start, first, low, high;
  };
  Verdict judge(const Seen& seen, double end, double steps) const;

 private:
  HealthRules rules_;
  bool judges_velocities_ = true;
  std::vector<std::string> row_names_;
  std::size_t num_positions_ = 0;
  LaneFunction now_, start_;

  BatchHealth(const StepModel& model, const HealthOptions& options, std::size_t lanes,
              const BatchHealthTerms& terms);
};

}  // namespace koppel
