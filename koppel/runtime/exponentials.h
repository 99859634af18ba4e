/* exp, log, sinh, cosh, tanh without libm: the same bits on every machine, and nearly the same
 * operations for all arguments. The errors, measured, are below 1 unit in the last place; zeros,
 * infinities and NaN are as in C99's Annex F. C99; called in process and pasted into exports.
 *
 * x + e = n ln 2 + r, |r| <= ln 2 / 2, and [Ng 1992, fdlibm]
 *
 *   exp(r) = 1 + r + r c/(2 - c),   c = r - r^2 P(r^2),                                        (1)
 *
 * kept as a pair. log(x) = k ln 2 + log(1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and
 *
 *   log(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2))),   s = f/(2 + f).                            (2)
 *
 * Hyperbolic functions follow from exp(|x|) and its reciprocal, both pairs; sinh of small numbers
 * from its Taylor series.
 */
#ifndef KOPPEL_RUNTIME_EXPONENTIALS_H
#define KOPPEL_RUNTIME_EXPONENTIALS_H

#ifndef KOPPEL_RUNTIME_PAIR_H /* where it is not pasted before */
#include <koppel/runtime/pair.h>
#endif

/* 2^n (hi + lo); `bits` ends with the last 12 of n + 2048. */
typedef struct {
  double hi, lo;
  uint64_t bits;
} koppel_power;

/* exp(x + e), (1), for -746 <= x <= 711 and NaN; |e| below 1e-10. */
KOPPEL_INLINE koppel_power koppel_exp_parts(double x, double e) {
  const double kRound = 6755399441055744.0; /* 1.5 2^52: added and taken away, rounds */
  const double shifted = x * 1.44269504088896338700e+00 + kRound;
  const double n = shifted - kRound;
  const double h = x - n * 6.93147180369123816490e-01; /* of ln 2: 33 digits, exact */
  const double l = n * 1.90821492927058770002e-10 - e;
  const double r = h - l, z = r * r;
  const double c =
      r - z * (1.66666666666666019037e-01 +
               z * (-2.77777777770155933842e-03 +
                    z * (6.61375632143793436117e-05 +
                         z * (-1.65339022054652515390e-06 + z * 4.13813679705723846039e-08))));
  const koppel_pair s = koppel_quick_sum(1.0, h);
  const double low = s.lo + ((r * c) / (2.0 - c) - l);
  koppel_power out;
  out.hi = s.hi + low;
  out.lo = low - (out.hi - s.hi);
  out.bits = koppel_bits(shifted) + 2048u;
  return out;
}

/* y 2^n in two products, so that it overflows, and rounds once where it underflows. */
KOPPEL_INLINE double koppel_scale(double y, uint64_t bits) {
  const uint64_t k = bits & 4095u, half = k >> 1;
  return y * koppel_from_bits((half - 1) << 52) * koppel_from_bits((k - half - 1) << 52);
}

KOPPEL_INLINE double koppel_exp(double x) {
  const double below = x > 710.0 ? 710.0 : x, within = below < -746.0 ? -746.0 : below;
  const koppel_power p = koppel_exp_parts(within, 0.0);
  return koppel_scale(p.hi, p.bits);
}

