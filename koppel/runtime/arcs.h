/* asin, acos, atan, atan2 without libm: the same bits on every machine, and nearly the same
 * operations for all arguments. The errors, measured, are below 1 unit in the last place; zeros,
 * infinities and NaN are as in C99's Annex F. C99; called in process and pasted into exports.
 *
 * All of them are the angle of a point (b, a) of the first quadrant. With c = 0, 1/2, 1, 2 or
 * infinity, whichever is near a/b,
 *
 *   atan(a/b) = atan(c) + atan(t),   t = (a - c b)/(b + c a),   |t| < 7/16,                    (1)
 *
 * the quotient as a pair, and then the polynomial of fdlibm [Ng 1992]. asin and acos take the
 * other side of the triangle from 1 - x^2, a pair.
 */
#ifndef KOPPEL_RUNTIME_ARCS_H
#define KOPPEL_RUNTIME_ARCS_H

#ifndef KOPPEL_RUNTIME_PAIR_H /* where it is not pasted before */
#include <koppel/runtime/pair.h>
#endif

/* (1) for a, b >= 0, not both 0. */
KOPPEL_INLINE koppel_pair koppel_arc(koppel_pair a, koppel_pair b) {
  const int to_half = a.hi >= 0.4375 * b.hi, to_one = a.hi >= 0.6875 * b.hi;
  const int to_two = a.hi >= 1.4 * b.hi, within = a.hi < 3.0 * b.hi;
  /* t = (f a - g b)/(f b + g a); the differences are exact */
  const double f = within ? (to_half & !to_one) ? 2.0 : 1.0 : 0.0;
  const double g = within ? to_two ? 2.0 : to_half ? 1.0 : 0.0 : 1.0;
  const double near_high = to_two    ? 1.1071487177940904
                           : to_one  ? 0.7853981633974483
                           : to_half ? 0.4636476090008061
                                     : 0.0;
  const double near_low = to_two    ? 9.40447137356638e-17
                          : to_one  ? 3.061616997868383e-17
                          : to_half ? 2.2698777452961687e-17
                                    : 0.0;
  const double high = within ? near_high : 1.5707963267948966;
  const double low = within ? near_low : 6.123233995736766e-17;
  const double up = f * a.hi - g * b.hi;
  const koppel_pair down = koppel_exact_sum(f * b.hi, g * a.hi);
  const double t = up / down.hi;
  const koppel_pair back = koppel_exact_product(t, down.hi);
  const double left =
      ((up - back.hi) - back.lo) + ((f * a.lo - g * b.lo) - t * (down.lo + (f * b.lo + g * a.lo)));
  const double rest = fabs(up) > 1e-270 ? left / down.hi : 0.0; /* else it has no digits */
  const double z = t * t, w = z * z;
  const double even =
      z * (3.33333333333329318027e-01 +
           w * (1.42857142725034663711e-01 +
                w * (9.09088713343650656196e-02 +
                     w * (6.66107313738753120669e-02 +
                          w * (4.97687799461593236017e-02 + w * 1.62858201153657823623e-02)))));
  const double odd =
      w * (-1.99999999998764832476e-01 +
           w * (-1.11111104054623557880e-01 +
                w * (-7.69187620504482999495e-02 +
                     w * (-5.83357013379057348645e-02 + w * -3.65315727442169155270e-02))));
  const koppel_pair sum = koppel_quick_sum(high, t);
  return koppel_quick_sum(sum.hi, sum.lo + ((low + rest) - t * (even + odd)));
}

KOPPEL_INLINE koppel_pair koppel_half_turn_less(koppel_pair angle) {
  const koppel_pair s = koppel_quick_sum(3.141592653589793, -angle.hi);
  return koppel_quick_sum(s.hi, s.lo + (1.2246467991473532e-16 - angle.lo));
}

KOPPEL_INLINE koppel_pair koppel_single(double x) {
  koppel_pair out;
  out.hi = x;
  out.lo = 0.0;
  return out;
}

KOPPEL_INLINE double koppel_atan(double x) {
  const double a = fabs(x);
  const koppel_pair angle =
      koppel_arc(koppel_single(a == INFINITY ? 1.0 : a), koppel_single(a == INFINITY ? 0.0 : 1.0));
  return koppel_with_sign(angle.hi, x);
}

KOPPEL_INLINE double koppel_atan2(double y, double x) {
  const double a = fabs(y), b = fabs(x), most = a < b ? b : a;
  /* so that nothing overflows, and quotients of small numbers have all digits: 1/8, 2^700 */
  const double unit = most > 1e300 ? 0.125 : most < 1e-150 ? 0x1p700 : 1.0;
  const double up = a == INFINITY ? 1.0 : b == INFINITY ? 0.0 : a * unit;
  const double across = b == INFINITY ? 1.0 : a == INFINITY ? 0.0 : most == 0.0 ? 1.0 : b * unit;
  const koppel_pair angle = koppel_arc(koppel_single(up), koppel_single(across));
  const double value = koppel_bits(x) >> 63 ? koppel_half_turn_less(angle).hi : angle.hi;
  return ((x != x) | (y != y)) ? NAN : koppel_with_sign(value, y);
}

/* sqrt(1 - x^2). */
KOPPEL_INLINE koppel_pair koppel_other_side(double x) {
  const koppel_pair square = koppel_exact_product(x, x), w = koppel_quick_sum(1.0, -square.hi);
  const double root = sqrt(w.hi);
  const koppel_pair back = koppel_exact_product(root, root);
  koppel_pair out;
  out.hi = root;
  out.lo = root > 0.0 ? (((w.hi - back.hi) - back.lo) + (w.lo - square.lo)) / (2.0 * root) : 0.0;
  return out;
}

KOPPEL_INLINE double koppel_asin(double x) {
  const double a = fabs(x);
  return koppel_with_sign(koppel_arc(koppel_single(a), koppel_other_side(a)).hi, x);
}

KOPPEL_INLINE double koppel_acos(double x) {
  const double a = fabs(x);
  const koppel_pair angle = koppel_arc(koppel_other_side(a), koppel_single(a));
  return x < 0.0 ? koppel_half_turn_less(angle).hi : angle.hi;
}

#endif
