#include <koppel/live/durations.hpp>

#include <algorithm>
#include <bit>
#include <cmath>

namespace koppel {

// A value of b > kBits + 1 bits loses its last b − kBits − 1 bits: class = shift · 2^kBits + the
// rest, of kBits + 1 bits. Smaller values are their own class.
void Durations::add(std::int64_t nanoseconds) noexcept {
  const auto value = static_cast<std::uint64_t>(std::max<std::int64_t>(nanoseconds, 0));
  const int shift = std::max(0, static_cast<int>(std::bit_width(value)) - kBits - 1);
  const auto index = (static_cast<std::uint64_t>(shift) << kBits) + (value >> shift);
  ++counts_[static_cast<std::size_t>(index)];
  ++count_;
  max_ = std::max(max_, static_cast<std::int64_t>(value));
}

std::uint64_t Durations::largest_of(int index) {
  const int shift = std::max(0, (index >> kBits) - 1);
  const auto rest =
      static_cast<std::uint64_t>(index) - (static_cast<std::uint64_t>(shift) << kBits);
  return ((rest + 1) << shift) - 1;
}

double Durations::quantile(double part) const {
  const auto wanted = static_cast<long>(std::ceil(part * static_cast<double>(count_)));
  long sum = 0;
  for (int i = 0; i < kClasses; ++i) {
    sum += counts_[static_cast<std::size_t>(i)];
    if (sum == 0 || sum < wanted) continue;
    return 1e-9 * static_cast<double>(std::min(largest_of(i), static_cast<std::uint64_t>(max_)));
  }
  return 0;
}

}  // namespace koppel
