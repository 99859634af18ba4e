// The copies of a batch on a graphics card. What differs between them travels to the card, what is
// asked for travels back; in between their states are there alone.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>

#include <koppel/runtime/step.h>
#include <koppel/base/parts.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/study/batch_device.hpp>

namespace koppel {
namespace {

class BatchOnCard : public BatchDevice {
 public:
  BatchOnCard(const StepModel& model, const std::vector<std::string>& observed,
              const BatchOptions& options, std::shared_ptr<const Card> card)
      : BatchDevice(BatchStarts(model, CardNumbers(CardAllocator<double>(card)))),
        card_(std::move(card)),
        step_(model.step),
        is_accurate_(model.tolerance.has_value()),
        jobs_(options.jobs),
        failures_(CardAllocator<int>(card_)),
        numbers_(CardAllocator<double>(card_)) {
    for (const std::string& name : observed) {
      const auto it = std::find_if(model.outputs.begin(), model.outputs.end(),
                                   [&](const CVariable& output) { return output.label == name; });
      outputs_.push_back(static_cast<int>(it - model.outputs.begin()));
    }
  }

  // Multiples of what steps at the same time leave no part of the card idle.
  std::size_t best_count() const override {
    constexpr std::size_t kAbout = 2'000'000;  // with some memory
    const auto once = static_cast<std::size_t>(card_->num_at_once(0));
    return std::max<std::size_t>((kAbout + once / 2) / once, 1) * once;
  }

  void reset() override {
    if (failures_.size() != starts.count()) divide();
    inputs_.clear();
    noted_.clear();
    is_at_start_ = true;
  }

  void reset(std::span<const std::uint8_t> marked) override {
    if (std::all_of(marked.begin(), marked.end(), [](std::uint8_t mark) { return mark != 0; })) {
      return reset();
    }
    if (is_at_start_) return;
    for (std::size_t row = 1; row < starts.first_parameter; ++row) {
      change(row, [&](std::size_t copy, double& value) {
        if (marked[copy] != 0) value = starts.at(row, copy);
      });
    }
    for (std::size_t row = starts.first_parameter; row < starts.num_rows(); ++row) {
      for (const Part& part : parts_) put(part, row, starts.row(row));
    }
    for (const Part& part : parts_) {
      Counts counts = counts_of(part);
      for (std::size_t i = 0; i < part.count; ++i) {
        if (marked[part.first + i] != 0) counts[i] = 0;
      }
      card_->check(card_->set_counts(part.batch.get(), counts.data()));
    }
    for (std::size_t copy = 0; copy < noted_.size(); ++copy) {
      if (marked[copy] != 0) noted_[copy] = {};
    }
  }

  void advance(std::span<const double> inputs, int steps) override {
    const std::size_t num_u = starts.first_parameter - starts.first_input;
    if (!inputs.empty()) inputs_.resize(num_u, make_numbers());
    for (std::size_t k = 0; k < inputs.size(); ++k) inputs_[k % num_u][k / num_u] = inputs[k];
    run(static_cast<std::uint64_t>(steps), {}, !inputs.empty());
  }

  void observe(std::span<double> out) override {
    if (is_at_start_ || is_changed_) run(0, {}, false);
    const std::size_t m = outputs_.size();
    numbers_.resize(starts.count());
    for (std::size_t k = 0; k < m; ++k) {
      for (const Part& part : parts_) {
        card_->check(card_->get_output(part.batch.get(), outputs_[k], 0, &numbers_[part.first]));
      }
      for (std::size_t copy = 0; copy < starts.count(); ++copy) out[copy * m + k] = numbers_[copy];
    }
  }

  // Looks come first, each from the start.
  const Batch::Reduction& reduce(std::uint64_t steps, std::span<const Batch::Wanted> wanted,
                                 const BatchHealth* health) override {
    reduction_.is_suspect.assign(starts.count(), 0);
    for (std::uint64_t step = 1; health != nullptr && step < steps; ++step) {
      if (!BatchHealth::is_look(step)) continue;
      is_at_start_ = true;
      run(step, {}, false);
      look(step, *health);
    }
    if (health != nullptr) {
      noted_.clear();
      is_at_start_ = true;
    }
    const auto before = std::chrono::steady_clock::now();
    values_.resize(wanted.size(), make_numbers());
    for (CardNumbers& values : values_) values.resize(starts.count());
    run(steps, wanted, false);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - before;
    reduction_.seconds = took.count();
    if (health != nullptr) look(steps, *health);
    reduction_.values = values_;
    reduction_.failures = failures_;
    return reduction_;
  }

