/* Sine and cosine in single precision, together, with the same operations for all angles: no
 * branches, no libm, the same bits on every machine. C99; pasted into exports.
 *
 * |x| = M 2^(8 j - 150), an integer M < 2^31 and j = the exponent's top bits. In units of 2^-62
 * quarter turns, modulo a turn,
 *
 *   |x| 2/pi 2^62 = M (2/pi 2^(8 j - 88)) mod 2^64                    [Payne & Hanek 1983]    (1)
 *
 * for which three words of 2/pi are enough: those of 2^32 and up, 2^0 and up, 2^-32 and up. So n
 * quarter turns and a signed rest, which times pi/2 is y + e, |y| <= pi/4: e is what y lacks.
 * Below pi/4 y is |x| itself, to the last bit. Then polynomials of least error,
 *
 *   sin(y + e) = y + (y^3 s(y^2) + e cos y)       relative error of s 2^-28                   (2)
 *   cos(y + e) = 1 - y^2/2 + (y^4 c(y^2) - y e)   absolute error of c 2^-33                   (3)
 *
 * exchanged and signed according to n. The error is below 0.83 units in the last place, for all
 * floats; what is not finite gives NaN. About 100 instructions of a Cortex-M4F for both.
 */
#ifndef KOPPEL_RUNTIME_TRIG_FLOAT_H
#define KOPPEL_RUNTIME_TRIG_FLOAT_H

#include <stdint.h>
#include <string.h>

typedef struct {
  float sin, cos;
} koppel_turned;

static inline uint32_t koppel_bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static inline float koppel_of_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

/* Signed numbers are shifted and narrowed as two's complement. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static koppel_turned
koppel_turn(float x) {
  /* Word i: 2/pi 2^(8 (i - 8) - 56) mod 2^32, without its fraction. */
  static const uint32_t kWords[40] = {
      0,           0,           0,           0,           0,           0,           0,
      0,           0,           0,           0,           0,           0,           0,
      0,           0,           0x000000a2u, 0x0000a2f9u, 0x00a2f983u, 0xa2f9836eu, 0xf9836e4eu,
      0x836e4e44u, 0x6e4e4415u, 0x4e441529u, 0x441529fcu, 0x1529fc27u, 0x29fc2757u, 0xfc2757d1u,
      0x2757d1f5u, 0x57d1f534u, 0xd1f534ddu, 0xf534ddc0u, 0x34ddc0dbu, 0xddc0db62u, 0xc0db6295u,
      0xdb629599u, 0x6295993cu, 0x95993c43u, 0x993c4390u, 0x3c439041u};
  const uint32_t kHalfPi = 0x6487ed51u; /* pi/2 2^30 */
  /* (1) */
  const uint32_t bits = koppel_bits_of(x), a = bits & 0x7fffffffu;
  const uint32_t m = ((a & 0x7fffffu) | 0x800000u) << ((a >> 23) & 7u);
  const uint32_t* w = kWords + (a >> 26);
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
  const float sum = high + low;
  /* All bits of `keep` are set where |x| >= pi/4; 0 x is NaN where x is not finite. */
  const uint32_t keep = (uint32_t)(a < 0x3f490fdbu) - 1u;
  const float y = koppel_of_bits((koppel_bits_of(sum) & keep) | (a & ~keep)) + 0.0f * x;
  const float e = koppel_of_bits(koppel_bits_of(low - (sum - high)) & keep);
  const float z = y * y, half = 0.5f * z, one = 1.0f - half;
  const float s = -1.6666655242e-01f + z * (8.3321779966e-03f + z * -1.9517299370e-04f);
  const float c = 4.1666645557e-02f + z * (-1.3887367677e-03f + z * 2.4438451874e-05f);
  const uint32_t sine = koppel_bits_of(y + (y * z * s + (e - half * e))); /* (2) */
  const uint32_t cosine =
      koppel_bits_of(one + (((1.0f - one) - half) + (z * z * c - y * e))); /* (3) */
  const uint32_t swap = (sine ^ cosine) & (0u - (n & 1u));
  koppel_turned out;
  out.sin = koppel_of_bits(sine ^ swap ^ ((bits ^ (n << 30)) & 0x80000000u));
  out.cos = koppel_of_bits(cosine ^ swap ^ (((n + 1u) << 30) & 0x80000000u));
  return out;
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static inline float
koppel_sin(float x) {
  return koppel_turn(x).sin;
}

#ifdef __GNUC__
__attribute__((unused))
#endif
static inline float
koppel_cos(float x) {
  return koppel_turn(x).cos;
}

#endif
