// The copies of a batch in lanes of generated code, over threads.
#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <cmath>
#include <thread>

#include <koppel/runtime/step.h>
#include <koppel/base/stop.hpp>
#include <koppel/base/threads.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/integrate/lane_dop853.hpp>
#include <koppel/simulate/length.hpp>
#include <koppel/study/batch_device.hpp>

namespace koppel {
namespace {

class BatchInLanes : public BatchDevice {
 public:
  BatchInLanes(const StepModel& model, const std::vector<Expr>& observed,
               const BatchOptions& options)
      : BatchDevice(BatchStarts(model, {})),
        step_(model.step),
        jobs_(options.jobs),
        step_function_(model.tolerance ? model.rates : model.advance, Native::Auto, options.lanes),
        // With the sines that a step has, which go through lanes.
        observe_function_(lower(model.layout, observed, true), Native::Auto,
                          step_function_.lanes()),
        width_(step_function_.lanes()) {
    assert(observe_function_.lanes() == width_);
    if (model.tolerance) {
      accurate_.emplace(step_function_, LaneFunction(model.project, Native::Auto, width_),
                        starts.num_states, model.num_rows > 0 ? model.q.size() + model.v.size() : 0,
                        *model.tolerance,
                        absolute_scale_for(model.prepared.equations, model.prepared.state));
    }
    for (int i = 0; i < jobs_; ++i) work_.push_back(make_work());
  }

  std::size_t lanes() const override { return width_; }

  void reset() override {
    Block whole{std::vector<double>(width_ * starts.num_rows()),
                std::vector<std::uint64_t>(width_, 0), std::vector<Batch::Failure>(width_), width_};
    blocks_.assign((starts.count() + width_ - 1) / width_, whole);
    blocks_.back().size = starts.count() - (blocks_.size() - 1) * width_;
    reset(std::vector<std::uint8_t>(starts.count(), 1));
  }

  void reset(std::span<const std::uint8_t> marked) override {
    for_blocks(starts.num_rows(), [&](std::size_t i, Work&) {
      Block& block = blocks_[i];
      const auto of = marked.subspan(i * width_, block.size);
      if (std::all_of(of.begin(), of.end(), [](std::uint8_t mark) { return mark != 0; })) {
        starts.get(i * width_, block.size, width_, block.now);
        std::fill(block.counts.begin(), block.counts.end(), 0);
        std::fill(block.failures.begin(), block.failures.end(), Batch::Failure{});
        return;
      }
      for (std::size_t copy = 0; copy < block.size; ++copy) {
        if (of[copy] == 0) continue;
        block.counts[copy] = 0;
        block.failures[copy] = {};
        for (std::size_t row = 0; row < starts.num_rows(); ++row) {
          block.now[row * width_ + copy] = starts.at(row, i * width_ + copy);
        }
      }
    });
  }

  void advance(std::span<const double> inputs, int steps) override {
    const std::size_t num_u = starts.first_parameter - starts.first_input;
    const std::size_t operations =
        step_function_.num_instructions() * static_cast<std::size_t>(steps);
    for_blocks(operations, [&](std::size_t i, Work& work) {
      Block& block = blocks_[i];
      for (std::size_t k = 0; !inputs.empty() && k < block.size * num_u; ++k) {
        block.now[(starts.first_input + k % num_u) * width_ + k / num_u] =
            inputs[i * width_ * num_u + k];
      }
      for (int k = 0; k < steps; ++k) step(block, work);
    });
  }

  void observe(std::span<double> out) override {
    const std::size_t m = observe_function_.num_outputs();
    for_blocks(observe_function_.num_instructions(), [&](std::size_t i, Work& work) {
      const Block& block = blocks_[i];
      observe_function_.evaluate(block.now.data(), work.observed.data(), work.observe.data());
      for (std::size_t k = 0; k < block.size * m; ++k) {
        out[i * width_ * m + k] = work.observed[k % m * width_ + k / m];
      }
    });
  }

  const Batch::Reduction& reduce(std::uint64_t steps, std::span<const Batch::Wanted> wanted,
                                 const BatchHealth* health) override {
    const auto before = std::chrono::steady_clock::now();
    values_.resize(wanted.size());
    for (CardNumbers& values : values_) values.resize(starts.count());
    reduction_.values = values_;
    reduction_.is_suspect.assign(starts.count(), 0);
    const std::size_t operations =
        (step_function_.num_instructions() + observe_function_.num_instructions()) *
        static_cast<std::size_t>(steps);
    for_blocks(operations, [&](std::size_t i, Work& work) {
      if (reduce(i, steps, health, work)) put_reduced(i, steps, wanted, work);
    });
    check_stop();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    reduction_.seconds = took.count();
    return reduction_;
  }

  void get(std::size_t row, std::span<double> out) override {
    for (std::size_t copy = 0; copy < starts.count(); ++copy) {
      out[copy] = blocks_[copy / width_].now[row * width_ + copy % width_];
    }
  }

  void set(std::size_t row, std::span<const double> values) override {
    for (std::size_t copy = 0; copy < starts.count(); ++copy) {
      blocks_[copy / width_].now[row * width_ + copy % width_] = values[copy];
    }
  }

  Batch::Failure failure(std::size_t copy) const override {
    return blocks_[copy / width_].failures[copy % width_];
  }

 private:
  // Copies that step together: width_ of them, each number of all copies one after the other. The
  // last block may have lanes that are nobody's.
  struct Block {
    std::vector<double> now;            // the layout of a step
    std::vector<std::uint64_t> counts;  // of steps
    std::vector<Batch::Failure> failures;
    std::size_t size = 0;  // copies in it
  };
  struct Work {
    std::vector<double> step, observe;  // of the functions
    LaneDop853::Work accurate;
    std::vector<double> out, ends, observed, low, high, sum;
    std::vector<int> reasons;
    BatchHealth::Look look = {};
  };

