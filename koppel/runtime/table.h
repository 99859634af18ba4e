/* Piecewise polynomials over breakpoints. C99; called in process and pasted into exports.
 *
 * data holds n ascending breakpoints x[0..n-1], then n+1 pieces of four coefficients each. Piece 0
 * lies before x[0], piece i between x[i-1] and x[i], piece n after x[n-1]. With u = x - origin,
 * where the origin of piece i is x[i-1] (of piece 0: x[0]), its value is
 *     c0 + c1 u + c2 u^2 + c3 u^3.
 * A breakpoint belongs to the piece on its right. O(log n), no allocation.
 */
#ifndef KOPPEL_RUNTIME_TABLE_H
#define KOPPEL_RUNTIME_TABLE_H

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

/* The m-th derivative (0 <= m <= 3) at x. NaN gives NaN. */
KOPPEL_INLINE KOPPEL_REAL koppel_table(const KOPPEL_REAL* data, int n, int m, KOPPEL_REAL x) {
  int low = 0, high = n; /* the number of breakpoints <= x lies in [low, high] */
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (data[middle] <= x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const KOPPEL_REAL u = x - data[low > 0 ? low - 1 : 0];
  const KOPPEL_REAL* c = data + n + 4 * low;
  switch (m) {
    case 0: return c[0] + u * (c[1] + u * (c[2] + u * c[3]));
    case 1: return c[1] + u * (2 * c[2] + u * (3 * c[3]));
    case 2: return 2 * c[2] + u * (6 * c[3]);
    default: return 6 * c[3] + 0 * u;
  }
}

#endif
