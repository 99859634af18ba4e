/* What every step of fixed cost needs beside its own code. C99; called in process and pasted into
 * exports. The same number of operations for all values.
 */
#ifndef KOPPEL_RUNTIME_STEP_H
#define KOPPEL_RUNTIME_STEP_H

#ifndef KOPPEL_REAL
#define KOPPEL_REAL double
#endif

/* 1 where all of x[0..n-1] are finite: 0 x is 0 for these only. (Not with -ffinite-math-only.) */
#ifdef __GNUC__
__attribute__((unused))
#endif
static inline int
koppel_all_finite(const KOPPEL_REAL* x, int n) {
  KOPPEL_REAL a = 0, b = 0, c = 0, d = 0; /* several sums: additions need not wait for another */
  int i = 0;
  for (; i + 3 < n; i += 4) {
    a += 0 * x[i];
    b += 0 * x[i + 1];
    c += 0 * x[i + 2];
    d += 0 * x[i + 3];
  }
  for (; i < n; ++i) a += 0 * x[i];
  return (a + b) + (c + d) == 0;
}

#endif