  Work make_work() const {
    const std::vector<double> numbers(width_ * observe_function_.num_outputs());
    return {step_function_.make_work(),
            observe_function_.make_work(),
            accurate_ ? accurate_->make_work() : LaneDop853::Work{},
            std::vector<double>(width_ * step_function_.num_outputs()),
            std::vector<double>(width_),
            numbers,
            numbers,
            numbers,
            numbers,
            std::vector<int>(width_)};
  }

  // In parallel where it is worth it.
  template <typename Do>
  void for_blocks(std::size_t operations, Do&& work) {
    constexpr std::size_t kWorthIt = 200'000;  // operations, in the time that threads take to start
    std::atomic<std::size_t> next = 0;
    const auto run = [&](Work& with) {
      for (std::size_t i; (i = next++) < blocks_.size();) work(i, with);
    };
    const std::size_t jobs = std::min(static_cast<std::size_t>(jobs_), blocks_.size());
    if (jobs <= 1 || operations * starts.count() < kWorthIt) return run(work_[0]);
    std::atomic<std::size_t> helper = 1;
    const std::vector<std::jthread> others =
        start_threads(static_cast<int>(jobs) - 1, [&] { run(work_[helper++]); });
    run(work_[0]);
  }

  void step(Block& block, Work& work) const {
    if (accurate_) return step_accurately(block, work);
    step_function_.evaluate(block.now.data(), work.out.data(), work.step.data());
    std::copy_n(work.out.begin(), starts.num_states * width_,
                block.now.begin() + static_cast<std::ptrdiff_t>(2 * width_));
    for (std::size_t copy = 0; copy < width_; ++copy) {
      block.now[copy] = koppel_time(starts.common(0), step_, ++block.counts[copy]);
    }
  }

  // Lanes that are nobody's stay at their start.
  void step_accurately(Block& block, Work& work) const {
    for (std::size_t copy = 0; copy < width_; ++copy) {
      work.ends[copy] = copy < block.size
                            ? koppel_time(starts.common(0), step_, ++block.counts[copy])
                            : block.now[copy];
    }
    accurate_->advance(block.now, work.ends, work.reasons, work.accurate);
    for (std::size_t copy = 0; copy < block.size; ++copy) {
      block.now[copy] = work.ends[copy];
      if (work.reasons[copy] == 0) continue;
      Batch::Failure& failure = block.failures[copy];
      if (failure.reason == 0) failure = {work.reasons[copy], block.counts[copy] - 1};
      for (std::size_t i = 0; i < starts.num_states; ++i) block.now[(2 + i) * width_ + copy] = NAN;
    }
  }

  // The steps of a block. False: a request to stop came.
  bool reduce(std::size_t i, std::uint64_t steps, const BatchHealth* health, Work& work) {
    Block& block = blocks_[i];
    if (health != nullptr) health->begin(block.now.data(), work.look);
    const auto see = [&] {
      observe_function_.evaluate(block.now.data(), work.observed.data(), work.observe.data());
    };
    if (steps == 0) {
      see();
      work.low = work.high = work.sum = work.observed;
    }
    for (std::uint64_t k = 1; k <= steps; ++k) {
      if (is_stop_requested()) return false;
      step(block, work);
      if (health != nullptr && (k == steps || BatchHealth::is_look(k))) {
        health->look(block.now.data(), work.look);
        health->mark_suspects(block.now[0], static_cast<double>(k), work.look,
                              std::span(reduction_.is_suspect).subspan(i * width_, block.size));
      }
      see();
      const std::vector<double>& now = work.observed;
      for (std::size_t j = 0; j < now.size(); ++j) {
        work.low[j] = k == 1 || now[j] < work.low[j] ? now[j] : work.low[j];
        work.high[j] = k == 1 || now[j] > work.high[j] ? now[j] : work.high[j];
        work.sum[j] = k == 1 ? now[j] : work.sum[j] + now[j];
      }
    }
    return true;
  }

  // Sums see what is not finite at any time.
  void put_reduced(std::size_t i, std::uint64_t steps, std::span<const Batch::Wanted> wanted,
                   const Work& work) {
    for (std::size_t w = 0; w < wanted.size(); ++w) {
      for (std::size_t copy = 0; copy < blocks_[i].size; ++copy) {
        const std::size_t from = wanted[w].observed * width_ + copy;
        double value = work.sum[from];
        if (std::isfinite(value)) {
          switch (wanted[w].which) {
            case Batch::Which::Last: value = work.observed[from]; break;
            case Batch::Which::Minimum: value = work.low[from]; break;
            case Batch::Which::Maximum: value = work.high[from]; break;
            case Batch::Which::Mean: value /= static_cast<double>(steps); break;
          }
        }
        values_[w][i * width_ + copy] = value;
      }
    }
  }

  double step_;
  int jobs_;
  LaneFunction step_function_, observe_function_;  // accurate: the first are the rates
  std::optional<LaneDop853> accurate_;
  std::size_t width_;
  std::vector<Block> blocks_;
  std::vector<Work> work_;  // by thread
  std::vector<CardNumbers> values_;
  Batch::Reduction reduction_;
};

}  // namespace

std::unique_ptr<BatchDevice> make_batch_in_lanes(const StepModel& model,
                                                 const std::vector<Expr>& observed,
                                                 const BatchOptions& options) {
  return std::make_unique<BatchInLanes>(model, observed, options);
}

}  // namespace koppel
