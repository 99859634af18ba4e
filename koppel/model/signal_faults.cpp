#include <koppel/model/signal_faults.hpp>

#include <cmath>
#include <cstdint>
#include <numbers>

namespace koppel {
FaultRandom::FaultRandom(double seed) : engine_(static_cast<std::uint64_t>(seed)) {}

double FaultRandom::uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

// By Box and Muller.
double FaultRandom::normal() {
  const double r = std::sqrt(-2 * std::log(uniform()));
  return r * std::cos(2 * std::numbers::pi * uniform());
}

bool is_dropped(const SignalFaults& faults, double t) {
  if (!(faults.drop_every > 0)) return false;
  return std::fmod(t, faults.drop_every) > faults.drop_every - faults.drop_for;
}

void add_faults(const SignalFaults& faults, std::vector<double>& t,
                std::vector<std::vector<double>>& columns) {
  FaultRandom random(faults.seed);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < t.size(); ++i) {
    const double at = i == 0 ? t[0] : t[i] + faults.latency + faults.jitter * random.uniform();
    std::vector<double> values;
    for (const auto& column : columns) values.push_back(column[i] + faults.noise * random.normal());
    if (i > 0 && (is_dropped(faults, t[i]) || at <= t[kept - 1])) continue;
    t[kept] = at;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      columns[k][kept] = i == 0 ? columns[k][0] : values[k];
    }
    ++kept;
  }
  t.resize(kept);
  for (auto& column : columns) column.resize(kept);
}

}  // namespace koppel