  void get(std::size_t row, std::span<double> out) override {
    if (is_at_start_) run(0, {}, false);
    for (const Part& part : parts_) {
      const std::span<double> of = out.subspan(part.first, part.count);
      if (row > 0) get(part, row, of);
      const Counts counts = row == 0 ? counts_of(part) : Counts{};
      for (std::size_t i = 0; i < counts.size(); ++i) {
        of[i] = koppel_time(starts.common(0), step_, counts[i]);
      }
    }
  }

  void set(std::size_t row, std::span<const double> values) override {
    if (is_at_start_) run(0, {}, false);
    for (const Part& part : parts_) put(part, row, values);
    is_changed_ = true;
  }

  Batch::Failure failure(std::size_t copy) const override {
    return noted_.empty() ? Batch::Failure{} : noted_[copy];
  }

 private:
  // Parts of many copies run side by side, each in a thread and a stream of its own, so that the
  // card computes some while others are on their way to it or back. It begins when the first part
  // is there, which fills it once; the others keep it busy.
  struct Part {
    std::size_t first, count;                                    // of the copies
    std::unique_ptr<Card::Batch, void (*)(Card::Batch*)> batch;  // on the card
  };
  void divide() {
    constexpr std::size_t kMostParts = 4, kWhole = 50'000;
    const std::size_t count = starts.count();
    const std::size_t first = std::max(static_cast<std::size_t>(card_->num_at_once(0)), kWhole);
    const std::size_t others = count > first ? std::min(count / first - 1, kMostParts - 1) : 0;
    parts_.clear();
    std::size_t begin = 0;
    for (std::size_t p = 0; p <= others; ++p) {
      const std::size_t end = others == 0 ? count : first + (count - first) * p / others;
      Card::Batch* created = nullptr;
      card_->check(card_->create(&created, static_cast<std::int64_t>(end - begin)));
      parts_.push_back({begin, end - begin, {created, card_->destroy}});
      begin = end;
    }
    failures_.resize(count);
  }

  using Counts = std::vector<std::uint64_t>;
  Counts counts_of(const Part& part) const {
    Counts out(part.count);
    card_->check(card_->get_counts(part.batch.get(), out.data()));
    return out;
  }

  CardNumbers make_numbers() const {
    return CardNumbers(starts.count(), CardAllocator<double>(card_));
  }

  // A row of the layout: on the card the step to try next stands behind the other states.
  int place_of(std::size_t row) const {
    return static_cast<int>(row == 1 ? starts.num_states : row - 2);
  }
  // A number for each copy, or one for all.
  void put(const Part& part, std::size_t row, std::span<const double> values) const {
    if (row == 1 && !is_accurate_) return;
    if (values.size() > 1) values = values.subspan(part.first, part.count);
    const bool is_state = row < starts.first_input, is_input = row < starts.first_parameter;
    const std::size_t first = is_input ? starts.first_input : starts.first_parameter;
    const auto function = is_state   ? card_->set_state
                          : is_input ? card_->set_input
                                     : card_->set_parameter;
    card_->check(function(part.batch.get(),
                          is_state ? place_of(row) : static_cast<int>(row - first), values.data(),
                          static_cast<std::int64_t>(values.size())));
  }
  void get(const Part& part, std::size_t row, std::span<double> out) const {
    if (row < starts.first_input) {
      card_->check(card_->get_state(part.batch.get(), place_of(row), out.data()));
      return;
    }
    for (std::size_t i = 0; i < part.count; ++i) out[i] = starts.at(row, part.first + i);
  }
  // A state or an input of each copy.
  template <typename Do>
  void change(std::size_t row, Do&& work) {
    if (row == 1 && !is_accurate_) return;
    const bool is_input = row >= starts.first_input;
    if (is_input && inputs_.empty()) return;
    CardNumbers& values = is_input ? inputs_[row - starts.first_input] : numbers_;
    values.resize(starts.count());
    for (const Part& part : parts_) {
      if (!is_input) get(part, row, std::span(values).subspan(part.first, part.count));
      for (std::size_t i = part.first; i < part.first + part.count; ++i) work(i, values[i]);
      put(part, row, values);
    }
    is_changed_ = true;
  }

