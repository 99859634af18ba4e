/* Sine and cosine, together, without libm: the same bits on every machine. With the same operations
 * for all values up to 2^20 pi/2 = 1.6e6, so that steps take the same number of instructions
 * whatever the angles are; libm's branch on them. Beyond that, some more. What is not finite gives
 * NaN. C99; called in process and pasted into exports, behind pair.h. (In single precision:
 * trig_float.h.)
 *
 * x = n pi/2 + (y + e), |y| <= pi/4 by the method of Cody and Waite with pi/2 in three parts of 33
 * bits and a rest, so that the products with n are exact; e is what y lacks. Beyond 1.6e6 by
 * integers [Payne & Hanek 1983]: |x| = m 2^E, m < 2^53, is
 *
 *   |x| 2/pi 2^190 = m (2/pi 2^(E + 190) mod 2^192)                                           (1)
 *
 * in units of 2^-190 quarter turns, modulo a turn, less at most 2^54 for what 2/pi has behind that:
 * 2^-136, where no double comes closer than 2^-62 to a multiple of a quarter turn. Then Taylor-like
 * polynomials of least error on [-pi/4, pi/4] [Ng 1992, fdlibm]:
 *
 *   sin(y + e) = y - (y^2 (e/2 - y^3 s(y^2)) - e - S1 y^3)
 *   cos(y + e) = 1 - y^2/2 + (y^4 c(y^2) - y e)
 *
 * The error is below 1 unit in the last place.
 */
#ifndef KOPPEL_RUNTIME_TRIG_H
#define KOPPEL_RUNTIME_TRIG_H

#ifndef KOPPEL_RUNTIME_PAIR_H /* where it is not pasted before */
#include <koppel/runtime/pair.h>
#endif

typedef struct {
  double sin, cos;
} koppel_turned;

/* y + e and k quarter turns. */
typedef struct {
  double y, e;
  int k;
} koppel_angle;

