/* What the code of a model needs of a card: pasted into exports for CUDA, before the step. Compiled
 * by an ordinary C++ compiler, the same file runs on the host, one variant after the other, with
 * the same operations.
 *
 * With KOPPEL_BATCH_IS_LARGE functions stay functions, and values are kept in memory; else all
 * becomes one piece of code, with the state in registers.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define restrict __restrict__

typedef KOPPEL_REAL koppel_real;

/* Values of variants; stride 0: one for all of them. */
typedef struct {
  koppel_real* values;
  int64_t stride;
} koppel_field;

#ifdef __CUDACC__

#include <cuda_runtime.h>

#define KOPPEL_INLINE static __device__ __forceinline__ __attribute__((unused))
#define KOPPEL_OUTLINE static __device__ __noinline__ __attribute__((unused))
#ifdef KOPPEL_BATCH_IS_LARGE
#define KOPPEL_CARD __device__ __noinline__
#else
#define KOPPEL_CARD __device__ __forceinline__
#endif
#define KOPPEL_CARD_DATA __device__
#define KOPPEL_DATA static __device__ const __attribute__((unused))
#define KOPPEL_UNROLL _Pragma("unroll")
#define KOPPEL_LIKE_A_CARD

/* The word with the exponent. */
KOPPEL_INLINE uint32_t koppel_top(double x) { return (uint32_t)__double2hiint(x); }
KOPPEL_INLINE uint32_t koppel_top(float x) { return (uint32_t)__float_as_int(x); }
KOPPEL_INLINE double koppel_reciprocal(double b) { return __drcp_rn(b); }
KOPPEL_INLINE float koppel_reciprocal(float b) { return __frcp_rn(b); }
KOPPEL_INLINE double koppel_product(double a, double b) { return __dmul_rn(a, b); }

#else

#define KOPPEL_INLINE static inline __attribute__((unused))
#define KOPPEL_OUTLINE static __attribute__((noinline, unused))
#define KOPPEL_CARD __attribute__((unused))
#define KOPPEL_CARD_DATA __attribute__((unused))
#define KOPPEL_UNROLL
#define koppel_reciprocal(b) (1 / (b))
#define koppel_product(a, b) ((a) * (b))

KOPPEL_INLINE uint32_t koppel_top(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (uint32_t)(bits >> 32);
}
KOPPEL_INLINE uint32_t koppel_top(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

#endif

#ifdef KOPPEL_LIKE_A_CARD /* defined on a host, it computes as a card does */

/* By its exponent: a card has units of their own for integers. */
KOPPEL_INLINE int koppel_is_finite(double x) {
  return (koppel_top(x) & 0x7ff00000u) != 0x7ff00000u;
}
KOPPEL_INLINE int koppel_is_finite(float x) { return (koppel_top(x) & 0x7f800000u) != 0x7f800000u; }

/* c a + b where c is a power of two from 1 to 2^20, so that c a is exact: the same bits in one
 * instruction, unless c a overflows, for |a| above 2^1003. (A test of a in front of each costs a
 * quarter of the steps in a second of a slider crank.) */
KOPPEL_INLINE double koppel_scaled_sum(double c, double a, double b) { return fma(c, a, b); }
KOPPEL_INLINE float koppel_scaled_sum(float c, float a, float b) { return fmaf(c, a, b); }

/* a / b, correctly rounded, from the correctly rounded reciprocal y of b [Markstein 1990]:
 *
 *   q = a y     r = a - b q     a / b = q + r y     (each rounded once)                       (1)
 *
 * The compiler takes y out of loops, and once for all quotients with one divisor. Nothing in (1)
 * overflows, and r is exact, where |a| and |b| lie between 2^-500 and 2^500; else divided. */
KOPPEL_OUTLINE double koppel_quotient_far(double a, double b) { return a / b; }

KOPPEL_INLINE int koppel_is_moderate(double x) {
  return (koppel_top(x) & 0x7fffffffu) - 0x20b00000u < 0x3e800000u;
}

KOPPEL_INLINE double koppel_quotient(double a, double b) {
  const double y = koppel_reciprocal(b), q = koppel_product(a, y), r = fma(-q, b, a);
  if (koppel_is_moderate(a) & koppel_is_moderate(b)) return fma(r, y, q);
  return koppel_is_moderate(b) & (a == 0) ? q : koppel_quotient_far(a, b);
}
KOPPEL_INLINE float koppel_quotient(float a, float b) { return a / b; }

#else

#define koppel_scaled_sum(c, a, b) ((c) * (a) + (b))
#define koppel_quotient(a, b) ((a) / (b))

#endif
