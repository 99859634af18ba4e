// What a batch has on a graphics card. For sources of this folder only.
#pragma once

#include <algorithm>

#include <koppel/study/batch.hpp>
#include <koppel/study/card.hpp>

namespace koppel {

struct Batch::OnCard {
  OnCard(const StepModel& model, std::size_t count, const std::vector<std::string>& names)
      : card(model, {.reduces = false}),
        copies(card, count),
        numbers(count),
        observed(count * names.size()),
        counts(count),
        failures(count) {
    for (const std::string& name : names) {
      const auto it = std::find_if(model.outputs.begin(), model.outputs.end(),
                                   [&](const CVariable& output) { return output.label == name; });
      outputs.push_back(static_cast<std::size_t>(it - model.outputs.begin()));
    }
  }

  Card card;
  Card::Copies copies;
  std::vector<std::size_t> outputs;  // of the step model, those that are observed
  bool is_ahead = false, is_behind = true;
  std::vector<double> inputs;  // that the blocks do not have yet, copy by copy
  // Of all copies.
  std::vector<double> numbers, observed;
  std::vector<std::uint64_t> counts;
  std::vector<int> failures;  // in the last run
};

}  // namespace koppel