  // So many steps of all copies.
  void run(std::uint64_t steps, std::span<const Batch::Wanted> wanted, bool has_inputs) {
    std::vector<std::future<void>> others;
    const auto run_part = [&](const Part& part) { run(part, steps, wanted, has_inputs); };
    for (std::size_t p = 1; p < parts_.size(); ++p) {
      others.push_back(std::async(std::launch::async, run_part, std::cref(parts_[p])));
    }
    run_part(parts_[0]);
    for (std::future<void>& other : others) other.get();
    is_at_start_ = is_changed_ = false;
    if (std::any_of(failures_.begin(), failures_.end(), [](int of) { return of != 0; })) fail();
  }
  void run(const Part& part, std::uint64_t steps, std::span<const Batch::Wanted> wanted,
           bool has_inputs) {
    Card::Batch* const batch = part.batch.get();
    if (is_at_start_) card_->check(card_->restart(batch));
    for (std::size_t row = 1; is_at_start_ && row < starts.num_rows(); ++row) {
      put(part, row, starts.row(row));
    }
    for (std::size_t i = 0; has_inputs && i < inputs_.size(); ++i) {
      put(part, starts.first_input + i, inputs_[i]);
    }
    std::vector<int> chosen;
    bool reduces = false;
    for (const Batch::Wanted& one : wanted) {
      const int output = outputs_[one.observed];
      if (std::find(chosen.begin(), chosen.end(), output) == chosen.end()) chosen.push_back(output);
      reduces = reduces || one.which != Batch::Which::Last;
    }
    if (!chosen.empty()) {
      card_->check(card_->choose_outputs(batch, chosen.data(), static_cast<int>(chosen.size())));
    }
    card_->check(card_->run(batch, steps, 0, reduces ? 1 : 0));
    card_->check(card_->get_failures(batch, &failures_[part.first]));
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      card_->check(card_->get_output(batch, outputs_[wanted[i].observed],
                                     static_cast<int>(wanted[i].which), &values_[i][part.first]));
    }
  }

  // The card keeps the last good state of a copy whose step failed; it is no number any more.
  void fail() {
    if (is_accurate_) note();
    for (std::size_t row = 2; row < starts.first_input; ++row) {
      change(row, [&](std::size_t copy, double& value) {
        if (failures_[copy] != 0) value = NAN;
      });
    }
  }

  void note() {
    noted_.resize(starts.count());
    for (const Part& part : parts_) {
      const Counts counts = counts_of(part);
      for (std::size_t i = 0; i < part.count; ++i) {
        Batch::Failure& noted = noted_[part.first + i];
        if (noted.reason == 0) noted = {failures_[part.first + i], counts[i]};
      }
    }
  }

  // After so many steps from the start. Through lanes, as many copies at a time as there are.
  void look(std::uint64_t step, const BatchHealth& health) {
    ends_.resize(starts.num_states, make_numbers());
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      ends_[i].resize(starts.count());
      get(2 + i, ends_[i]);
    }
    const std::size_t n = health.lanes();
    const double t = koppel_time(starts.common(0), step_, step);
    for_parts(starts.count(), {.jobs = jobs_, .multiple = 64},
              [&](std::size_t, std::size_t first, std::size_t last) {
                std::vector<double> layout(n * starts.num_rows());
                BatchHealth::Look look;
                for (std::size_t begin = first; begin < last; begin += n) {
                  const std::size_t size = std::min(n, last - begin);
                  starts.get(begin, size, n, layout);
                  health.begin(layout.data(), look);
                  std::fill_n(layout.begin(), n, t);
                  for (std::size_t i = 0; i < n * ends_.size(); ++i) {
                    layout[2 * n + i] = ends_[i / n][begin + std::min(i % n, size - 1)];
                  }
                  health.look(layout.data(), look);
                  health.mark_suspects(t, static_cast<double>(step), look,
                                       std::span(reduction_.is_suspect).subspan(begin, size));
                }
              });
  }

  std::shared_ptr<const Card> card_;
  double step_;
  bool is_accurate_;
  int jobs_;
  std::vector<int> outputs_;  // of the step model, those that are observed
  std::vector<Part> parts_;
  bool is_at_start_ = true;                        // and the card is not told yet
  bool is_changed_ = false;                        // since outputs were computed
  std::vector<CardNumbers> inputs_;                // that were given since the start
  std::vector<int, CardAllocator<int>> failures_;  // in the last run
  std::vector<Batch::Failure> noted_;              // since the start
  CardNumbers numbers_;
  std::vector<CardNumbers> ends_, values_;  // states that are looked at; what is wanted
  Batch::Reduction reduction_;
};

}  // namespace

std::unique_ptr<BatchDevice> make_batch_on_card(const StepModel& model,
                                                const std::vector<std::string>& observed,
                                                const BatchOptions& options) {
  return std::make_unique<BatchOnCard>(
      model, observed, options, std::make_shared<const Card>(model, options.reduces_on_card));
}

}  // namespace koppel
