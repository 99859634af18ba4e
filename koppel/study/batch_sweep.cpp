#include <koppel/study/batch_sweep.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/batch_health.hpp>
#include <koppel/study/sweep_on_card.hpp>

namespace koppel {
namespace {

class BatchSweep {
 public:
  BatchSweep(const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
             const BatchSweepOptions& options)
      : sweep_(sweep), most_(options.most), model_(model), origins_(origins) {
    batch_options_.run = sweep.options(model);
    batch_options_.jobs = options.jobs;
    for (const Criterion& criterion : sweep.criteria) {
      if (criterion.reduction == Reduce::Time) {
        throw Error(
            "study.bad-criterion",
            fmt::format("'{}': variants that step together have no events.", criterion.label));
      }
      const auto it = std::find(batch_options_.observed.begin(), batch_options_.observed.end(),
                                criterion.quantity);
      places_.push_back(static_cast<std::size_t>(it - batch_options_.observed.begin()));
      if (it == batch_options_.observed.end()) {
        batch_options_.observed.push_back(criterion.quantity);
      }
    }
    for (const Range& range : sweep.samples.design().ranges) names_.push_back(range.name);
    batch_.emplace(model, origins, 1, batch_options_);
    find_steps();
    if (batch_options_.run.health.is_watched) {
      health_.emplace(batch_->step_model(), batch_options_.run.health, batch_->lanes());
    }
    if (options.on_card) {
      card_.emplace(sweep, model, origins, *batch_, options.jobs);
    }
  }

  // How many variants come next.
  std::size_t num_next() const {
    return most_ > 0 ? most_ : card_ ? card_->best_count() : num_here_;
  }

  BatchRows run(std::span<const std::size_t> numbers, BatchSweepLoad& load) {
    BatchRows rows(numbers.size(), sweep_.criteria);
    if (card_) {
      card_->run(numbers, steps_, rows, load.seconds);
      is_suspect_.assign(numbers.size(), 0);
      if (health_) card_->look(*health_, is_suspect_);
    } else {
      run_here(numbers, rows, load.seconds);
    }
    if (health_) watch(numbers, rows);
    load.steps += static_cast<double>(steps_) * static_cast<double>(numbers.size());
    return rows;
  }

 private:
  // All variants take the same number of steps of the same length.
  void find_steps() {
    constexpr double kWhole = 1e-6;  // of a step
    const double step = batch_->step();
    const double duration = batch_options_.run.end - batch_->step_model().start_time;
    steps_ = static_cast<std::uint64_t>(std::llround(duration / step));
    if (std::abs(duration / step - static_cast<double>(steps_)) <= kWhole) return;
    throw Error(
        "study.bad-option",
        fmt::format("a run of {:g} s is no whole number of steps of {:g} s, and in a batch "
                    "all steps are of one length.",
                    duration, step),
        fmt::format("End at {:g} s, or take another step.",
                    batch_options_.run.end - duration + static_cast<double>(steps_) * step));
  }

  // Adds the seconds of stepping.
  void run_here(std::span<const std::size_t> numbers, BatchRows& rows, double& seconds) {
    const auto before = std::chrono::steady_clock::now();
    const std::size_t n = numbers.size(), m = batch_->observed().size(), num_varied = names_.size();
    if (batch_->size() != n) batch_->resize(n);
    points_.resize(n * num_varied);
    const PartOptions parts{.jobs = batch_options_.jobs, .multiple = 64};
    for_parts(n, parts, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        sweep_.samples.point(numbers[i], std::span(points_).subspan(i * num_varied, num_varied));
      }
    });
    for (const Batch::Impossible& failure : batch_->set(names_, points_)) {
      rows.refuse(failure.copy, failure.id, failure.why);
    }
    first_.resize(n * m);
    batch_->observe(first_);
    const auto began = std::chrono::steady_clock::now();
    const Batch::Reduction kept = batch_->advance_and_reduce(steps_, health_ ? &*health_ : nullptr);
    is_suspect_ = kept.is_suspect;
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    for_parts(n, parts, [&](std::size_t, std::size_t first, std::size_t last) {
      for (std::size_t copy = first; copy < last; ++copy) {
        const std::span<double> values = rows.values(copy);
        for (std::size_t c = 0; c < places_.size(); ++c) {
          const std::size_t at = copy * m + places_[c];
          const Course course{first_[at], kept.last[at], kept.low[at], kept.high[at],
                              kept.sum[at] / static_cast<double>(steps_)};
          values[c] = std::isfinite(kept.sum[at])
                          ? value_of(sweep_.criteria[c], course, steps_, batch_->step())
                          : Course::kNone;
        }
        rows.finish(copy, false);
      }
    });
    for (std::size_t copy = 0; batch_->is_accurate() && copy < n; ++copy) {
      const Batch::Failure failure = batch_->failure(copy);
      if (failure.reason != 0) rows.refuse(copy, "simulate.failed", batch_->describe(failure));
    }
    choose_size(n, before);
  }