/* s(z), and z c(z). */
KOPPEL_INLINE double koppel_sine_series(double z) {
  return 8.33333333332248946124e-03 +
         z * (-1.98412698298579493134e-04 +
              z * (2.75573137070700676789e-06 +
                   z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
}
KOPPEL_INLINE double koppel_cosine_series(double z) {
  return z * (4.16666666666666019037e-02 +
              z * (-1.38888888888741095749e-03 +
                   z * (2.48015872894767294178e-05 +
                        z * (-2.75573143513906633035e-07 +
                             z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
}

/* Sine and cosine of an angle. */
KOPPEL_INLINE koppel_turned koppel_turn_reduced(koppel_angle angle) {
  const double y = angle.y, e = angle.e, z = y * y, v = z * y;
  const double h = 1.0 - 0.5 * z;
  const double s =
      y - ((z * (0.5 * e - v * koppel_sine_series(z)) - e) - v * -1.66666666666666324348e-01);
  const double c = h + (((1.0 - h) - 0.5 * z) + (z * koppel_cosine_series(z) - y * e));
  koppel_turned out;
#ifdef KOPPEL_LIKE_A_CARD
  out.sin = (angle.k & 1) ? c : s;
  out.cos = (angle.k & 1) ? s : c;
  if (angle.k & 2) out.sin = -out.sin;
  if ((angle.k + 1) & 2) out.cos = -out.cos;
#else /* exchanged and signed by their bits: a condition may become a branch */
  const uint64_t k = (uint64_t)angle.k;
  const uint64_t swap = (koppel_bits(s) ^ koppel_bits(c)) & (0 - (k & 1));
  out.sin = koppel_from_bits(koppel_bits(s) ^ swap ^ ((k & 2) << 62));
  out.cos = koppel_from_bits(koppel_bits(c) ^ swap ^ (((k + 1) & 2) << 62));
#endif
  return out;
}

/* (1), for 2^20 <= |x|. Signed numbers are narrowed as two's complement. */
KOPPEL_OUTLINE koppel_angle koppel_reduce_far(double x) {
  /* The bits of 2/pi behind 64 that are zero. */
  static const uint32_t kWords[39] = {
      0,           0,           0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u,
      0x3c439041u, 0xfe5163abu, 0xdebbc561u, 0xb7246e3au, 0x424dd2e0u, 0x06492eeau, 0x09d1921cu,
      0xfe1deb1cu, 0xb129a73eu, 0xe88235f5u, 0x2ebb4484u, 0xe99c7026u, 0xb45f7e41u, 0x3991d639u,
      0x835339f4u, 0x9c845f8bu, 0xbdf9283bu, 0x1ff897ffu, 0xde05980fu, 0xef2f118bu, 0x5a0a6d1fu,
      0x6d367ecfu, 0x27cb09b7u, 0x4f463f66u, 0x9e5fea2du, 0x7527bac7u, 0xebe5f17bu, 0x3d0739f7u,
      0x8a5292eau, 0x6bfb5fb1u, 0x1f8d5d08u, 0x56033046u};
  const double kHead = 0x1.921fb58p0,
               kTail = -0x1.dde974p-27; /* of pi/2, short enough to multiply */
  const uint64_t bits = koppel_bits(x);
  uint64_t m, low, high, carry = 0, top = 0, rest = 0;
  double a, b, p, w, sign, head, tail;
  int first, shift, i, n;
  koppel_angle out;
  m = (bits & 0xfffffffffffffu) | 0x10000000000000u;
  first = (int)((bits >> 52) & 0x7ffu) - 1013; /* the bit of 2^191 of (1) */
  shift = 32 - (first & 31);
  /* top 2^64 + rest: the 128 bits from 2^191 on; the last word of all adds too little to count */
  for (i = 4; i >= 0; --i) {
    const int at = (first >> 5) + i;
    const uint64_t middle = kWords[at + 1];
    const uint64_t here = ((((uint64_t)kWords[at] << 32) | middle) >> shift) & 0xffffffffu;
    const uint64_t next = (((middle << 32) | kWords[at + 2]) >> shift) & 0xffffffffu;
    low = (m & 0xffffffffu) * here + carry;
    high = (m >> 32) * next + (low & 0xffffffffu);
    carry = (low >> 32) + (high >> 32);
    rest = (rest >> 32) | (top << 32);
    top = (top >> 32) | (high << 32);
  }
  n = (int)(((top >> 61) + 1) >> 1); /* the nearest number of quarter turns */
  top -= (uint64_t)n << 62;
  sign = x < 0 ? -1.0 : 1.0;
  if (x < 0) n = -n;
  if (top >> 63) { /* its size */
    sign = -sign;
    rest = ~rest + 1;
    top = ~top + (rest == 0);
  }
  /* a + b quarter turns; times pi/2 = kHead + kTail + 6.1e-17, a in two parts [Dekker 1971] */
  a = (double)(int64_t)top;
  b = ((double)((int64_t)top - (int64_t)a) + (double)rest * 0x1p-64) * 0x1p-62;
  a *= 0x1p-62;
  p = 134217729.0 * a;
  head = p - (p - a);
  tail = a - head;
  p = a * 1.57079632679489661923;
  w = (((head * kHead - p) + head * kTail) + tail * kHead) + tail * kTail;
  w += a * 6.12323399573676603587e-17 + b * 1.57079632679489661923;
  out.y = p + w;
  out.e = sign * ((p - out.y) + w);
  out.y = sign * out.y + 0.0 * x; /* NaN, where x is not finite */
  out.k = n;
  return out;
}

/* For |x| < 1.6e6. */
KOPPEL_INLINE koppel_angle koppel_reduce_within(double x) {
  const double kRound = 6755399441055744.0; /* 1.5 2^52: added and taken away, rounds */
  const double shifted = x * 6.36619772367581382433e-01 + kRound;
  const double n = shifted - kRound;
  double t, r, w;
  koppel_angle out;
  /* pi/2 = P1 + P2 + P3 + rest */
  t = x - n * 1.57079632673412561417e+00;
  w = n * 6.07710050630396597660e-11;
  r = t - w;
  w = -((t - r) - w);
  t = r;
  r = t - n * 2.02226624871116645580e-21;
  w = n * 8.47842766036889956997e-32 - ((t - r) - n * 2.02226624871116645580e-21) + w;
  out.y = r - w;
  out.e = (r - out.y) - w;
  out.k = (int)koppel_bits(shifted); /* the last digits of the sum */
  return out;
}

KOPPEL_INLINE koppel_angle koppel_reduce(double x) {
  return fabs(x) < 1.6e6 ? koppel_reduce_within(x) : koppel_reduce_far(x);
}

KOPPEL_INLINE koppel_turned koppel_turn(double x) { return koppel_turn_reduced(koppel_reduce(x)); }

KOPPEL_INLINE double koppel_sin(double x) { return koppel_turn(x).sin; }

KOPPEL_INLINE double koppel_cos(double x) { return koppel_turn(x).cos; }

#endif
