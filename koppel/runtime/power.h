/* pow without libm: the same bits on every machine. The error, measured, is below 1 unit in the
 * last place; the special cases are those of C99's Annex F. C99; called in process and pasted into
 * exports, behind exponentials.h.
 *
 * |x| = 2^k m, sqrt(1/2) <= m < sqrt(2); with b = 3/4, 1 or 5/4, whichever is near,
 *
 *   log |x| = k ln 2 + log b + 2 s + s (2/3 s^2 + 2/5 s^4 + …),   s = (m - b)/(m + b),          (1)
 *
 * |s| < 0.091, the first terms as pairs: to 2^-66, since y log |x| may have ten digits before the
 * point. Then exp of y log |x|.
 */
#ifndef KOPPEL_RUNTIME_POWER_H
#define KOPPEL_RUNTIME_POWER_H

#ifndef KOPPEL_RUNTIME_EXPONENTIALS_H /* where it is not pasted before */
#include <koppel/runtime/exponentials.h>
#endif

/* (1), for 0 < x < infinity. */
KOPPEL_INLINE koppel_pair koppel_log_pair(double x) {
  const double first = x < 2.2250738585072014e-308 ? x * 18014398509481984.0 : x;
  const double less = x < 2.2250738585072014e-308 ? 54.0 : 0.0;
  const uint64_t bits = koppel_bits(first) + 0x95f619980c433u;
  const double k = (double)((int)(bits >> 52) - 1023) - less;
  const double m = koppel_from_bits((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
  const double b = m < 0.85 ? 0.75 : m > 1.2 ? 1.25 : 1.0;
  /* log b, short enough to be added to k ln 2 exactly, and the rest */
  const double log_b = m < 0.85 ? -0.28768207249231637 : m > 1.2 ? 0.22314355126582086 : 0.0;
  const double rest_b = m < 0.85 ? 4.053543780278539e-11 : m > 1.2 ? 4.838889490356316e-11 : 0.0;
  const koppel_pair sum = koppel_exact_sum(m, b);
  const double s = (m - b) / sum.hi;
  const koppel_pair back = koppel_exact_product(s, sum.hi);
  const double t = ((((m - b) - back.hi) - back.lo) - s * sum.lo) / sum.hi; /* s + t */
  const koppel_pair z = koppel_exact_product(s, s);
  koppel_pair v = koppel_exact_product(z.hi, 0.6666666666666666), u, main;
  v.lo += z.hi * 3.700743415417188e-17 + 0.6666666666666666 * (z.lo + 2.0 * s * t);
  v.lo += z.hi * z.hi *
          (0.4 +
           z.hi * (2.85714285714285714286e-01 +
                   z.hi * (2.22222222222222222222e-01 +
                           z.hi * (1.81818181818181818182e-01 +
                                   z.hi * (1.53846153846153846154e-01 +
                                           z.hi * (1.33333333333333333333e-01 +
                                                   z.hi * (1.17647058823529411765e-01 +
                                                           z.hi * 1.05263157894736842105e-01)))))));
  u = koppel_exact_product(s, v.hi);
  u.lo += s * v.lo + t * v.hi;
  main = koppel_quick_sum(k * 0.6931471806019545 + log_b, 2.0 * s);
  u.lo += main.lo + ((k * -4.2009150726810846e-11 + rest_b) + 2.0 * t);
  main = koppel_quick_sum(main.hi, u.hi);
  return koppel_quick_sum(main.hi, main.lo + u.lo);
}

KOPPEL_INLINE double koppel_pow(double x, double y) {
  const double a = fabs(x), b = fabs(y);
  const koppel_pair within = koppel_log_pair(a);
  const double log_a = a < INFINITY ? a > 0.0 ? within.hi : -INFINITY : a;
  const koppel_pair product = koppel_exact_product(y, log_a);
  const double rest = product.lo + y * within.lo;
  const double top = product.hi > 710.0 ? 710.0 : product.hi;
  const double exponent = top < -746.0 ? -746.0 : top;
  const koppel_power p = koppel_exp_parts(exponent, fabs(product.hi) < 800.0 ? rest : 0.0);
  const double size = koppel_scale(p.hi, p.bits);
  /* whether y is whole, and odd; from 2^53 on all are even */
  const double part = b < 9007199254740992.0 ? b : 0.0;
  const int64_t whole = (int64_t)part;
  const uint64_t sign = koppel_bits(x) & ((uint64_t)(whole & 1) << 63);
  const int is_whole = (double)whole == part;
  const double signed_size = koppel_from_bits(koppel_bits(size) ^ ((double)whole == b ? sign : 0u));
  const double value = ((x < 0.0) & (a < INFINITY) & !is_whole) ? NAN : signed_size;
  const int is_one = (y == 0.0) | (x == 1.0) | ((a == 1.0) & (b == INFINITY));
  return is_one ? 1.0 : value;
}

#endif
