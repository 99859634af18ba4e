/* The start of a model whose parameters have been changed: what `koppel run --set` does, in C99
 * [assembly.hpp]. Derived parameters follow from their expressions; positions are the nearest to
 * the expected ones that satisfy all constraints, the invariants of the coordinates and the fixed
 * initial values, and the other ones as far as they can be had; then velocities; then multipliers.
 * Iterates, and so belongs before a run. No allocation. Pasted into exports behind
 * least_squares.h. The file that includes it defines, for its model,
 *
 *   START_Q, _V, _X, _MULTIPLIERS, _PARAMETERS   sizes; START_FIRST_PARAMETER: their place in `in`
 *   START_ROWS, START_FREE             rows of the distance; coordinates that move no body
 *   START_CLOSED, _FIXED, _SOFT        constraints and invariants, fixed initial values, wishes
 *   START_RATE_CLOSED, _FIXED, _SOFT   the same for velocities; START_RANK: independent constraints
 *   START_PULL, START_RATE_PULL        wishes that pull where not all can be had: start_pull[] ...
 *   START_OUT, START_WORK              numbers that the functions give at most, and need to work
 *   start_free_q[], start_free_v[], start_rows_at[][2], start_closed_at[][2], ...
 *                                      places of the entries of Jacobians
 *   start_derived, start_guess, start_distance, start_equations, start_rates, start_masses,
 *   start_multipliers                  straight-line functions (in, out, work)
 *
 * with in = t, h, q, v, x, multipliers, inputs, parameters.
 */
#ifndef KOPPEL_RUNTIME_START_H
#define KOPPEL_RUNTIME_START_H

enum {
  START_EQUATIONS = START_CLOSED + START_FIXED + START_SOFT,
  START_RATE_EQUATIONS = START_RATE_CLOSED + START_RATE_FIXED + START_RATE_SOFT,
  START_METRIC = START_ROWS + START_FREE,
  START_N = START_Q > START_V ? START_Q : START_V,
  START_M = START_EQUATIONS > START_RATE_EQUATIONS ? START_EQUATIONS : START_RATE_EQUATIONS,
  START_STACK = START_M + START_METRIC + START_N
};

enum { KOPPEL_NO_POSITIONS = 1, KOPPEL_NO_VELOCITIES = 2, KOPPEL_OTHER_RANK = 3 };

typedef struct {
  double* in;
  double out[START_OUT + 1], work[START_WORK + 1];
  double c[START_M + 1], A[START_M * START_N + 1], scale[START_M + 1];
  double target[START_ROWS + 1], guess[START_N + 1], rates[START_V + 1];
  double rest[START_METRIC + START_M + 1], metric[START_METRIC * START_N + 1];
  double fixed_metric[START_METRIC * START_N + 1], free[START_FREE * START_FREE + 1];
  double stack[START_STACK * START_N + 1], y[START_STACK + 1];
  double step[START_N + 1], along[START_N + 1], before[START_N + 1], closed[START_N + 1], weight;
  double room_a[START_N * START_M + 1], room_j[START_STACK * START_N + 1];
  double factor[2 * START_N + 1], diagonal[2 * START_N + 1], z[START_N + 1];
  int order[START_M + START_N + 1];
} koppel_start;

static koppel_room koppel_start_room(koppel_start* s) {
  koppel_room room;
  room.a = s->room_a;
  room.j = s->room_j;
  room.factor = s->factor;
  room.diagonal = s->diagonal;
  room.z = s->z;
  room.order = s->order;
  return room;
}

static double koppel_largest(const double* x, int n) {
  double largest = 0;
  int i;
  for (i = 0; i < n; ++i) {
    if (!(fabs(x[i]) <= 1.7e308)) return HUGE_VAL;
    if (fabs(x[i]) > largest) largest = fabs(x[i]);
  }
  return largest;
}

/* A matrix from its entries. */
static void koppel_scatter(double* to, int rows, int columns, const int (*at)[2], int count,
                           const double* entries) {
  int k;
  memset(to, 0, (size_t)rows * (size_t)columns * sizeof(double));
  for (k = 0; k < count; ++k) to[at[k][0] * columns + at[k][1]] = entries[k];
}

/* c and A, of positions. */
static void koppel_start_equations(koppel_start* s) {
  start_equations(s->in, s->out, s->work);
  memcpy(s->c, s->out, START_EQUATIONS * sizeof(double));
  koppel_scatter(s->A, START_EQUATIONS, START_Q, start_equations_at, START_EQUATIONS_COUNT,
                 s->out + START_EQUATIONS);
}

