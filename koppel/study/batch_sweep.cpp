#include <koppel/study/batch_sweep.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/card.hpp>

namespace koppel {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

class BatchSweep {
 public:
  BatchSweep(const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
             const BatchSweepOptions& options)
      : sweep_(sweep), model_(model), origins_(origins) {
    batch_options_.run = sweep.options(model_);
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
    on_card_ = options.on_card;
    contracts_ = options.contracts;
  }

  // Rows of these variants.
  std::vector<SweepRow> run(const std::vector<std::size_t>& numbers, BatchSweepLoad& load) {
    Batch& batch = batch_of(numbers.size());
    std::vector<double> values;
    for (const std::size_t number : numbers) {
      const std::vector<double> point = sweep_.samples.point(number);
      values.insert(values.end(), point.begin(), point.end());
    }
    std::vector<SweepRow> rows(numbers.size());
    for (const Batch::Impossible& failure : batch.set(names_, values)) {
      rows[failure.copy] = {SweepRow::Status::Failed, {}, failure.id, failure.why};
    }
    const double duration = batch_options_.run.end - batch.step_model().start_time;
    const auto steps = static_cast<std::uint64_t>(std::llround(duration / batch.step()));
    check_end(duration, batch.step(), steps);
    first_.resize(numbers.size() * batch.observed().size());
    batch.observe(first_);
    load.seconds += card_ ? step_on_card(batch, steps, rows) : step_here(batch, steps, rows);
    load.steps += static_cast<double>(steps) * static_cast<double>(numbers.size());
    return rows;
  }

 private:
  // Made once for as long as the size stays: its method is found by trials.
  Batch& batch_of(std::size_t size) {
    if (!batch_ || batch_->size() != size) batch_.emplace(model_, origins_, size, batch_options_);
    if (on_card_ && !card_) card_.emplace(batch_->step_model(), contracts_);
    return *batch_;
  }

  // Of a quantity at the start and at the end, and over the ends of all steps. Means and integrals
  // are by the trapezoidal rule, which counts both ends by half.
  struct Course {
    double first = kNone, last = kNone, low = kNone, high = kNone, mean = kNone;
  };
  double value_of(const Criterion& criterion, const Course& of, std::uint64_t steps) const {
    const double duration = static_cast<double>(steps) * batch_->step();
    const double mean = of.mean + (of.first - of.last) / (2 * static_cast<double>(steps));
    switch (criterion.reduction) {
      case Reduce::Final: return of.last;
      case Reduce::Min: return std::min(of.low, of.first);
      case Reduce::Max: return std::max(of.high, of.first);
      case Reduce::Mean: return mean;
      case Reduce::Integral: return mean * duration;
      case Reduce::Time: break;  // refused
    }
    return kNone;
  }

  // `failure`: of an accurate step.
  void finish(SweepRow& row, std::vector<double> values, bool failed,
              Batch::Failure failure) const {
    if (row.status == SweepRow::Status::Failed) return;
    if (failure.reason != 0) {
      row = {SweepRow::Status::Failed, {}, "simulate.failed", batch_->describe(failure)};
      return;
    }
    const bool is_finite = std::all_of(values.begin(), values.end(),
                                       [](double value) { return std::isfinite(value); });
    if (failed || !is_finite) {
      row = {SweepRow::Status::Failed, {}, "simulate.failed", "a value is not finite."};
      return;
    }
    row.values = std::move(values);
  }

  // Both give the seconds from the variants in memory to their results in memory.
  // All variants take the same number of steps of the same length.
  void check_end(double duration, double step, std::uint64_t steps) const {
    constexpr double kWhole = 1e-6;  // of a step
    if (std::abs(duration / step - static_cast<double>(steps)) <= kWhole) return;
    throw Error("study.bad-option",
                fmt::format("a run of {:g} s is no whole number of steps of {:g} s, and in a batch "
                            "all steps are of one length.",
                            duration, step),
                fmt::format("End at {:g} s, or take another step.",
                            batch_options_.run.end - duration + static_cast<double>(steps) * step));
  }

  double step_here(Batch& batch, std::uint64_t steps, std::vector<SweepRow>& rows) const {
    const std::size_t n = rows.size(), m = batch.observed().size();
    const auto before = std::chrono::steady_clock::now();
    const Batch::Reduction kept = batch.advance_and_reduce(steps);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - before;
    for (std::size_t copy = 0; copy < n; ++copy) {
      std::vector<double> values;
      bool failed = false;
      for (std::size_t c = 0; c < places_.size(); ++c) {
        const std::size_t at = copy * m + places_[c];
        failed = failed || !std::isfinite(kept.sum[at]);
        const Course course{first_[at], kept.last[at], kept.low[at], kept.high[at],
                            kept.sum[at] / static_cast<double>(steps)};
        values.push_back(value_of(sweep_.criteria[c], course, steps));
      }
      finish(rows[copy], std::move(values), failed, batch.failure(copy));
    }
    return seconds.count();
  }

