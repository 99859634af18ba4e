#include <koppel/study/batch_sweep.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/study/batch.hpp>
#include <koppel/study/batch_health.hpp>

namespace koppel {
namespace {

class BatchSweep {
 public:
  BatchSweep(const Sweep& sweep, const Model& model, const std::vector<ParameterOrigin>& origins,
             const BatchSweepOptions& options)
      : sweep_(sweep), most_(options.most), model_(model), origins_(origins) {
    batch_options_.run = sweep.options(model);
    batch_options_.jobs = options.jobs;
    for (const Criterion& criterion : sweep.criteria) add_wanted(criterion);
    for (std::size_t c = 0; c < sweep.criteria.size(); ++c) {
      const Batch::Wanted last{wanted_[c].observed, Batch::Which::Last};
      starts_wanted_.push_back(last);
      last_of_.push_back(wanted_[c].which == Batch::Which::Mean ? wanted_.size() : c);
      if (last_of_[c] != c) wanted_.push_back(last);
    }
    needs_first_ = std::any_of(sweep.criteria.begin(), sweep.criteria.end(), needs_first);
    for (const Range& range : sweep.samples.design().ranges) names_.push_back(range.name);
    batch_options_.on_card = options.on_card;
    batch_options_.reduces_on_card = needs_first_;
    batch_.emplace(model, origins, 1, batch_options_);
    find_steps();
    if (batch_options_.run.health.is_watched) {
      health_.emplace(batch_->step_model(), batch_options_.run.health, batch_->lanes());
    }
  }

  // How many variants come next.
  std::size_t num_next() const {
    if (most_ > 0) return most_;
    return batch_->best_count() > 0 ? batch_->best_count() : num_here_;
  }

  // Adds the seconds of stepping, with transfers.
  BatchRows run(std::span<const std::size_t> numbers, BatchSweepLoad& load) {
    const auto before = std::chrono::steady_clock::now();
    const std::size_t n = numbers.size();
    BatchRows rows(n, sweep_.criteria);
    if (batch_->size() != n || batch_options_.on_card) batch_->resize(n);
    const auto point = [&](std::size_t copy, std::span<double> values) {
      sweep_.samples.point(numbers[copy], values);
    };
    for (const Batch::Impossible& failure : batch_->set(names_, point)) {
      rows.refuse(failure.copy, failure.id, failure.why);
    }
    if (needs_first_) {
      const Batch::Reduction& first = batch_->advance_and_reduce(0, starts_wanted_);
      first_.assign(first.values.begin(), first.values.end());
      load.seconds += first.seconds;
    }
    const Batch::Reduction& kept =
        batch_->advance_and_reduce(steps_, wanted_, health_ ? &*health_ : nullptr);
    load.seconds += kept.seconds;
    load.steps += static_cast<double>(steps_) * static_cast<double>(n);
    for_parts(n, {.jobs = batch_options_.jobs, .multiple = 64},
              [&](std::size_t, std::size_t first, std::size_t last) {
                for (std::size_t i = first; i < last; ++i) fill(i, kept, rows);
              });
    for (std::size_t copy = 0; batch_->is_accurate() && copy < n; ++copy) {
      const Batch::Failure failure = batch_->failure(copy);
      if (failure.reason != 0) rows.refuse(copy, "simulate.failed", batch_->describe(failure));
    }
    choose_size(n, before);
    if (health_) watch(numbers, kept.is_suspect, rows);
    return rows;
  }

 private:
  void add_wanted(const Criterion& criterion) {
    std::vector<std::string>& observed = batch_options_.observed;
    const auto it = std::find(observed.begin(), observed.end(), criterion.quantity);
    const auto place = static_cast<std::size_t>(it - observed.begin());
    if (it == observed.end()) observed.push_back(criterion.quantity);
    switch (criterion.reduction) {
      case Reduce::Final: return wanted_.push_back({place, Batch::Which::Last});
      case Reduce::Min: return wanted_.push_back({place, Batch::Which::Minimum});
      case Reduce::Max: return wanted_.push_back({place, Batch::Which::Maximum});
      case Reduce::Mean:
      case Reduce::Integral: return wanted_.push_back({place, Batch::Which::Mean});
      case Reduce::Time: break;
    }
    throw Error("study.bad-criterion",
                fmt::format("'{}': variants that step together have no events.", criterion.label));
  }

  void fill(std::size_t copy, const Batch::Reduction& kept, BatchRows& rows) const {
    const std::span<double> values = rows.values(copy);
    for (std::size_t c = 0; c < values.size(); ++c) {
      const double of = kept.values[c][copy];
      const Course course{needs_first_ ? first_[c][copy] : Course::kNone,
                          kept.values[last_of_[c]][copy], of, of, of};
      values[c] = std::isfinite(of) ? value_of(sweep_.criteria[c], course, steps_, batch_->step())
                                    : Course::kNone;
    }
    rows.finish(copy, !kept.failures.empty() && kept.failures[copy] != 0);
  }

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

  // Variants that look suspicious step once more, and are watched at all ends of steps.
  void watch(std::span<const std::size_t> numbers, std::span<const std::uint8_t> is_suspect,
             BatchRows& rows) {
    std::vector<std::size_t> suspects;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (is_suspect[i] != 0 && rows.is_done(i)) suspects.push_back(i);
    }
    if (suspects.empty()) return;
    if (!watched_) {
      BatchOptions options = batch_options_;
      options.observed.clear();
      options.observes_health = true;
      options.on_card = false;
      options.lanes = health_->lanes();
      watched_.emplace(model_, origins_, 1, options);
    }
    const std::size_t n = suspects.size(), m = health_->num_now();
    watched_->resize(n);
    watched_->set(names_, [&](std::size_t copy, std::span<double> values) {
      sweep_.samples.point(numbers[suspects[copy]], values);
    });
    std::vector<double> first(n * m);
    watched_->observe(first);
    const std::vector<double> start = watched_->measure_start(*health_);
    std::vector<Batch::Wanted> wanted;
    for (std::size_t k = 0; k < m; ++k) wanted.push_back({k, Batch::Which::Minimum});
    for (std::size_t k = 0; k < m; ++k) wanted.push_back({k, Batch::Which::Maximum});
    const Batch::Reduction& kept = watched_->advance_and_reduce(steps_, wanted);
    std::vector<double> low(m), high(m);
    for (std::size_t i = 0; i < n; ++i) {
      const std::span<const double> at_start = std::span(first).subspan(i * m, m);
      for (std::size_t k = 0; k < m; ++k) {
        low[k] = std::min(kept.values[k][i], at_start[k]);
        high[k] = std::max(kept.values[m + k][i], at_start[k]);
      }
      BatchHealth::Verdict found =
          health_->judge({std::span(start).subspan(i * health_->num_start(), health_->num_start()),
                          at_start, low, high},
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
  std::vector<Batch::Wanted> wanted_;  // of each criterion; then last values, for means
  std::vector<Batch::Wanted> starts_wanted_;
  std::vector<std::size_t> last_of_;  // of each criterion, among them
  bool needs_first_ = false;
  std::vector<std::string> names_;
  std::uint64_t steps_ = 0;
  std::optional<Batch> batch_;
  std::optional<BatchHealth> health_;  // where it is judged
  Model model_;
  std::vector<ParameterOrigin> origins_;
  std::optional<Batch> watched_;
  std::vector<CardNumbers> first_;  // of each criterion, at the start
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
