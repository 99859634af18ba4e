#include <koppel/study/sobol_sequence.hpp>

#include <bit>
#include <cassert>

#include <koppel/study/random.hpp>

namespace koppel {
namespace {

// Degree s and inner coefficients a of a primitive polynomial over GF(2), and the first m_k, for
// dimensions 2, 3, … [Joe & Kuo 2008, file new-joe-kuo-6.21201].
struct Primitive {
  int s;
  unsigned a;
  std::array<std::uint32_t, 7> m;
};

constexpr Primitive kPrimitives[] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
};
static_assert(std::size(kPrimitives) + 1 == SobolSequence::kMostDimensions);

// v_k = m_k 2^(32−k), and the recurrence of the polynomial
//   v_k = a_1 v_{k−1} ⊕ … ⊕ a_{s−1} v_{k−s+1} ⊕ v_{k−s} ⊕ ⌊v_{k−s}/2ˢ⌋
// from k = s + 1 on. The first dimension is the van der Corput sequence.
std::array<std::uint32_t, 32> directions_of(std::size_t dimension) {
  std::array<std::uint32_t, 32> v{};
  if (dimension == 0) {
    for (std::size_t k = 0; k < 32; ++k) v[k] = std::uint32_t{1} << (31 - k);
    return v;
  }
  const Primitive& primitive = kPrimitives[dimension - 1];
  const auto s = static_cast<std::size_t>(primitive.s);
  for (std::size_t k = 0; k < s; ++k) v[k] = primitive.m[k] << (31 - k);
  for (std::size_t k = s; k < 32; ++k) {
    v[k] = v[k - s] ^ (v[k - s] >> s);
    for (std::size_t i = 1; i < s; ++i) {
      if ((primitive.a >> (s - 1 - i) & 1) != 0) v[k] ^= v[k - i];
    }
  }
  return v;
}

std::array<std::array<std::uint32_t, 256>, 4> sums_of_bytes(
    const std::array<std::uint32_t, 32>& directions) {
  std::array<std::array<std::uint32_t, 256>, 4> out{};
  for (std::size_t place = 0; place < 4; ++place) {
    for (std::size_t byte = 1; byte < 256; ++byte) {
      const auto lowest = static_cast<std::size_t>(std::countr_zero(byte));
      out[place][byte] = out[place][byte & (byte - 1)] ^ directions[8 * place + lowest];
    }
  }
  return out;
}

}  // namespace

SobolSequence::SobolSequence(std::size_t dimensions, const std::uint64_t* shift) {
  assert(dimensions <= kMostDimensions);
  for (std::size_t i = 0; i < dimensions; ++i) {
    const std::uint64_t bits = shift == nullptr ? 0 : random_bits(*shift, i, 0);
    dimensions_.push_back(
        {sums_of_bytes(directions_of(i)), static_cast<std::uint32_t>(bits >> 32)});
  }
}

double SobolSequence::operator()(std::uint64_t point, std::size_t dimension) const {
  const Dimension& d = dimensions_[dimension];
  const auto gray = static_cast<std::uint32_t>(point ^ (point >> 1));
  std::uint32_t x = d.shift;
  for (std::size_t k = 0; k < 4; ++k) x ^= d.of_byte[k][gray >> (8 * k) & 255];
  return static_cast<double>(x) * 0x1p-32;
}

}  // namespace koppel