  double step_on_card(const Batch& batch, std::uint64_t steps, std::vector<SweepRow>& rows) {
    Card::Variants variants;
    variants.count = rows.size();
    std::vector<double> numbers(rows.size());
    // What all have in common is one number.
    const auto add = [&](std::vector<std::vector<double>>& to) {
      const bool is_common = std::all_of(numbers.begin(), numbers.end(),
                                         [&](double value) { return value == numbers[0]; });
      to.emplace_back(numbers.begin(), is_common ? numbers.begin() + 1 : numbers.end());
    };
    for (std::size_t i = 0; i < batch.num_states(); ++i) {
      batch.get_state(i, numbers);
      add(variants.states);
    }
    for (std::size_t i = 0; i < batch.num_parameters(); ++i) {
      batch.get_parameter(i, numbers);
      add(variants.parameters);
    }
    std::vector<Card::Wanted> wanted;  // of each criterion; then last values, for means
    for (std::size_t c = 0; c < places_.size(); ++c) {
      const auto& outputs = batch.step_model().outputs;
      const std::string& name = sweep_.criteria[c].quantity;
      const auto it = std::find_if(outputs.begin(), outputs.end(),
                                   [&](const CVariable& output) { return output.label == name; });
      wanted.push_back({static_cast<std::size_t>(it - outputs.begin()), which(sweep_.criteria[c])});
    }
    std::vector<std::size_t> last_of;  // their places
    for (std::size_t c = 0; c < places_.size(); ++c) {
      last_of.push_back(wanted[c].which == Card::Which::Mean ? wanted.size() : c);
      if (last_of[c] != c) wanted.push_back({wanted[c].output, Card::Which::Final});
    }
    const Card::Results& found = card_->run(variants, steps, wanted);
    const std::size_t m = batch.observed().size();
    for (std::size_t copy = 0; copy < rows.size(); ++copy) {
      std::vector<double> values;
      for (std::size_t c = 0; c < places_.size(); ++c) {
        const double of = found.values[c][copy], last = found.values[last_of[c]][copy];
        const Course course{first_[copy * m + places_[c]], last, of, of, of};
        values.push_back(value_of(sweep_.criteria[c], course, steps));
      }
      const int failure = found.failures[copy];
      const bool is_accurate = batch.step_model().tolerance.has_value();
      finish(rows[copy], std::move(values), failure != 0,
             {is_accurate ? failure : 0, found.counts[copy]});
    }
    return found.seconds;
  }

  static Card::Which which(const Criterion& criterion) {
    switch (criterion.reduction) {
      case Reduce::Final: return Card::Which::Final;
      case Reduce::Min: return Card::Which::Minimum;
      case Reduce::Max: return Card::Which::Maximum;
      case Reduce::Mean:
      case Reduce::Integral:
      case Reduce::Time: break;
    }
    return Card::Which::Mean;
  }

  const Sweep& sweep_;
  const Model& model_;
  std::vector<ParameterOrigin> origins_;
  BatchOptions batch_options_;
  std::vector<std::size_t> places_;  // of each criterion among what is observed
  std::vector<std::string> names_;
  std::vector<double> first_;  // what is observed at the start, variant by variant
  bool on_card_ = false, contracts_ = false;
  std::optional<Batch> batch_;
  std::optional<Card> card_;
};

}  // namespace

bool run_batch_sweep(const Sweep& sweep, const Model& model,
                     const std::vector<ParameterOrigin>& origins, SweepQueue& queue,
                     const BatchSweepOptions& options,
                     const std::function<void(std::span<const std::size_t> numbers,
                                              std::span<const SweepRow> rows)>& keep,
                     BatchSweepLoad& load) {
  constexpr std::size_t kHere = 4096, kOnCard = 1'000'000;
  const std::size_t most = options.most > 0 ? options.most : options.on_card ? kOnCard : kHere;
  try {
    BatchSweep work(sweep, model, origins, options);
    while (true) {
      std::vector<std::size_t> numbers;
      while (numbers.size() < most) {
        const std::optional<std::size_t> number = queue.take();
        if (!number) break;
        numbers.push_back(*number);
      }
      if (numbers.empty()) return true;
      keep(numbers, work.run(numbers, load));
    }
  } catch (const Stopped&) {
    return false;
  }
}

}  // namespace koppel
