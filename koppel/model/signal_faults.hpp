// What happens to samples on their way: noise, late and irregular arrival, drop-outs. For studies
// of how a mechanism follows a signal.
#pragma once

#include <random>
#include <vector>

namespace koppel {

struct SignalFaults {
  double noise = 0;                     // standard deviation of the values
  double latency = 0;                   // s, of all of them
  double jitter = 0;                    // s, at most, of each by itself
  double drop_every = 0, drop_for = 0;  // s: nothing arrives in the last part of every period
  double seed = 1;
};

// Its random numbers, by the engine alone: distributions differ between libraries.
class FaultRandom {
 public:
  explicit FaultRandom(double seed);

  double uniform();  // in (0, 1)
  double normal();

 private:
  std::mt19937_64 engine_;
};

// Whether nothing arrives that is sent at t.
bool is_dropped(const SignalFaults& faults, double t);

// Samples that would arrive before an earlier one are lost. The first one is always there.
void add_faults(const SignalFaults& faults, std::vector<double>& t,
                std::vector<std::vector<double>>& columns);

}  // namespace koppel
