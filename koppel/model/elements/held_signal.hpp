// Samples as they arrive, each held until the next, with faults for studies
// (model/signal_faults.hpp): those of a file, or of any function of time.
//
// A held signal p has no derivative of use: it is zero or infinite. NAME' is the velocity by
// central differences [Lipovac 2020, sections 3.2.2 and 3.2.3], of the samples,
//   v_i = (p_{i+1} − p_{i−1}) / (t_{i+1} − t_{i−1}), one-sided at both ends,                  (1)
// held like them, or on a grid of steps of length h,
//   v(t) = (p(t + h) − p(t − h)) / (2h).                                                      (2)
// Both look one sample or step ahead, as a recorded signal allows.
#pragma once

#include <koppel/model/elements/model_writer.hpp>

namespace koppel {

struct HeldSignal {
  static constexpr ElementInfo kInfo{"held",
                                     "samples of a file or of an expression as they arrive, each "
                                     "held until the next, for tracking"};

  std::optional<SampleFile> file = {};
  std::optional<std::string> column = {};
  Texts columns = {};
  Numbers value = {};  // instead of the file
  std::optional<double> every = {}, until = {};
  std::optional<double> noise = {}, jitter = {}, latency = {};
  std::optional<double> drop_every = {}, drop_for = {}, seed = {};
  std::optional<double> rate_step = {};  // h of (2)

  static const std::vector<Field<HeldSignal>>& fields();
  void add_to(ModelWriter& writer) const;

 private:
  bool is_complete(ModelWriter& writer) const;
};

}  // namespace koppel