KOPPEL_INLINE double koppel_log(double x) {
  const double first = x < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x;
  const double less = x < 2.2250738585072014e-308 ? 54.0 : 0.0;
  /* 1.0 - sqrt(1/2), in bits */
  const uint64_t bits = koppel_bits(first) + 0x95f619980c433u;
  const double k = (double)((int)(bits >> 52) - 1023) - less;
  const double f = koppel_from_bits((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;
  const double half = 0.5 * f * f, s = f / (2.0 + f), z = s * s, w = z * z;
  const double even = w * (3.999999999940941908e-01 +
                           w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  const double odd = z * (6.666666666666735130e-01 +
                          w * (2.857142874366239149e-01 +
                               w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  const double within = k * 6.93147180369123816490e-01 -
                        ((half - (s * (half + (even + odd)) + k * 1.90821492927058770002e-10)) - f);
  const double above = x < INFINITY ? within : x;
  return x > 0.0 ? above : x == 0.0 ? -INFINITY : NAN;
}

/* 2^n (up + down), up = exp(|x|) 2^-n and down = exp(-|x|) 2^-n, and |x|. */
typedef struct {
  double size;
  koppel_pair up, down;
  uint64_t bits;
} koppel_halves;

KOPPEL_INLINE koppel_halves koppel_exp_both(double x, double largest) {
  koppel_halves out;
  koppel_power p;
  koppel_pair one;
  uint64_t n;
  double less;
  out.size = fabs(x) > largest ? largest : fabs(x);
  p = koppel_exp_parts(out.size, 0.0);
  n = (p.bits & 4095u) - 2048u;
  n = n > 100u ? 100u : n; /* then it counts no more */
  less = koppel_from_bits((1023u - 2u * n) << 52);
  out.up.hi = p.hi;
  out.up.lo = p.lo;
  out.bits = p.bits;
  out.down.hi = 1.0 / p.hi;
  one = koppel_exact_product(out.down.hi, p.hi);
  out.down.lo = out.down.hi * (((1.0 - one.hi) - one.lo) - out.down.hi * p.lo) * less;
  out.down.hi = out.down.hi * less;
  return out;
}

KOPPEL_INLINE koppel_pair koppel_sum_of_halves(koppel_halves e) {
  const koppel_pair s = koppel_quick_sum(e.up.hi, e.down.hi);
  return koppel_quick_sum(s.hi, s.lo + (e.up.lo + e.down.lo));
}

KOPPEL_INLINE koppel_pair koppel_difference_of_halves(koppel_halves e) {
  const koppel_pair s = koppel_quick_sum(e.up.hi, -e.down.hi);
  return koppel_quick_sum(s.hi, s.lo + (e.up.lo - e.down.lo));
}

/* sinh(a) - a for 0 <= a < 0.6: a^3/3! + … + a^15/15!. */
KOPPEL_INLINE double koppel_sinh_rest(double a) {
  const double z = a * a;
  return a * z *
         (1.66666666666666666667e-01 +
          z * (8.33333333333333333333e-03 +
               z * (1.98412698412698412698e-04 +
                    z * (2.75573192239858906526e-06 +
                         z * (2.50521083854417187751e-08 +
                              z * (1.60590438368216145994e-10 +
                                   z * 7.64716373181981647590e-13))))));
}

KOPPEL_INLINE double koppel_sinh(double x) {
  const koppel_halves e = koppel_exp_both(x, 711.0);
  const double small = e.size + koppel_sinh_rest(e.size);
  const double large = koppel_scale(koppel_difference_of_halves(e).hi, e.bits - 1u);
  return koppel_with_sign(e.size < 0.6 ? small : large, x);
}

KOPPEL_INLINE double koppel_cosh(double x) {
  const koppel_halves e = koppel_exp_both(x, 711.0);
  return koppel_scale(koppel_sum_of_halves(e).hi, e.bits - 1u);
}

KOPPEL_INLINE double koppel_tanh(double x) {
  const koppel_halves e = koppel_exp_both(x, 22.0);
  const koppel_pair large = koppel_difference_of_halves(e), cosine = koppel_sum_of_halves(e);
  /* in halves of 2^n, as the others */
  const double unit = koppel_from_bits((1024u + 2048u - (e.bits & 4095u)) << 52);
  koppel_pair sine;
  sine.hi = e.size < 0.6 ? e.size * unit : large.hi;
  sine.lo = e.size < 0.6 ? koppel_sinh_rest(e.size) * unit : large.lo;
  return koppel_with_sign(koppel_pair_quotient(sine, cosine), x);
}

#endif
