/* The step control of dop853.h, in numbers alone. C99; called in process, pasted into exports and
 * translated to WebAssembly (expr/code/c_to_wasm.hpp says in which C).
 *
 * A PI controller [Hairer, Norsett & Wanner 1993, section II.4]: the next step is
 * h * 0.9 * err^-expo * err_old^beta.
 */
#ifndef KOPPEL_RUNTIME_STEP_CONTROL_H
#define KOPPEL_RUNTIME_STEP_CONTROL_H

#include <math.h>

#ifndef KOPPEL_RUNTIME_BITS_H /* where it is not pasted before */
#include <koppel/runtime/bits.h>
#endif

#define KOPPEL_DOP853_BETA 0.04
#define KOPPEL_DOP853_EXPONENT (1.0 / 8 - 0.75 * KOPPEL_DOP853_BETA)

/* A try: the step that is wanted, its length and end, which are cut to what is left. */
typedef struct {
  double wanted, h, t1;
} koppel_dop853_try;

/* x^p for normal x > 0 and |p log2 x| < 1000, to some 1e-14: for lengths of steps, with the same
 * bits on every machine, which pow has not. With x = 2^k m, sqrt(1/2) <= m < sqrt(2), s = (m -
 * 1)/(m + 1): y = p log x = p (k log 2 + 2 s (1 + s^2/3 + s^4/5 + ...)),   x^p = 2^n exp(y - n log
 * 2). */
KOPPEL_INLINE double koppel_power_of(double x, double p) {
  const double kRound = 6755399441055744.0, kLog2 = 0.6931471805599453;
  const uint64_t bits = koppel_bits(x);
  const int64_t k = (int64_t)(bits - 0x3fe6a09e667f3bcdu) >> 52;
  const double m = koppel_from_bits(bits - ((uint64_t)k << 52));
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum, y, n, r, power;
  sum = ((((1.0 / 23 * z + 1.0 / 21) * z + 1.0 / 19) * z + 1.0 / 17) * z + 1.0 / 15) * z + 1.0 / 13;
  sum = (((((sum * z + 1.0 / 11) * z + 1.0 / 9) * z + 1.0 / 7) * z + 1.0 / 5) * z + 1.0 / 3) * z;
  sum += 1;
  y = p * ((double)k * kLog2 + 2 * s * sum);
  n = (y * 1.4426950408889634 + kRound) - kRound;
  r = y - n * kLog2;
  power = ((1.0 / 6227020800.0 * r + 1.0 / 479001600) * r + 1.0 / 39916800) * r + 1.0 / 3628800;
  power = (((power * r + 1.0 / 362880) * r + 1.0 / 40320) * r + 1.0 / 5040) * r + 1.0 / 720;
  power = (((power * r + 1.0 / 120) * r + 1.0 / 24) * r + 1.0 / 6) * r + 1.0 / 2;
  power = (power * r + 1) * r + 1;
  return power * koppel_from_bits((uint64_t)(int64_t)(1023 + n) << 52);
}

/* From the norms e5 and e3 of errors of orders 5 and 3, over what is allowed:
 *   e5^2 / sqrt(e5^2 + 0.01 e3^2),   an estimate of order 7. */
KOPPEL_INLINE double koppel_dop853_both(double e5, double e3, double tolerance) {
  const double both = sqrt(e5 * e5 + 0.01 * e3 * e3);
  return both == 0 ? 0 : e5 * e5 / both / tolerance;
}

/* What of an error counts; 1 where it is not finite. */
KOPPEL_INLINE double koppel_dop853_counted(double error) {
  const double least = error < 1e-12 ? 1e-12 : error;
  return error <= 1.7e308 ? least : 1;
}

/* What of the error of a step is remembered in the next. */
KOPPEL_INLINE double koppel_dop853_remembered(double error) { return error < 1e-4 ? 1e-4 : error; }

/* Of a step that is accurate enough; `power` is counted(error)^expo, `old_power` err_old^beta;
 * was_rejected: 0 or 1. */
KOPPEL_INLINE double koppel_dop853_growth(double power, double old_power, int was_rejected) {
  const double growth = 0.9 * old_power / power;
  const double some = growth < 1.0 / 3 ? 1.0 / 3 : growth, bounded = some > 6 ? 6 : some;
  const int too_bold = was_rejected & (bounded > 1);
  return too_bold ? 1 : bounded;
}

/* Of a step that is too rough, with the same power. */
KOPPEL_INLINE double koppel_dop853_shrink(double error, double power) {
  const double shrink = 0.9 / power, some = shrink < 1.0 / 3 ? 1.0 / 3 : shrink;
  return error <= 1.7e308 ? some : 0.1;
}

/* The length of a step towards t_end: all of the rest, half of it where that is nearly reached. */
KOPPEL_INLINE double koppel_next_step(double t, double h, double t_end) {
  const double rest = t_end - t, some = 2 * h > rest ? rest / 2 : h;
  return h >= 0.99 * rest ? rest : some;
}

/* max_step: 0: any. */
KOPPEL_INLINE koppel_dop853_try koppel_dop853_propose(double t, double h, double t_end,
                                                      double max_step) {
  const int too_long = (max_step > 0) & (h > max_step);
  const double most = too_long ? max_step : h;
  koppel_dop853_try out;
  out.wanted = h;
  out.h = koppel_next_step(t, most, t_end);
  out.t1 = out.h == t_end - t ? t_end : t + out.h;
  return out;
}

/* The step to try after one of length h from `wanted`, that ended at t1. A step cut short by the
 * end says little about what would have been possible. */
KOPPEL_INLINE double koppel_dop853_after(double wanted, double h, double t1, double t_end,
                                         double growth) {
  const double next = h * growth;
  const int is_cut = (t1 == t_end) & (next < wanted);
  return is_cut ? wanted : next;
}

/* The step h to try from t again, in units of `epsilon`; 0: none is worth it. */
KOPPEL_INLINE double koppel_dop853_again(double t, double h, double t_end, double epsilon) {
  const double size = fabs(t) < fabs(t_end) ? fabs(t_end) : fabs(t);
  return h >= 4 * epsilon * size ? h : 0;
}

#endif
