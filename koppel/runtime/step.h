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
  KOPPEL_REAL sum = 0;
  int i;
  for (i = 0; i < n; ++i) sum += 0 * x[i];
  return sum == 0;
}

#endif
