/* The bits of numbers. C99; called in process and pasted into exports. In WebAssembly they are
 * instructions (expr/code/c_to_wasm.hpp).
 */
#ifndef KOPPEL_RUNTIME_BITS_H
#define KOPPEL_RUNTIME_BITS_H

#include <stdint.h>
#include <string.h>

#ifndef KOPPEL_INLINE /* how functions are declared; other languages than C say it differently */
#ifdef __GNUC__
#define KOPPEL_INLINE static inline __attribute__((unused))
#else
#define KOPPEL_INLINE static inline
#endif
#endif

KOPPEL_INLINE uint64_t koppel_bits(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

KOPPEL_INLINE double koppel_from_bits(uint64_t bits) {
  double x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#endif
