/* What every step of fixed cost needs beside its own code. C99; called in process and pasted into
 * exports. The same number of operations for all values.
 */
#ifndef KOPPEL_RUNTIME_STEP_H
#define KOPPEL_RUNTIME_STEP_H

#include <stdint.h>

#ifndef KOPPEL_INLINE /* how functions are declared; other languages than C say it differently */
#ifdef __GNUC__
#define KOPPEL_INLINE static inline __attribute__((unused))
#else
#define KOPPEL_INLINE static inline
#endif
#endif

#ifndef KOPPEL_REAL
#define KOPPEL_REAL double
#endif

/* 1 where all of x[0..n-1] are finite: 0 x is 0 for these only. (Not with -ffinite-math-only.) On a
 * card by integers, which wait for nothing there. */
KOPPEL_INLINE int koppel_all_finite(const KOPPEL_REAL* x, int n) {
#ifdef KOPPEL_LIKE_A_CARD
  int i, finite = 1;
  for (i = 0; i < n; ++i) finite &= koppel_is_finite(x[i]);
  return finite;
#else
  KOPPEL_REAL a = 0, b = 0, c = 0, d = 0; /* several sums: additions need not wait for another */
  const int whole = n - n % 4;
  int i;
  for (i = 0; i < whole; i += 4) {
    a += 0 * x[i];
    b += 0 * x[i + 1];
    c += 0 * x[i + 2];
    d += 0 * x[i + 3];
  }
  for (i = whole; i < n; ++i) a += 0 * x[i];
  return (a + b) + (c + d) == 0;
#endif
}

/* The time after `count` steps. Counted, not summed, so that it does not drift: within 1.5 units of
 * its last place in double precision, 3 in single, after any number of steps. The halves of the
 * count are converted by one instruction each on machines of 32 bits. */
KOPPEL_INLINE KOPPEL_REAL koppel_time(KOPPEL_REAL start, KOPPEL_REAL step, uint64_t count) {
  const KOPPEL_REAL high = (KOPPEL_REAL)(uint32_t)(count >> 32);
  const KOPPEL_REAL low = (KOPPEL_REAL)(uint32_t)(count & 0xffffffffu);
  return start + (high * (KOPPEL_REAL)4294967296 + low) * step;
}

#endif