  // Variants that look suspicious step once more, and are watched at all ends of steps.
  void watch(std::span<const std::size_t> numbers, BatchRows& rows) {
    std::vector<std::size_t> suspects;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (is_suspect_[i] != 0 && rows.is_done(i)) suspects.push_back(i);
    }
    if (suspects.empty()) return;
    if (!watched_) {
      BatchOptions options = batch_options_;
      options.observed.clear();
      options.observes_health = true;
      options.lanes = batch_->lanes();
      watched_.emplace(model_, origins_, 1, options);
    }
    const std::size_t n = suspects.size(), m = health_->num_now(), num_varied = names_.size();
    watched_->resize(n);
    std::vector<double> points(n * num_varied), first(n * m);
    for (std::size_t i = 0; i < n; ++i) {
      sweep_.samples.point(numbers[suspects[i]],
                           std::span(points).subspan(i * num_varied, num_varied));
    }
    watched_->set(names_, points);
    watched_->observe(first);
    const std::vector<double> start = watched_->measure_start(*health_);
    Batch::Reduction kept = watched_->advance_and_reduce(steps_);
    for (std::size_t i = 0; i < n * m; ++i) {
      // Sums see what is not a number at any time.
      if (!std::isfinite(kept.sum[i])) kept.low[i] = kept.high[i] = kept.sum[i];
      kept.low[i] = std::min(kept.low[i], first[i]);
      kept.high[i] = std::max(kept.high[i], first[i]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      const auto of = [i](std::span<const double> all, std::size_t size) {
        return all.subspan(i * size, size);
      };
      BatchHealth::Verdict found = health_->judge(
          {of(start, health_->num_start()), of(first, m), of(kept.low, m), of(kept.high, m)},
          batch_options_.run.end, static_cast<double>(steps_));
      if (found.state == Health::State::Doubtful) rows.doubt(suspects[i], std::move(found.text));
      if (found.state == Health::State::Failed) {
        rows.refuse(suspects[i], "simulate.failed", std::move(found.text));
      }
    }
  }

  // Of the next variants: more, as long as all that is lost when the program is killed took a few
  // tenths of a second.
  void choose_size(std::size_t size, std::chrono::steady_clock::time_point since) {
    constexpr std::size_t kMost = 131'072;
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - since;
    if (size == num_here_ && took.count() < 0.1) num_here_ = std::min(2 * num_here_, kMost);
  }

  const Sweep& sweep_;
  std::size_t most_, num_here_ = 4096;
  BatchOptions batch_options_;
  std::vector<std::size_t> places_;  // of each criterion among what is observed
  std::vector<std::string> names_;
  std::uint64_t steps_ = 0;
  std::optional<Batch> batch_;
  std::optional<SweepOnCard> card_;
  std::optional<BatchHealth> health_;  // where it is judged
  Model model_;
  std::vector<ParameterOrigin> origins_;
  std::optional<Batch> watched_;
  std::vector<std::uint8_t> is_suspect_;  // of the variants that stepped last
  std::vector<double> points_, first_;    // and what is observed at the start; variant by variant
};

}  // namespace

bool run_batch_sweep(
    const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
    SweepQueue& queue, const BatchSweepOptions& options,
    const std::function<void(std::span<const std::size_t> numbers, const BatchRows& rows)>& keep,
    BatchSweepLoad& load) {
  if (queue.num_left() == 0) return true;
  try {
    BatchSweep work(sweep, model, origins, options);
    while (true) {
      const std::vector<std::size_t> numbers = queue.take(work.num_next());
      if (numbers.empty()) return true;
      keep(numbers, work.run(numbers, load));
    }
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace koppel
