#include <koppel/study/batch_on_card.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/runtime/step.h>

namespace koppel {

void Batch::bring_to_card() {
  if (!on_card_->is_behind) return;
  OnCard& on = *on_card_;
  const auto row = [&](std::size_t i) -> std::span<const double> {
    for (std::size_t copy = 0; copy < count_; ++copy) {
      on.numbers[copy] = blocks_[copy / width_].now[i * width_ + copy % width_];
    }
    return on.numbers;
  };
  for (std::size_t i = 0; i < num_state_; ++i) on.copies.set_state(i, row(2 + i));
  if (accurate_) on.copies.set_state(num_state_, row(1));  // the step to try next
  for (std::size_t i = 0; i < inputs_.size(); ++i) on.copies.set_input(i, row(first_input_ + i));
  for (std::size_t i = 0; i < num_parameters(); ++i) {
    on.copies.set_parameter(i, row(first_parameter_ + i));
  }
  for (std::size_t copy = 0; copy < count_; ++copy) {
    on.counts[copy] = blocks_[copy / width_].counts[copy % width_];
  }
  on.copies.set_counts(on.counts);
  on.is_behind = false;
}

void Batch::bring_back() const {
  if (!on_card_ || !on_card_->is_ahead) return;
  OnCard& on = *on_card_;
  on.copies.get_counts(on.counts);
  for (std::size_t copy = 0; copy < count_; ++copy) {
    Block& block = blocks_[copy / width_];
    block.counts[copy % width_] = on.counts[copy];
    block.now[copy % width_] = koppel_time(block.start[copy % width_], step_, on.counts[copy]);
    if (accurate_) note_failure(block.failures[copy % width_], on.failures[copy], on.counts[copy]);
  }
  for (std::size_t i = 0; i < num_state_ + (accurate_ ? 1 : 0); ++i) {
    on.copies.get_state(i, on.numbers);
    const std::size_t row = i < num_state_ ? 2 + i : 1;
    for (std::size_t copy = 0; copy < count_; ++copy) {
      const bool has_failed = row > 1 && on.failures[copy] != 0;
      blocks_[copy / width_].now[row * width_ + copy % width_] =
          has_failed ? NAN : on.numbers[copy];
    }
  }
  for (std::size_t k = 0; k < on.inputs.size(); ++k) {
    const std::size_t copy = k / inputs_.size(), row = first_input_ + k % inputs_.size();
    blocks_[copy / width_].now[row * width_ + copy % width_] = on.inputs[k];
  }
  on.inputs.clear();
  on.is_ahead = false;
}

void Batch::change_blocks() {
  if (!on_card_) return;
  bring_back();
  on_card_->is_behind = true;
}

void Batch::advance_on_card(std::span<const double> inputs, int steps) {
  const std::size_t num_u = inputs_.size();
  bring_to_card();
  if (!inputs.empty()) on_card_->inputs.assign(inputs.begin(), inputs.end());
  for (std::size_t i = 0; !inputs.empty() && i < num_u; ++i) {
    for (std::size_t copy = 0; copy < count_; ++copy) {
      on_card_->numbers[copy] = inputs[copy * num_u + i];
    }
    on_card_->copies.set_input(i, on_card_->numbers);
  }
  on_card_->copies.run(static_cast<std::uint64_t>(steps));
  on_card_->is_ahead = true;
  on_card_->copies.get_failures(on_card_->failures);
  const bool has_failed = std::any_of(on_card_->failures.begin(), on_card_->failures.end(),
                                      [](int failure) { return failure != 0; });
  if (has_failed) change_blocks();  // the card keeps the last good states
}

void Batch::observe_on_card(std::span<double> to) const {
  const std::size_t num_observed = observed_.size();
  const std::span<double> all = on_card_->observed;
  for (std::size_t k = 0; k < num_observed; ++k) {
    on_card_->copies.get_output(on_card_->outputs[k], all.subspan(k * count_, count_));
  }
  for (std::size_t copy = 0; copy < count_; ++copy) {
    for (std::size_t k = 0; k < num_observed; ++k) {
      to[copy * num_observed + k] = all[k * count_ + copy];
    }
  }
}

}  // namespace koppel
