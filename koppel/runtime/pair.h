/* Numbers as sums of two, hi + lo, with twice the digits [Dekker 1971]: what the functions of this
 * folder are made of. Plain sums and products, no fused ones, so that
 * every machine has the same bits. C99; called in process and pasted into exports. In WebAssembly
 * the text itself is translated (expr/code/c_to_wasm.hpp).
 */
#ifndef KOPPEL_RUNTIME_PAIR_H
#define KOPPEL_RUNTIME_PAIR_H

#include <math.h>

#ifndef KOPPEL_RUNTIME_BITS_H /* where it is not pasted before */
#include <koppel/runtime/bits.h>
#endif

#ifndef KOPPEL_OUTLINE /* the same of those that are rarely called */
#ifdef __GNUC__
#define KOPPEL_OUTLINE static __attribute__((noinline, unused))
#else
#define KOPPEL_OUTLINE static
#endif
#endif

typedef struct {
  double hi, lo;
} koppel_pair;

/* x >= 0, with the sign of `like`. */
KOPPEL_INLINE double koppel_with_sign(double x, double like) {
  return koppel_from_bits(koppel_bits(x) | (koppel_bits(like) & 0x8000000000000000u));
}

/* a + b, exactly, where |a| >= |b| or a = 0. */
KOPPEL_INLINE koppel_pair koppel_quick_sum(double a, double b) {
  koppel_pair s;
  s.hi = a + b;
  s.lo = b - (s.hi - a);
  return s;
}

/* a + b, exactly. */
KOPPEL_INLINE koppel_pair koppel_exact_sum(double a, double b) {
  koppel_pair s;
  double of_b;
  s.hi = a + b;
  of_b = s.hi - a;
  s.lo = (a - (s.hi - of_b)) + (b - of_b);
  return s;
}

/* The first 26 digits. */
KOPPEL_INLINE double koppel_head(double x) {
  return koppel_from_bits(koppel_bits(x) & 0xfffffffff8000000u);
}

/* a b, to 2^-106, where nothing overflows or underflows. */
KOPPEL_INLINE koppel_pair koppel_exact_product(double a, double b) {
  const double a1 = koppel_head(a), a2 = a - a1, b1 = koppel_head(b), b2 = b - b1;
  koppel_pair p;
  p.hi = a * b;
  p.lo = (((a1 * b1 - p.hi) + a1 * b2) + a2 * b1) + a2 * b2;
  return p;
}

/* a / b, to some 2^-100 of it before the last rounding. */
KOPPEL_INLINE double koppel_pair_quotient(koppel_pair a, koppel_pair b) {
  const double q = a.hi / b.hi;
  const koppel_pair p = koppel_exact_product(q, b.hi);
  return q + (((a.hi - p.hi) - p.lo) + (a.lo - q * b.lo)) / b.hi;
}

#endif
