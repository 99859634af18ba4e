// Batch: many copies of one mechanism that step together, each with its own state, parameters and
// inputs; what model-predictive control and learning call.
//
//   Batch carts(model, origins, 4096, {.step = 0.01}, {"x", "angle"});
//   carts.reset();
//   carts.advance(forces, 2);      // two steps with these inputs, one for each copy
//   carts.observe(values);
//
// Steps are of fixed cost, or accurate (dop853: each copy takes as many steps of its own inside a
// step as it needs). Copies go through vector registers, four or eight at once, and over threads;
// each has the bits that it would have alone, which are those of exported code. On a graphics card
// they have the same bits; states stay there while only advance() and observe() are called. A copy
// whose step fails has states that are not numbers from then on. So it is, with dop853, where a
// step would take more than KOPPEL_DOP853_MOST_TRIES inside, as where friction by sign(v) sticks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/simulate/simulate.hpp>
#include <koppel/study/batch_health.hpp>
#include <koppel/study/card.hpp>
#include <koppel/study/parameters.hpp>
#include <koppel/study/varied_starts.hpp>

namespace koppel {

class BatchDevice;

struct BatchOptions {
  // With a step. The integrator is one of fixed-cost steps, rk4 or dop853; where it is open, the
  // choice of `fixed-cost`.
  SimulateOptions run = {};
  std::vector<std::string> observed = {};  // quantities, or expressions of them; empty: the outputs
  bool observes_health = false;            // what is observed is `now` of batch_health.hpp instead
  int jobs = 1;                            // threads
  std::size_t lanes = 0;                   // those of another batch; 0: as many as are fastest
  bool on_card = false;                    // a graphics card, one copy a thread of it (card.hpp)
  bool reduces_on_card = false;            // more than last values are wanted there
};

class Batch {
 public:
  // Throws as simulate() does, Error `study.bad-option`, `study.unknown-quantity`,
  // `simulate.wrong-step` where no step is given, and `study.no-card`.
  Batch(const Model& model, const std::vector<ParameterOrigin>& origins, std::size_t count,
        const BatchOptions& options);
  ~Batch();

  std::size_t size() const { return count_; }
  // Copies that step side by side, and how many copies fill a card; 0: on the other device.
  std::size_t lanes() const;
  std::size_t best_count() const;
  // So many copies, all anew at the model's start with its parameters.
  void resize(std::size_t count);
  double step() const;
  const std::string& method() const;  // in a line
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& observed() const { return observed_; }

  // A value of a parameter for each copy, which then starts anew; or values of several, copy by
  // copy, since a start may need them together. Throws Error `study.unknown-parameter`, and
  // `study.batch-start` with the copies that are impossible, since a mass is negative, say, or they
  // cannot be assembled; these keep what they had.
  void set(const std::string& parameter, std::span<const double> values);
  void set_all(const std::vector<std::string>& parameters, std::span<const double> values);
  // The same, where copies that are impossible are no error; values of a copy may be computed, by
  // several threads.
  struct Impossible {
    std::size_t copy;
    std::string id, why;
  };
  using ValuesOf = std::function<void(std::size_t copy, std::span<double> values)>;
  std::vector<Impossible> set(const std::vector<std::string>& parameters,
                              std::span<const double> values);
  std::vector<Impossible> set(const std::vector<std::string>& parameters, const ValuesOf& values);

  // To the start; all, or those that are marked. Times are 0 then.
  void reset();
  void reset(std::span<const std::uint8_t> marked);

  // So many steps, with these inputs: copy by copy, inputs().size() each; empty: as they were.
  void advance(std::span<const double> inputs, int steps = 1);
  // Copy by copy, observed().size() values each.
  void observe(std::span<double> out) const;
  // So many steps, and of what is observed after each the last, the smallest, the largest or the
  // mean; after no step, as it is. In lanes a value that was not finite at some time is not finite.
  // With `health` copies are looked at, and on a card must be at their start. The results are valid
  // until the next call.
  enum class Which { Last, Minimum, Maximum, Mean };
  struct Wanted {
    std::size_t observed;
    Which which;
  };
  struct Reduction {
    std::span<const CardNumbers> values;  // of each that is wanted, by copy
    std::span<const int> failures;        // on a card: not 0 where a copy stopped
    std::vector<std::uint8_t> is_suspect;
    double seconds = 0;  // on a card without looks at health
  };
  const Reduction& advance_and_reduce(std::uint64_t steps, std::span<const Wanted> wanted,
                                      const BatchHealth* health = nullptr);
  // `start` of batch_health.hpp, copy by copy.
  std::vector<double> measure_start(const BatchHealth& health) const;
  void times(std::span<double> out) const;

  // Of the first accurate step that failed since the start: why (runtime/dop853.h; 0: none did) and
  // the steps before it.
  struct Failure {
    int reason = 0;
    std::uint64_t count = 0;
  };
  Failure failure(std::size_t copy) const;
  bool is_accurate() const;
  std::string describe(const Failure& failure) const;

  // A number of every copy: a state (q, v, x, λ) or a parameter by its place.
  std::size_t num_states() const;
  std::size_t num_parameters() const;
  void get_state(std::size_t place, std::span<double> out) const;
  void get_parameter(std::size_t place, std::span<double> out) const;
  // Of the copies as they are now; reset() goes back to the start. Positions and velocities must
  // meet the constraints: nothing is assembled.
  void set_state(std::size_t place, std::span<const double> values);
  const StepModel& step_model() const { return *step_model_; }

 private:
  struct Changed;
  std::vector<Impossible> put(std::size_t first, std::size_t last, const ValuesOf& values,
                              const Changed& changed, VariedStarts::Work& work);

  std::size_t count_;
  int jobs_;
  std::vector<std::string> inputs_, observed_;
  Model model_;
  std::vector<ParameterOrigin> origins_;
  std::shared_ptr<const StepModel> step_model_;
  std::optional<VariedStarts> varied_;  // of the parameters that were set last
  std::unique_ptr<BatchDevice> device_;
};

}  // namespace koppel
