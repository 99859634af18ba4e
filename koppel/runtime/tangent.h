/* tan without libm: the same bits on every machine. The error, measured, is below 1 unit in the
 * last place; what is not finite gives NaN. C99; called in process and pasted into exports, behind
 * trig.h.
 *
 * Sine and cosine of the reduced angle as in trig.h, but as pairs, and their quotient.
 */
#ifndef KOPPEL_RUNTIME_TANGENT_H
#define KOPPEL_RUNTIME_TANGENT_H

#ifndef KOPPEL_RUNTIME_TRIG_H /* where it is not pasted before */
#include <koppel/runtime/trig.h>
#endif

KOPPEL_INLINE double koppel_tan(double x) {
  const koppel_angle angle = koppel_reduce(fabs(x));
  const double y = angle.y, e = angle.e;
  const koppel_pair z = koppel_exact_product(y, y);
  const double v = z.hi * y;
  const double s = koppel_sine_series(z.hi), c = koppel_cosine_series(z.hi);
  const double h = 1.0 - 0.5 * z.hi;
  const koppel_pair sine =
      koppel_quick_sum(y, v * -1.66666666666666324348e-01 - (z.hi * (0.5 * e - v * s) - e));
  const koppel_pair cosine =
      koppel_quick_sum(h, ((1.0 - h) - 0.5 * z.hi) + ((z.hi * c - y * e) - 0.5 * z.lo));
  const int is_odd = angle.k & 1;
  koppel_pair up, down;
  up.hi = is_odd ? -cosine.hi : sine.hi;
  up.lo = is_odd ? -cosine.lo : sine.lo;
  down.hi = is_odd ? sine.hi : cosine.hi;
  down.lo = is_odd ? sine.lo : cosine.lo;
  return koppel_from_bits(koppel_bits(koppel_pair_quotient(up, down)) ^
                          (koppel_bits(x) & 0x8000000000000000u));
}

#endif
