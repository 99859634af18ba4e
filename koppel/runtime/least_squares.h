/* Dense least squares with equations:
 *
 *   minimise |J x - y|  subject to  A x = b                                              (1)
 *
 * by orthogonal transformations: with A^T P = Q [R; 0] (Householder, columns by decreasing rest)
 * and x = Q (z, w), the equations give R^T z = P^T b, and w minimises |J Q (z, w) - y| by a second
 * such decomposition. Rows of A that repeat others are left out, and so are motions that J does not
 * see: they stay 0. [Golub & Van Loan 2013, sections 5.4 and 6.2]
 * C99; pasted into exports, for what happens before a run and in events. No allocation.
 */
#ifndef KOPPEL_RUNTIME_LEAST_SQUARES_H
#define KOPPEL_RUNTIME_LEAST_SQUARES_H

#include <math.h>
#include <string.h>

#ifdef __GNUC__
#define KOPPEL_LEAST_SQUARES __attribute__((unused)) static
#else
#define KOPPEL_LEAST_SQUARES static
#endif

/* A matrix by rows, with its reflections where it is decomposed: column k below the diagonal is the
 * vector of reflection k, factor[k] is 2 / |vector|^2, diagonal[k] that of R. */
typedef struct {
  int rows, columns, rank;
  double *a, *factor, *diagonal;
  int* order; /* of the columns */
} koppel_qr;

KOPPEL_LEAST_SQUARES double koppel_rest(const koppel_qr* m, int column, int from) {
  double sum = 0;
  int i;
  for (i = from; i < m->rows; ++i)
    sum += m->a[i * m->columns + column] * m->a[i * m->columns + column];
  return sqrt(sum);
}

KOPPEL_LEAST_SQUARES void koppel_swap_columns(koppel_qr* m, int j, int k) {
  int i;
  const int other = m->order[j];
  if (j == k) return;
  m->order[j] = m->order[k];
  m->order[k] = other;
  for (i = 0; i < m->rows; ++i) {
    const double x = m->a[i * m->columns + j];
    m->a[i * m->columns + j] = m->a[i * m->columns + k];
    m->a[i * m->columns + k] = x;
  }
}

/* Reflection k applied to a column of numbers that are `step` apart. */
KOPPEL_LEAST_SQUARES void koppel_reflect(const koppel_qr* m, int k, double* x, int step) {
  double sum = 0;
  int i;
  for (i = k; i < m->rows; ++i) sum += m->a[i * m->columns + k] * x[i * step];
  sum *= m->factor[k];
  for (i = k; i < m->rows; ++i) x[i * step] -= sum * m->a[i * m->columns + k];
}

/* Columns whose rest is below the tolerance times the first are left. */
KOPPEL_LEAST_SQUARES void koppel_decompose(koppel_qr* m, double tolerance) {
  double first = 0;
  int j, k;
  m->rank = 0;
  for (j = 0; j < m->columns; ++j) m->order[j] = j;
  for (k = 0; k < m->rows && k < m->columns; ++k) {
    int best = k;
    double rest = -1, sign;
    for (j = k; j < m->columns; ++j) {
      const double other = koppel_rest(m, j, k);
      if (other > rest) {
        rest = other;
        best = j;
      }
    }
    if (k == 0) first = rest;
    if (!(rest > tolerance * first) || rest == 0) return;
    koppel_swap_columns(m, k, best);
    sign = m->a[k * m->columns + k] < 0 ? -1 : 1;
    m->a[k * m->columns + k] += sign * rest;
    m->diagonal[k] = -sign * rest;
    m->factor[k] = 1 / (rest * fabs(m->a[k * m->columns + k]));
    for (j = k + 1; j < m->columns; ++j) koppel_reflect(m, k, m->a + j, m->columns);
    m->rank = k + 1;
  }
}

/* Room for koppel_solve_least_squares with m equations, r rows and n unknowns. */
typedef struct {
  double *a, *j;             /* n m and r n numbers */
  double *factor, *diagonal; /* n each, twice */
  double* z;                 /* n */
  int* order;                /* m + n */
} koppel_room;

/* (1); y is overwritten. Arrays may be 0 where they have no rows. Returns the rank of A. */
KOPPEL_LEAST_SQUARES int koppel_solve_least_squares(const koppel_room* room, int n, int m,
                                                    const double* A, const double* b, int r,
                                                    const double* J, double* y, double* x) {
  koppel_qr q, s;
  int i, j, k, rest;
  q.rows = n;
  q.columns = m;
  q.a = room->a;
  q.factor = room->factor;
  q.diagonal = room->diagonal;
  q.order = room->order;
  for (i = 0; i < m; ++i) {
    double size = 0;
    for (j = 0; j < n; ++j) size += A[i * n + j] * A[i * n + j];
    size = size > 0 ? 1 / sqrt(size) : 0;
    for (j = 0; j < n; ++j) q.a[j * m + i] = size * A[i * n + j];
  }
  koppel_decompose(&q, 1e-10);
  /* R^T z = b */
  for (k = 0; k < q.rank; ++k) {
    const int row = q.order[k];
    double size = 0, sum;
    for (j = 0; j < n; ++j) size += A[row * n + j] * A[row * n + j];
    sum = b[row] / sqrt(size);
    for (i = 0; i < k; ++i) sum -= q.a[i * m + k] * room->z[i];
    room->z[k] = sum / q.diagonal[k];
  }
  rest = n - q.rank;
  for (k = q.rank; k < n; ++k) room->z[k] = 0;
  if (r > 0 && rest > 0) {
    s.rows = r;
    s.columns = rest;
    s.a = room->j;
    s.factor = room->factor + n;
    s.diagonal = room->diagonal + n;
    s.order = room->order + m;
    for (i = 0; i < r; ++i) {
      /* A row of J Q, in x. */
      memcpy(x, J + i * n, (size_t)n * sizeof(double));
      for (k = 0; k < q.rank; ++k) koppel_reflect(&q, k, x, 1);
      for (k = 0; k < q.rank; ++k) y[i] -= x[k] * room->z[k];
      memcpy(s.a + i * rest, x + q.rank, (size_t)rest * sizeof(double));
    }
    koppel_decompose(&s, 1e-14);
    for (k = 0; k < s.rank; ++k) koppel_reflect(&s, k, y, 1);
    for (k = s.rank - 1; k >= 0; --k) {
      double sum = y[k];
      for (j = k + 1; j < s.rank; ++j) sum -= s.a[k * rest + j] * room->z[q.rank + s.order[j]];
      room->z[q.rank + s.order[k]] = sum / s.diagonal[k];
    }
  }
  memcpy(x, room->z, (size_t)n * sizeof(double));
  for (k = q.rank - 1; k >= 0; --k) koppel_reflect(&q, k, x, 1);
  return q.rank;
}

#endif
