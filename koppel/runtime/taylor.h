/* Taylor recurrences: the k-th coefficient of an operation's result from the coefficients of its
 * operands up to order k and of the result below k. C99; called in process and pasted into exports.
 *
 * All kernels have one signature. r is the result's series (orders 0 .. k-1 are set), a and b the
 * operands', c the third operand's or a companion's (see below); k >= 1. Order 0 is the plain value
 * of the operation. Cost O(k), no allocation. Products of series [Griewank & Walther 2008, ch. 13]:
 *     (a b)_k = sum_{j=0..k} a_j b_{k-j},        (da/dt)_{k-1} = k a_k.
 *
 * Most functions r = phi(a) satisfy r' = c a' or c r' = a' for a companion series c that is itself
 * made of elementary operations (sin has cos, tan has 1 + tan^2, asin has sqrt(1 - a^2), ...). The
 * sums below use the companion's orders below k only, so it may stand before or after r; only pow
 * reads order k of its companion, which must stand before it.
 */
#ifndef KOPPEL_RUNTIME_TAYLOR_H
#define KOPPEL_RUNTIME_TAYLOR_H

/* Those with sums are not inlined: beside its sum a call costs little, and generated code, which
 * has thousands of them, compiles several times faster. Nobody uses all of them. */
#ifdef __GNUC__
#define KOPPEL_TAYLOR_INLINE static inline __attribute__((unused)) double
#define KOPPEL_TAYLOR_CALLED static __attribute__((noinline, unused)) double
#else
#define KOPPEL_TAYLOR_INLINE static inline double
#define KOPPEL_TAYLOR_CALLED static inline double
#endif
#define KOPPEL_TAYLOR_PARAMETERS \
  (const double* r, const double* a, const double* b, const double* c, int k)
#define KOPPEL_TAYLOR_KERNEL(name) \
  KOPPEL_TAYLOR_INLINE koppel_taylor_##name KOPPEL_TAYLOR_PARAMETERS
#define KOPPEL_TAYLOR_SUM(name) KOPPEL_TAYLOR_CALLED koppel_taylor_##name KOPPEL_TAYLOR_PARAMETERS
#define KOPPEL_UNUSED(x) ((void)(x))

/* The sums run from both ends at once: two running sums let additions overlap. (Pairs of neighbours
 * would too, but compilers make vectors of them, whose loads wait for the coefficients just
 * stored.)
 *
 * sum_{i=first..last} i x_i y_{k-i} */
KOPPEL_TAYLOR_INLINE koppel_weighted_sum(const double* x, const double* y, int k, int first,
                                         int last) {
  double front = 0, back = 0, low = first, high = last; /* i and j, without converting each */
  int i = first, j = last;
  for (; i < j; ++i, --j) {
    front += low * x[i] * y[k - i];
    back += high * x[j] * y[k - j];
    low += 1;
    high -= 1;
  }
  if (i == j) front += low * x[i] * y[k - i];
  return front + back;
}

/* sum_{i=first..last} x_i y_{k-i} */
KOPPEL_TAYLOR_INLINE koppel_sum(const double* x, const double* y, int k, int first, int last) {
  double front = 0, back = 0;
  int i = first, j = last;
  for (; i < j; ++i, --j) {
    front += x[i] * y[k - i];
    back += x[j] * y[k - j];
  }
  if (i == j) front += x[i] * y[k - i];
  return front + back;
}

/* sum_{j=first..k-first} x_j x_{k-j}, each product once */
KOPPEL_TAYLOR_INLINE koppel_symmetric_sum(const double* x, int k, int first) {
  const double half = koppel_sum(x, x, k, first, (k - 1) / 2);
  const double middle = k % 2 == 0 && k / 2 >= first ? x[k / 2] * x[k / 2] : 0;
  return 2 * half + middle;
}

