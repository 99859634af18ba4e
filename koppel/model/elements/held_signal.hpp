// Samples of a file as they arrive, each held until the next, with faults for studies
// (model/signal_faults.hpp).
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct HeldSignal {
  static constexpr ElementInfo kInfo{
      "held", "the samples of a file as they arrive, each held until the next, for tracking"};

  std::optional<SampleFile> file = {};
  std::optional<std::string> column = {};
  Texts columns = {};
  std::optional<double> noise = {}, jitter = {}, latency = {};
  std::optional<double> drop_every = {}, drop_for = {}, seed = {};

  static const std::vector<Field<HeldSignal>>& fields();
  void add_to(ModelWriter& writer) const;
};

}  // namespace koppel