/* What is left of the distance, and its Jacobian. */
static void koppel_start_distance(koppel_start* s) {
  int i, j;
  start_distance(s->in, s->out, s->work);
  for (i = 0; i < START_ROWS; ++i) s->rest[i] = s->out[i] - s->target[i];
  koppel_scatter(s->metric, START_METRIC, START_Q, start_rows_at, START_ROWS_COUNT,
                 s->out + START_ROWS);
  for (i = 0; i < START_FREE; ++i) {
    s->rest[START_ROWS + i] = 0;
    for (j = i; j < START_FREE; ++j) {
      const int q = start_free_q[j];
      s->metric[(START_ROWS + i) * START_Q + q] = s->free[i * START_FREE + j];
      s->rest[START_ROWS + i] += s->free[i * START_FREE + j] * (s->in[2 + q] - s->guess[q]);
    }
  }
}

/* U with U^T U = M of the coordinates that move no body; its diagonal alone, where M is not
 * definite. Masses that are very small are made larger [metric.cpp]. */
static void koppel_start_masses(koppel_start* s) {
  double top = 0, sum;
  int i, j, k, is_definite = 1;
  if (START_FREE == 0) return;
  start_masses(s->in, s->out, s->work);
  koppel_scatter(s->room_j, START_V, START_V, start_masses_at, START_MASSES_COUNT, s->out);
  for (i = 0; i < START_V; ++i) top = fmax(top, fabs(s->room_j[i * START_V + i]));
  if (!(top > 0)) top = 1;
  for (i = 0; i < START_V; ++i) {
    double* mass = s->room_j + i * START_V + i;
    *mass += *mass < 1e-6 * top ? 1e-6 * top : 1e-8 * *mass;
  }
  if (START_ROWS == 0) s->weight = sqrt(top);
  for (i = 0; i < START_FREE && is_definite; ++i) {
    for (j = i; j < START_FREE; ++j) {
      sum = s->room_j[start_free_v[i] * START_V + start_free_v[j]];
      for (k = 0; k < i; ++k) sum -= s->free[k * START_FREE + i] * s->free[k * START_FREE + j];
      if (j == i) is_definite = sum > 0;
      if (!is_definite) break;
      s->free[i * START_FREE + j] = j == i ? sqrt(sum) : sum / s->free[i * START_FREE + i];
    }
  }
  if (is_definite) return;
  memset(s->free, 0, sizeof s->free);
  for (i = 0; i < START_FREE; ++i) {
    const int v = start_free_v[i];
    s->free[i * START_FREE + i] = sqrt(fmax(fabs(s->room_j[v * START_V + v]), 1e-6 * top));
  }
}

static double koppel_start_merit(const koppel_start* s, int rows) {
  double sum = 0;
  int i;
  for (i = 0; i < rows; ++i) sum += s->scale[i] * s->c[i] * s->scale[i] * s->c[i];
  return sqrt(sum);
}

/* Levenberg-Marquardt for the first `rows` equations, damped in the metric fixed_metric: 1 where
 * they are closed [Closure in assembly.cpp]. */
static int koppel_start_close(koppel_start* s, int rows) {
  const koppel_room room = koppel_start_room(s);
  double merit, factor = 1e-3, top = 0;
  int i, j, k, stalls = 0;
  koppel_start_equations(s);
  if (START_EQUATIONS == 0 || rows == 0) return 1; /* the first is known to a compiler */
  if (!(koppel_largest(s->c, rows) <= 1.7e308)) return 0;
  for (i = 0; i < rows; ++i) {
    s->scale[i] = 0;
    for (j = 0; j < START_Q; ++j) s->scale[i] += s->A[i * START_Q + j] * s->A[i * START_Q + j];
    s->scale[i] = sqrt(s->scale[i]);
    top = fmax(top, s->scale[i]);
  }
  for (i = 0; i < rows; ++i) s->scale[i] = 1 / fmax(s->scale[i], fmax(1e-3 * top, 1e-300));
  merit = koppel_start_merit(s, rows);
  for (k = 0; k < 200 && koppel_largest(s->c, rows) > 1e-15; ++k) {
    const double mu = fmax(factor * merit, 1e-9) / s->weight;
    double next;
    for (i = 0; i < rows; ++i) {
      for (j = 0; j < START_Q; ++j) {
        s->stack[i * START_Q + j] = s->scale[i] * s->A[i * START_Q + j];
      }
      s->y[i] = -s->scale[i] * s->c[i];
    }
    for (i = 0; i < START_METRIC * START_Q; ++i) {
      s->stack[rows * START_Q + i] = mu * s->fixed_metric[i];
    }
    memset(s->stack + (rows + START_METRIC) * START_Q, 0, START_Q * START_Q * sizeof(double));
    for (i = 0; i < START_Q; ++i) {
      s->stack[(rows + START_METRIC + i) * START_Q + i] = 1e-6 * mu * s->weight;
    }
    memset(s->y + rows, 0, (START_METRIC + START_Q) * sizeof(double));
    koppel_solve_least_squares(&room, START_Q, 0, 0, 0, rows + START_METRIC + START_Q, s->stack,
                               s->y, s->step);
    memcpy(s->before, s->in + 2, START_Q * sizeof(double));
    for (i = 0; i < START_Q; ++i) s->in[2 + i] += s->step[i];
    koppel_start_equations(s);
    next = koppel_largest(s->c, rows) <= 1.7e308 ? koppel_start_merit(s, rows) : HUGE_VAL;
    if (next < merit) {
      stalls = next > 0.999 * merit && factor > 1e-6 ? stalls + 1 : 0;
      if (next < 0.25 * merit) factor = fmax(0.1 * factor, 1e-8);
      merit = next;
      if (stalls > 20) break;
    } else {
      memcpy(s->in + 2, s->before, START_Q * sizeof(double));
      koppel_start_equations(s);
      if (factor > 1e12 || koppel_largest(s->c, rows) < 1e-13) break;
      factor *= 8;
    }
  }
  return koppel_largest(s->c, rows) <= 1e-10;
}

