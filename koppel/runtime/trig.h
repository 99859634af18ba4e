/* Sine and cosine, together, with the same operations for all values up to 2^20 pi/2 = 1.6e6, so
 * that steps take the same number of instructions whatever the angles are; libm's branch on them.
 * Beyond that, and for what is not finite, libm's. C99; called in process and pasted into exports.
 * (In single precision: trig_float.h.)
 *
 * x = n pi/2 + (y + e), |y| <= pi/4 by the method of Cody and Waite with pi/2 in three parts of 33
 * bits and a rest, so that the products with n are exact; e is what y lacks. Then Taylor-like
 * polynomials of least error on [-pi/4, pi/4] [Ng 1992, fdlibm]:
 *
 *   sin(y + e) = y - (y^2 (e/2 - y^3 s(y^2)) - e - S1 y^3)
 *   cos(y + e) = 1 - y^2/2 + (y^4 c(y^2) - y e)
 *
 * The error is below 1 unit in the last place.
 */
#ifndef KOPPEL_RUNTIME_TRIG_H
#define KOPPEL_RUNTIME_TRIG_H

#include <math.h>

typedef struct {
  double sin, cos;
} koppel_turned;

/* For |x| < 1.6e6. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static inline koppel_turned
koppel_turn_within(double x) {
  const double kRound = 6755399441055744.0; /* 1.5 2^52: added and taken away, rounds */
  const double n = (x * 6.36619772367581382433e-01 + kRound) - kRound;
  double t, r, w, y, e, z, v, s, c, h, both[2];
  int k;
  koppel_turned out;
  /* pi/2 = P1 + P2 + P3 + rest */
  t = x - n * 1.57079632673412561417e+00;
  w = n * 6.07710050630396597660e-11;
  r = t - w;
  w = -((t - r) - w);
  t = r;
  r = t - n * 2.02226624871116645580e-21;
  w = n * 8.47842766036889956997e-32 - ((t - r) - n * 2.02226624871116645580e-21) + w;
  y = r - w;
  e = (r - y) - w;
  z = y * y;
  /* sine */
  v = z * y;
  s = 8.33333333332248946124e-03 +
      z * (-1.98412698298579493134e-04 +
           z * (2.75573137070700676789e-06 +
                z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  s = y - ((z * (0.5 * e - v * s) - e) - v * -1.66666666666666324348e-01);
  /* cosine */
  c = z * (4.16666666666666019037e-02 +
           z * (-1.38888888888741095749e-03 +
                z * (2.48015872894767294178e-05 +
                     z * (-2.75573143513906633035e-07 +
                          z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  h = 1.0 - 0.5 * z;
  c = h + (((1.0 - h) - 0.5 * z) + (z * c - y * e));
  k = (int)n;
  both[0] = s; /* an index, not a condition, which may become a branch */
  both[1] = c;
  out.sin = (1 - (k & 2)) * both[k & 1];
  out.cos = (1 - ((k + 1) & 2)) * both[(k + 1) & 1];
  return out;
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static inline koppel_turned
koppel_turn(double x) {
  koppel_turned out;
  if (fabs(x) < 1.6e6) return koppel_turn_within(x);
  out.sin = sin(x);
  out.cos = cos(x);
  return out;
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static inline double
koppel_sin(double x) {
  return fabs(x) < 1.6e6 ? koppel_turn_within(x).sin : sin(x);
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static inline double
koppel_cos(double x) {
  return fabs(x) < 1.6e6 ? koppel_turn_within(x).cos : cos(x);
}

#endif
