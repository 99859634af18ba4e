// Random numbers by their place: the same for a seed, a stream and a number on every machine, in
// whatever order they are asked for. SplitMix64 [Steele, Lea & Flood 2014] of a key.
#pragma once

#include <cstdint>

namespace koppel {

inline std::uint64_t mix(std::uint64_t z) {
  z += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline std::uint64_t random_bits(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  return mix(mix(mix(seed) ^ stream) ^ number);
}

// In [0, 1), with 53 bits.
inline double random_uniform(std::uint64_t seed, std::uint64_t stream, std::uint64_t number) {
  return static_cast<double>(random_bits(seed, stream, number) >> 11) * 0x1p-53;
}

}  // namespace koppel
