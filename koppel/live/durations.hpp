// Durations counted in classes, for quantiles of runs of any length in fixed memory. The classes
// are 1 ns wide up to 128 ns and at most 1/64 of their value from there on, so that a quantile is
// that of the data to 1.6 %, from above; the maximum is exact.
#pragma once

#include <array>
#include <cstdint>

namespace koppel {

class Durations {
 public:
  // Negative ones count as 0. Neither allocates nor branches on more than one comparison.
  void add(std::int64_t nanoseconds) noexcept;

  long count() const { return count_; }
  double max() const { return 1e-9 * static_cast<double>(max_); }  // seconds
  // The smallest duration that at least this part of all does not exceed; 0 where there are none.
  double quantile(double part) const;  // seconds
  double median() const { return quantile(0.5); }

 private:
  static constexpr int kBits = 6;  // of a value that a class keeps
  static constexpr int kClasses = (64 - kBits) << kBits;
  static std::uint64_t largest_of(int index);

  std::array<long, kClasses> counts_{};
  long count_ = 0;
  std::int64_t max_ = 0;
};

}  // namespace koppel