/* r = a, -a, a + b, a - b; the first also for a + b and a - b with b constant in time */
KOPPEL_TAYLOR_KERNEL(copy) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return a[k];
}
KOPPEL_TAYLOR_KERNEL(neg) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return -a[k];
}
KOPPEL_TAYLOR_KERNEL(add) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return a[k] + b[k];
}
KOPPEL_TAYLOR_KERNEL(sub) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return a[k] - b[k];
}
/* r = a b; a b with a constant in time; a a */
KOPPEL_TAYLOR_SUM(mul) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return koppel_sum(a, b, k, 0, k);
}
KOPPEL_TAYLOR_KERNEL(scale) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return a[0] * b[k];
}
KOPPEL_TAYLOR_SUM(square) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return koppel_symmetric_sum(a, k, 0);
}
/* The same where b_k counts as 0, where a_k and b_k do */
KOPPEL_TAYLOR_SUM(mul_open) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return koppel_sum(a, b, k, 1, k);
}
KOPPEL_TAYLOR_SUM(mul_inner) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return koppel_sum(a, b, k, 1, k - 1);
}
KOPPEL_TAYLOR_SUM(square_inner) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return koppel_symmetric_sum(a, k, 1);
}
/* r = a / b from a = r b; the same with b constant in time */
KOPPEL_TAYLOR_SUM(div) {
  KOPPEL_UNUSED(c);
  return (a[k] - koppel_sum(r, b, k, 0, k - 1)) / b[0];
}
KOPPEL_TAYLOR_KERNEL(div_static) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return a[k] / b[0];
}
/* r = sqrt(a) from r r = a */
KOPPEL_TAYLOR_SUM(sqrt) {
  KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return (a[k] - koppel_symmetric_sum(r, k, 1)) / (2 * r[0]);
}
/* r = a^b with b constant in time, from a r' = b r a'; powers of what is 0 throughout, as max(0, x)
 * is beside its switch, are 0 */
KOPPEL_TAYLOR_SUM(pow_static) {
  double sum = 0;
  int j;
  KOPPEL_UNUSED(c);
  for (j = 0; j < k && r[j] == 0; ++j) {
  }
  if (j == k && a[k] == 0) return 0;
  for (j = 0; j < k; ++j) sum += (b[0] * (double)(k - j) - (double)j) * a[k - j] * r[j];
  return sum / ((double)k * a[0]);
}
/* r = a^b = exp(c) with companion c = b log(a): r' = r c' */
KOPPEL_TAYLOR_SUM(pow) {
  KOPPEL_UNUSED(a), KOPPEL_UNUSED(b);
  return koppel_weighted_sum(c, r, k, 1, k) / (double)k;
}
/* r = exp(a): r' = r a' */
KOPPEL_TAYLOR_SUM(exp) {
  KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return koppel_weighted_sum(a, r, k, 1, k) / (double)k;
}
/* r = log(a): a r' = a' */
KOPPEL_TAYLOR_SUM(log) {
  KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return (a[k] - koppel_weighted_sum(r, a, k, 1, k - 1) / (double)k) / a[0];
}
/* r' = c a' */
KOPPEL_TAYLOR_SUM(chain) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b);
  return koppel_weighted_sum(a, c, k, 1, k) / (double)k;
}
/* c r' = a' */
KOPPEL_TAYLOR_SUM(inverse_chain) {
  KOPPEL_UNUSED(b);
  return (a[k] - koppel_weighted_sum(r, c, k, 1, k - 1) / (double)k) / c[0];
}
/* r = atan2(a, b) with c = a^2 + b^2: c r' = b a' - a b' */
KOPPEL_TAYLOR_SUM(atan2) {
  const double right = koppel_weighted_sum(a, b, k, 1, k) - koppel_weighted_sum(b, a, k, 1, k);
  return (right - koppel_weighted_sum(r, c, k, 1, k - 1)) / ((double)k * c[0]);
}
/* Piecewise operations follow the branch that order 0 took; steps are constant on theirs. */
KOPPEL_TAYLOR_KERNEL(step) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(a), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c), KOPPEL_UNUSED(k);
  return 0;
}
KOPPEL_TAYLOR_KERNEL(abs) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(b), KOPPEL_UNUSED(c);
  return a[0] < 0 ? -a[k] : a[k];
}
KOPPEL_TAYLOR_KERNEL(min) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return b[0] < a[0] ? b[k] : a[k];
}
KOPPEL_TAYLOR_KERNEL(max) {
  KOPPEL_UNUSED(r), KOPPEL_UNUSED(c);
  return a[0] < b[0] ? b[k] : a[k];
}
KOPPEL_TAYLOR_KERNEL(select) {
  KOPPEL_UNUSED(r);
  return a[0] != 0 ? b[k] : c[k];
}

#undef KOPPEL_TAYLOR_INLINE
#undef KOPPEL_TAYLOR_CALLED
#undef KOPPEL_TAYLOR_PARAMETERS
#undef KOPPEL_TAYLOR_KERNEL
#undef KOPPEL_TAYLOR_SUM
#undef KOPPEL_UNUSED

#endif
