// RegisterCache: which values of a series stand in registers.
#pragma once

#include <array>
#include <cstdint>

namespace koppel {

// Values that stand in a register beside their place in memory: those used last.
class RegisterCache {
 public:
  static constexpr unsigned kFirst = 4, kEnd = 16;  // the ones below are for intermediate results

  void clear() { keys_.fill(kNothing); }
  // −1: none.
  int find(std::uint64_t key) {
    for (unsigned r = kFirst; r < kEnd; ++r) {
      if (keys_[r] != key) continue;
      used_[r] = ++now_;
      return static_cast<int>(r);
    }
    return -1;
  }
  unsigned take(std::uint64_t key) {
    unsigned oldest = kFirst;
    for (unsigned r = kFirst; r < kEnd; ++r) {
      if (keys_[r] == key) keys_[r] = kNothing;  // it has another value now
      if (used_[r] < used_[oldest]) oldest = r;
    }
    keys_[oldest] = key;
    used_[oldest] = ++now_;
    return oldest;
  }

 private:
  static constexpr std::uint64_t kNothing = ~std::uint64_t{0};
  std::array<std::uint64_t, kEnd> keys_{};
  std::array<std::uint64_t, kEnd> used_{};
  std::uint64_t now_ = 0;
};

}  // namespace koppel
