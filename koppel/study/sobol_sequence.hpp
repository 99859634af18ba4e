// Sobol' sequences: points that fill the unit cube more evenly than random ones. With direction
// numbers v_k of a dimension, fractions of 32 bits, point i is
//
//   x_i = ⊕_k g_k v_k,      g = i ⊕ ⌊i/2⌋ (Gray code)                                    (1)
//
// so that any point can be had by itself [Antonov & Saleev 1979]. The direction numbers are those
// of [Joe & Kuo 2008]. What each byte of g contributes to (1) is kept in a table.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace koppel {

class SobolSequence {
 public:
  static constexpr std::size_t kMostDimensions = 32;
  static constexpr std::uint64_t kMostPoints = std::uint64_t{1} << 32;

  // At most kMostDimensions. `shift`: a random digital shift by this seed, which keeps the evenness
  // and moves the first point away from the corner; none: the sequence itself.
  explicit SobolSequence(std::size_t dimensions, const std::uint64_t* shift = nullptr);

  // In [0, 1).
  double operator()(std::uint64_t point, std::size_t dimension) const;

 private:
  struct Dimension {
    std::array<std::array<std::uint32_t, 256>, 4> of_byte;  // ⊕_k g_k v_k, by the byte of g
    std::uint32_t shift = 0;
  };
  std::vector<Dimension> dimensions_;
};

}  // namespace koppel