/* From the guess; in the metric of the distance there, else in that of the coordinates. */
static int koppel_start_close_from_guess(koppel_start* s, int rows) {
  int k;
  for (k = 0; k < 2; ++k) {
    memcpy(s->in + 2, s->guess, START_Q * sizeof(double));
    koppel_start_distance(s);
    memcpy(s->fixed_metric, s->metric, sizeof s->metric);
    if (k == 1) memset(s->fixed_metric, 0, sizeof s->fixed_metric);
    if (koppel_start_close(s, rows)) return 1;
  }
  return 0;
}

/* The distance squared, and what pulls. */
static double koppel_start_total(koppel_start* s, int num_pulls) {
  double sum = 0;
  int i;
  koppel_start_distance(s);
  koppel_start_equations(s);
  for (i = 0; i < num_pulls; ++i) {
    s->rest[START_METRIC + i] = s->weight * s->c[START_CLOSED + START_FIXED + start_pull[i]];
  }
  for (i = 0; i < START_METRIC + num_pulls; ++i) sum += s->rest[i] * s->rest[i];
  return sum;
}

/* Gauss-Newton along the closed equations [approach in assembly.cpp]. */
static void koppel_start_approach(koppel_start* s, int rows, int num_pulls) {
  const koppel_room room = koppel_start_room(s);
  double last = HUGE_VAL;
  int i, k;
  for (k = 0; k < 200; ++k) {
    const double before = koppel_start_total(s, num_pulls);
    double size, length;
    int is_better = 0;
    if (before == 0) return;
    memcpy(s->stack, s->metric, START_METRIC * START_Q * sizeof(double));
    for (i = 0; i < num_pulls; ++i) {
      const double* row = s->A + (START_CLOSED + START_FIXED + start_pull[i]) * START_Q;
      int j;
      for (j = 0; j < START_Q; ++j) {
        s->stack[(START_METRIC + i) * START_Q + j] = s->weight * row[j];
      }
    }
    for (i = 0; i < START_METRIC + num_pulls; ++i) s->y[i] = -s->rest[i];
    memset(s->c, 0, sizeof s->c);
    koppel_solve_least_squares(&room, START_Q, rows, s->A, s->c, START_METRIC + num_pulls, s->stack,
                               s->y, s->step);
    size = koppel_largest(s->step, START_Q) / (1 + koppel_largest(s->in + 2, START_Q));
    if (size <= 1e-15 || (size < 1e-5 && size > 0.95 * last) || !(size < 1.7e308)) return;
    last = size;
    memcpy(s->closed, s->in + 2, START_Q * sizeof(double));
    memcpy(s->fixed_metric, s->metric, sizeof s->metric);
    memcpy(s->along, s->step, sizeof s->step);
    for (length = 1; length > 1e-3 && !is_better; length *= 0.5) {
      for (i = 0; i < START_Q; ++i) s->in[2 + i] = s->closed[i] + length * s->along[i];
      is_better = koppel_start_close(s, rows) &&
                  (size < 1e-5 || koppel_start_total(s, num_pulls) < before * (1 - 1e-14));
    }
    if (!is_better) {
      memcpy(s->in + 2, s->closed, START_Q * sizeof(double));
      return;
    }
  }
}

static int koppel_start_positions(koppel_start* s) {
  const int firm = START_CLOSED + START_FIXED;
  if (koppel_start_close_from_guess(s, START_EQUATIONS)) {
    koppel_start_approach(s, START_EQUATIONS, 0);
    return 0;
  }
  if (START_SOFT == 0 || !koppel_start_close_from_guess(s, firm)) return KOPPEL_NO_POSITIONS;
  koppel_start_approach(s, firm, START_PULL);
  return 0;
}

