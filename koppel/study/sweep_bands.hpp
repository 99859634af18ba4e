// Bands of a sweep: how its quantities are distributed over all variants at each of some times.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/results/trajectory.hpp>
#include <koppel/study/criteria.hpp>

namespace koppel {

// The quantities of the criteria, each once.
std::vector<std::string> quantities_of(std::span<const Criterion> criteria);

// Their values at the times, quantity by quantity, linear between rows; not a number outside.
std::vector<double> sample_series(std::span<const Criterion> criteria,
                                  std::span<const double> times, const Trajectory& trajectory);

// As a text without tabs, and back; what is not finite is a '-' alone.
std::string series_text(std::span<const double> series);
std::vector<double> parse_series(std::string_view text);

inline constexpr double kBandParts[] = {0.05, 0.25, 0.5, 0.75, 0.95};

class Bands {
 public:
  Bands(std::vector<std::string> quantities, std::vector<double> times);

  void add(std::span<const double> series);  // of a variant; of another size: left out
  const std::vector<std::string>& quantities() const { return quantities_; }
  const std::vector<double>& times() const { return times_; }
  // Quantiles by kBandParts, the nearest values; not a number where there is no variant.
  std::vector<double> at(std::size_t quantity, std::size_t time) const;
  std::size_t count(std::size_t quantity, std::size_t time) const;

 private:
  std::vector<std::string> quantities_;
  std::vector<double> times_;
  std::vector<std::vector<double>> values_;  // by quantity and time
};

std::string bands_csv(const Bands& bands);  // quantity,t,p5,p25,p50,p75,p95,variants

}  // namespace koppel
