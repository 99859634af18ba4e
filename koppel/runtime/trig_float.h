/* Sine and cosine in single precision, together, without libm: the same bits on every machine. C99;
 * pasted into exports. For angles up to 2^13 pi/2 = 12867 rad the same operations for all of them,
 * no branches; beyond that, the same ones and some more.
 *
 * x = n pi/2 + (y + e), |y| <= pi/4, where e is what y lacks: by the method of Cody and Waite with
 * pi/2 in three parts of up to 11 bits and a rest, so that the products with n are exact. Beyond
 * 12867 rad by integers [Payne & Hanek 1983]: |x| = M 2^(8 j - 150), M < 2^31 and j the exponent's
 * top bits, is
 *
 *   |x| 2/pi 2^62 = M (2/pi 2^(8 j - 88)) mod 2^64                                            (1)
 *
 * in units of 2^-62 quarter turns, modulo a turn, for which three words of 2/pi are enough: those
 * of 2^32 and up, 2^0 and up, 2^-32 and up. Then polynomials of least error,
 *
 *   sin(y + e) = y - (y^3 s(y^2) - e cos y)       relative error of s 2^-28                   (2)
 *   cos(y + e) = 1 - y^2/2 + (y^4 c(y^2) - y e)   absolute error of c 2^-33                   (3)
 *
 * exchanged and signed according to n. The error is below 0.83 units in the last place, for all
 * floats; what is not finite gives NaN. 78 instructions of a Cortex-M4F for both.
 */
#ifndef KOPPEL_RUNTIME_TRIG_FLOAT_H
#define KOPPEL_RUNTIME_TRIG_FLOAT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#ifndef KOPPEL_INLINE /* how functions are declared; other languages than C say it differently */
#ifdef __GNUC__
#define KOPPEL_INLINE static inline __attribute__((unused))
#else
#define KOPPEL_INLINE static inline
#endif
#endif
#ifndef KOPPEL_OUTLINE /* the same of those that are rarely called */
#ifdef __GNUC__
#define KOPPEL_OUTLINE static __attribute__((noinline, unused))
#else
#define KOPPEL_OUTLINE static
#endif
#endif

typedef struct {
  float sin, cos;
} koppel_turned;

KOPPEL_INLINE uint32_t koppel_bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

KOPPEL_INLINE float koppel_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

typedef struct {
  float y, e;
  uint32_t n;
} koppel_reduced;

/* (1), for |x| >= pi/4. Signed numbers are shifted and narrowed as two's complement. */
KOPPEL_OUTLINE koppel_reduced koppel_reduce_far(float x) {
  /* Word i: 2/pi 2^(8 (i + 7) - 56) mod 2^32, without its fraction. */
  static const uint32_t kWords[25] = {
      0,           0x000000a2u, 0x0000a2f9u, 0x00a2f983u, 0xa2f9836eu, 0xf9836e4eu, 0x836e4e44u,
      0x6e4e4415u, 0x4e441529u, 0x441529fcu, 0x1529fc27u, 0x29fc2757u, 0xfc2757d1u, 0x2757d1f5u,
      0x57d1f534u, 0xd1f534ddu, 0xf534ddc0u, 0x34ddc0dbu, 0xddc0db62u, 0xc0db6295u, 0xdb629599u,
      0x6295993cu, 0x95993c43u, 0x993c4390u, 0x3c439041u};
  const uint32_t kHalfPi = 0x6487ed51u; /* pi/2 2^30 */
  const uint32_t a = koppel_bits_of(x) & 0x7fffffffu;
  const uint32_t m = ((a & 0x7fffffu) | 0x800000u) << ((a >> 23) & 7u);
  const uint32_t* w = kWords + ((a >> 26) - 15u);
  const uint64_t angle =
      ((uint64_t)(m * w[0]) << 32) + (uint64_t)m * w[4] + (((uint64_t)m * w[8]) >> 32);
  const uint32_t n = ((uint32_t)(angle >> 32) + 0x20000000u) >> 30;
  const int32_t top = (int32_t)((uint32_t)(angle >> 32) - (n << 30));
  /* y 2^60, of which 24 bits go to `high`, as many as there are to `low` */
  const int64_t p =
      (int64_t)top * (int32_t)kHalfPi + (int64_t)(((angle & 0xffffffffu) * kHalfPi) >> 32);
  const int32_t head = ((int32_t)(p >> 32) + 8) & ~15;
  const int32_t rest = (int32_t)((p - (int64_t)head * 0x100000000) >> 4);
  const float high = (float)head * 0x1p-28f, low = (float)rest * 0x1p-56f;
  const float sign = x < 0.0f ? -1.0f : 1.0f;
  koppel_reduced out;
  out.y = sign * (high + low) + 0.0f * x; /* NaN where x is not finite */
  out.e = sign * (low - ((high + low) - high));
  out.n = x < 0.0f ? 0u - n : n;
  return out;
}

KOPPEL_INLINE koppel_reduced koppel_reduce(float x) {
  const float kRound = 12582912.0f; /* 1.5 2^23: added and taken away, rounds */
  const float shifted = x * 6.36619772e-01f + kRound, n = shifted - kRound;
  const float r = (x - n * 0x1.92p0f) - n * 0x1.fb4p-12f; /* exact */
  const float w = n * 0x1.444p-24f, y = r - w;
  const float d = n * 0x1.68c234p-39f - ((r - y) - w);
  koppel_reduced out;
  out.y = y - d;
  out.e = (y - out.y) - d;
  out.n = koppel_bits_of(shifted);
  return out;
}

KOPPEL_INLINE koppel_turned koppel_turn_reduced(koppel_reduced reduced) {
  const float y = reduced.y, e = reduced.e;
  const float z = y * y, half = 0.5f * z, one = 1.0f - half;
  const float s = 1.6666655242e-01f + z * (-8.3321779966e-03f + z * 1.9517299370e-04f);
  const float c = 4.1666645557e-02f + z * (-1.3887367677e-03f + z * 2.4438451874e-05f);
  const uint32_t sine = koppel_bits_of(y - ((half * e - e) + y * z * s)); /* (2) */
  const uint32_t cosine =
      koppel_bits_of(one + (((1.0f - one) - half) + (z * z * c - y * e))); /* (3) */
  const uint32_t swap = (sine ^ cosine) & (0u - (reduced.n & 1u));
  koppel_turned out;
  out.sin = koppel_of_bits(sine ^ swap ^ ((reduced.n << 30) & 0x80000000u));
  out.cos = koppel_of_bits(cosine ^ swap ^ (((reduced.n + 1u) << 30) & 0x80000000u));
  return out;
}

KOPPEL_OUTLINE koppel_turned koppel_turn_far(float x) {
  return koppel_turn_reduced(koppel_reduce_far(x));
}

KOPPEL_OUTLINE koppel_turned koppel_turn(float x) {
  if (!(fabsf(x) < 12867.0f)) return koppel_turn_far(x);
  return koppel_turn_reduced(koppel_reduce(x));
}

KOPPEL_INLINE float koppel_sin(float x) { return koppel_turn(x).sin; }

KOPPEL_INLINE float koppel_cos(float x) { return koppel_turn(x).cos; }

/* Within 2 units in the last place. */
KOPPEL_INLINE float koppel_tan(float x) {
  const koppel_turned turned = koppel_turn(x);
  return turned.sin / turned.cos;
}

#endif