/* The nearest velocities: rows of A v = b, and of what shall be small, are evaluated at rest. */
static int koppel_start_velocities(koppel_start* s) {
  const koppel_room room = koppel_start_room(s);
  const int firm = START_RATE_CLOSED + START_RATE_FIXED;
  double size, worst = 0, *v = s->in + 2 + START_Q;
  int i, j, pass, rank;
  if (START_ROWS == 0) koppel_start_masses(s);
  memset(v, 0, START_V * sizeof(double));
  start_rates(s->in, s->out, s->work);
  for (i = 0; i < START_RATE_EQUATIONS; ++i) s->c[i] = -s->out[i];
  koppel_scatter(s->A, START_RATE_EQUATIONS, START_V, start_rates_at, START_RATES_COUNT,
                 s->out + START_RATE_EQUATIONS + 2 * START_ROWS);
  size = 1e-10 * fmax(1, koppel_largest(s->c, firm));
  for (pass = 0; pass < 2; ++pass) {
    const int rows = pass == 0 ? START_RATE_EQUATIONS : firm;
    const int pulls = pass == 0 ? 0 : START_RATE_PULL;
    koppel_scatter(s->stack, START_METRIC, START_V, start_rows_rate_at, START_ROWS_RATE_COUNT,
                   s->out + START_RATE_EQUATIONS + 2 * START_ROWS + START_RATES_COUNT);
    for (i = 0; i < START_ROWS; ++i) {
      const double* rates = s->out + START_RATE_EQUATIONS;
      s->y[i] = rates[START_ROWS + i] - rates[i];
    }
    for (i = 0; i < START_FREE; ++i) {
      s->y[START_ROWS + i] = 0;
      for (j = i; j < START_FREE; ++j) {
        const double u = s->free[i * START_FREE + j];
        s->stack[(START_ROWS + i) * START_V + start_free_v[j]] = u;
        s->y[START_ROWS + i] += u * s->rates[start_free_v[j]];
      }
    }
    for (i = 0; i < pulls; ++i) {
      const int row = firm + start_rate_pull[i];
      for (j = 0; j < START_V; ++j) {
        s->stack[(START_METRIC + i) * START_V + j] = s->weight * s->A[row * START_V + j];
      }
      s->y[START_METRIC + i] = s->weight * s->c[row];
    }
    koppel_solve_least_squares(&room, START_V, rows, s->A, s->c, START_METRIC + pulls, s->stack,
                               s->y, s->step);
    for (i = 0, worst = 0; i < rows; ++i) {
      double gap = -s->c[i];
      for (j = 0; j < START_V; ++j) gap += s->A[i * START_V + j] * s->step[j];
      if (!(fabs(gap) <= worst)) worst = fabs(gap);
    }
    if (worst <= size) break;
  }
  if (!(worst <= size)) return KOPPEL_NO_VELOCITIES;
  memcpy(v, s->step, START_V * sizeof(double));
  memset(s->y, 0, sizeof s->y);
  rank = koppel_solve_least_squares(&room, START_V, START_RATE_CLOSED, s->A, s->c, 0, s->stack,
                                    s->y, s->step);
  return rank == START_RANK ? 0 : KOPPEL_OTHER_RANK;
}

/* Derived parameters from the others, in place. */
static void koppel_start_derive(double* in, double* out, double* work) {
  if (START_PARAMETERS == 0) return;
  start_derived(in, out, work);
  memcpy(in + START_FIRST_PARAMETER, out, START_PARAMETERS * sizeof(double));
}

/* The start for the parameters in `in`. 0: found; else the reason. */
static int koppel_start_assemble(koppel_start* s, double* in) {
  int reason;
  s->in = in;
  koppel_start_derive(in, s->out, s->work);
  start_guess(in, s->out, s->work);
  memcpy(s->guess, s->out, START_Q * sizeof(double));
  memcpy(s->rates, s->out + START_Q, START_V * sizeof(double));
  memcpy(in + 2 + START_Q + START_V, s->out + START_Q + START_V, START_X * sizeof(double));
  memcpy(s->target, s->out + START_Q + START_V + START_X, START_ROWS * sizeof(double));
  s->weight = s->out[START_Q + START_V + START_X + START_ROWS];
  memcpy(in + 2, s->guess, START_Q * sizeof(double));
  memcpy(in + 2 + START_Q, s->rates, START_V * sizeof(double));
  koppel_start_masses(s);
  if (!(s->weight > 0)) s->weight = 1;
  reason = koppel_start_positions(s);
  if (reason == 0) reason = koppel_start_velocities(s);
  if (reason != 0) return reason;
  if (START_MULTIPLIERS > 0) {
    start_multipliers(in, s->out, s->work);
    memcpy(in + 2 + START_Q + START_V + START_X, s->out, START_MULTIPLIERS * sizeof(double));
  }
  return 0;
}

#endif
