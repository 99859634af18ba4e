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
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <koppel/integrate/lane_dop853.hpp>
#include <koppel/simulate/simulate.hpp>
#include <koppel/study/batch_health.hpp>
#include <koppel/study/parameters.hpp>
#include <koppel/study/varied_starts.hpp>

namespace koppel {

struct StepModel;

struct BatchOptions {
  // With a step. The integrator is one of fixed-cost steps, rk4 or dop853; where it is open, the
  // choice of `fixed-cost`.
  SimulateOptions run = {};
  std::vector<std::string> observed = {};  // quantities, or expressions of them; empty: the outputs
  bool observes_health = false;            // what is observed is `now` of batch_health.hpp instead
  int jobs = 1;                            // threads
  std::size_t lanes = 0;                   // those of another batch; 0: as many as are fastest
  bool on_card = false;                    // a graphics card, one copy a thread of it (card.hpp)
};

class Batch {
 public:
  // Throws as simulate() does, Error `study.bad-option`, `study.unknown-quantity`,
  // `simulate.wrong-step` where no step is given, and `study.no-card`.
  Batch(const Model& model, const std::vector<ParameterOrigin>& origins, std::size_t count,
        const BatchOptions& options);
  ~Batch();

  std::size_t size() const { return count_; }
  std::size_t lanes() const { return width_; }  // copies that step side by side
  // So many copies, all anew at the model's start with its parameters. Not of those on a card.
  void resize(std::size_t count);
  double step() const { return step_; }
  const std::string& method() const { return method_; }  // in a line
  const std::vector<std::string>& inputs() const { return inputs_; }
  const std::vector<std::string>& observed() const { return observed_; }

  // A value of a parameter for each copy, which then starts anew; or values of several, copy by
  // copy, since a start may need them together. Throws Error `study.unknown-parameter`, and
  // `study.batch-start` with the copies that are impossible, since a mass is negative, say, or they
  // cannot be assembled; these keep what they had.
  void set(const std::string& parameter, std::span<const double> values);
  void set_all(const std::vector<std::string>& parameters, std::span<const double> values);
  // The same, where copies that are impossible are no error.
  struct Impossible {
    std::size_t copy;
    std::string id, why;
  };
  std::vector<Impossible> set(const std::vector<std::string>& parameters,
                              std::span<const double> values);

  // To the start; all, or those that are marked. Times are 0 then.
  void reset();
  void reset(std::span<const std::uint8_t> marked);

  // So many steps, with these inputs: copy by copy, inputs().size() each; empty: as they were.
  void advance(std::span<const double> inputs, int steps = 1);
  // Copy by copy, observed().size() values each.
  void observe(std::span<double> out) const;
  // So many steps, and of what is observed after each the last, the smallest, the largest and the
  // sum; copy by copy as observe() has it.
  struct Reduction {
    std::vector<double> last, low, high, sum;
    std::vector<std::uint8_t> is_suspect;  // of copies, where health is looked at
  };
  Reduction advance_and_reduce(std::uint64_t steps, const BatchHealth* health = nullptr);
  // `start` of batch_health.hpp, copy by copy; not of those on a card.
  std::vector<double> measure_start(const BatchHealth& health) const;
  void times(std::span<double> out) const;

  // Of the first accurate step that failed since the start: why (runtime/dop853.h; 0: none did) and
  // the steps before it.
  struct Failure {
    int reason = 0;
    std::uint64_t count = 0;
  };
  Failure failure(std::size_t copy) const;
  bool is_accurate() const { return accurate_.has_value(); }
  std::string describe(const Failure& failure) const;

  // A number of every copy: a state (q, v, x, λ) or a parameter by its place.
  std::size_t num_states() const { return num_state_; }
  std::size_t num_parameters() const { return num_layout_ - first_parameter_; }
  void get_state(std::size_t place, std::span<double> out) const { get(2 + place, out); }
  void get_parameter(std::size_t place, std::span<double> out) const {
    get(first_parameter_ + place, out);
  }
  // Of the copies as they are now; reset() goes back to the start. Positions and velocities must
  // meet the constraints: nothing is assembled.
  void set_state(std::size_t place, std::span<const double> values);
  const StepModel& step_model() const { return *step_model_; }
  const std::shared_ptr<const StepModel>& shared_step_model() const { return step_model_; }

 private:
  // Copies that step together: width_ of them. The layout of a step, each number of all copies one
  // after the other: t, h, q, v, x, λ, u, p. The last block may have lanes that are nobody's.
  struct Block {
    std::vector<double> now, start;
    std::vector<std::uint64_t> counts;  // of steps
    std::vector<Failure> failures;
    std::size_t size = 0;  // copies in it
  };
  // What is on a card, which is ahead of the blocks or behind them where either was changed last.
  struct OnCard;
  void bring_to_card();
  void bring_back() const;
  void change_blocks();  // before they are changed
  void advance_on_card(std::span<const double> inputs, int steps);
  void observe_on_card(std::span<double> to) const;

  struct Work {
    std::vector<double> step, observe;  // of the functions
    LaneDop853::Work accurate;
    std::vector<double> out, ends, observed, low, high, sum;
    std::vector<int> reasons;
    BatchHealth::Look look = {};
  };
  Work make_work() const;
  void get(std::size_t row, std::span<double> out) const;
  void advance(Block& block, std::span<const double> inputs, int steps, Work& work) const;
  void step_accurately(Block& block, Work& work) const;
  static void note_failure(Failure& to, int reason, std::uint64_t count);
  void put_start(std::size_t copy, const State& state);
  std::vector<Impossible> put_parameters(std::size_t first, std::size_t last,
                                         std::span<const double> values, VariedStarts::Work& work);
  std::vector<Impossible> assemble_all(std::span<const double> values);
  static void restart(Block& block);  // all its copies
  void restart(std::size_t copy);
  // In parallel where it is worth it.
  template <typename Do>
  void for_blocks(std::size_t operations, Do&& work) const;

  std::size_t count_;
  double step_ = 0;
  std::string method_;
  int jobs_;
  std::vector<std::string> inputs_, observed_;
  Model model_;
  std::vector<ParameterOrigin> origins_;
  std::shared_ptr<const StepModel> step_model_;
  std::size_t num_state_ = 0, first_input_ = 0, first_parameter_ = 0, num_layout_ = 0;
  LaneFunction step_function_, observe_function_;  // accurate: the first are the rates
  std::optional<LaneDop853> accurate_;
  std::size_t width_;
  std::vector<double> first_;           // a copy at the model's start, in the layout of a step
  std::optional<VariedStarts> varied_;  // of the parameters that were set last
  mutable std::vector<Block> blocks_;
  mutable std::vector<Work> work_;  // by thread
  std::unique_ptr<OnCard> on_card_;

  struct Parts;
  Batch(const Parts& parts, std::size_t count, const BatchOptions& options);
};

}  // namespace koppel
