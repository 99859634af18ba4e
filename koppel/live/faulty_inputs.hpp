// Inputs as they come over a bad line, for studies with live signals: noise, latency, jitter and
// drop-outs (model/signal_faults.hpp) on what other channels have read. Stands behind them.
#pragma once

#include <string>
#include <vector>

#include <koppel/live/channel.hpp>
#include <koppel/model/signal_faults.hpp>

namespace koppel {

// A value that differs from the one before is a sample. Samples that would arrive before an earlier
// one are lost, and so are those that are under way while 4096 others are.
class FaultyInputs : public Channel {
 public:
  explicit FaultyInputs(const SignalFaults& faults) : faults_(faults), random_(faults.seed) {}

  void open(const Ports& ports) override;
  void read(double t, std::span<double> u) noexcept override;
  std::vector<std::string> notes() const override;

 private:
  void send(double t, std::span<const double> u) noexcept;

  SignalFaults faults_;
  FaultRandom random_;
  // Samples under way, in the order in which they arrive: a ring.
  static constexpr std::size_t kMost = 4096;
  std::vector<double> arrival_, values_;
  std::size_t first_ = 0, count_ = 0;
  std::vector<double> given_, sent_;  // what the step got last; what was read last
  bool has_begun_ = false;
  long num_samples_ = 0, num_lost_ = 0;
};

// "noise=0.01,latency=0.05,jitter=0.02,drop_every=1,drop_for=0.1,seed=3". Throws Error
// `live.bad-option`.
SignalFaults parse_faults(const std::string& text);

}  // namespace koppel
