/* The accurate integrator in exported code: the rates of a model with its multipliers eliminated,
 * integrated by dop853.h, and one step of Newton's method onto the constraints after each step.
 * C99; pasted into exports behind dop853.h and step.h. No allocation. The file that includes it
 * defines, for its model,
 *
 *   MODEL_NUM_Q, _V, _X, _ROWS     sizes (ROWS: of all constraints)
 *   model_rates, model_project     straight-line functions (in, out, work) with
 *
 *   in = t, h, q, v, x, ...        h is the step to try next
 */
#ifndef KOPPEL_RUNTIME_ACCURATE_H
#define KOPPEL_RUNTIME_ACCURATE_H

enum { MODEL_NUM_Y = MODEL_NUM_Q + MODEL_NUM_V + MODEL_NUM_X };

typedef struct {
  KOPPEL_REAL *in, *work;
  KOPPEL_REAL y[3][MODEL_NUM_Y + 1], k[KOPPEL_DOP853_STAGES + 1][MODEL_NUM_Y + 1];
} koppel_accurate;

KOPPEL_INLINE int koppel_accurate_rate(void* context, double t, const KOPPEL_REAL* y,
                                       KOPPEL_REAL* rate) {
  koppel_accurate* a = (koppel_accurate*)context;
  a->in[0] = (KOPPEL_REAL)t;
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_at(a->in, t);
#endif
  koppel_dop853_copy(a->in + 2, y, MODEL_NUM_Y);
  model_rates(a->in, rate, a->work);
  return koppel_all_finite(rate, MODEL_NUM_Y) ? 0 : KOPPEL_NO_RATES;
}

KOPPEL_INLINE int koppel_accurate_arrive(void* context, double t, KOPPEL_REAL* y,
                                         KOPPEL_REAL* rate) {
  koppel_accurate* a = (koppel_accurate*)context;
  if (MODEL_NUM_ROWS > 0) {
    KOPPEL_REAL moved[MODEL_NUM_Q + MODEL_NUM_V + 1];
    a->in[0] = (KOPPEL_REAL)t;
    koppel_dop853_copy(a->in + 2, y, MODEL_NUM_Y);
    model_project(a->in, moved, a->work);
    if (!koppel_all_finite(moved, MODEL_NUM_Q + MODEL_NUM_V)) return KOPPEL_NOT_PROJECTED;
    koppel_dop853_copy(y, moved, MODEL_NUM_Q + MODEL_NUM_V);
  }
  return koppel_accurate_rate(context, t, y, rate);
}

/* What errors are measured by where values are smaller: 1, less for small mechanisms. */
#ifndef MODEL_SCALE
#define MODEL_SCALE 1
#endif

/* From in[0] to t_end, with errors of a step <= tolerance * max(|y|, MODEL_SCALE). 0: done. Else
 * the reason; `in` is the last state that was reached. */
KOPPEL_INLINE int koppel_accurate_advance(KOPPEL_REAL* in, KOPPEL_REAL* work, double t_end,
                                          double tolerance) {
  koppel_accurate a;
  koppel_dop853 s;
  koppel_ode ode;
  int i, reason;
  a.in = in;
  a.work = work;
  ode.n = MODEL_NUM_Y;
#ifdef KOPPEL_ODE_BY_NAME
  ode.rate = 0;
  ode.arrive = 0;
#else
  ode.rate = koppel_accurate_rate;
  ode.arrive = koppel_accurate_arrive;
#endif
  ode.context = &a;
  s.y0 = a.y[0];
  s.y1 = a.y[1];
  s.stage = a.y[2];
  KOPPEL_UNROLL
  for (i = 0; i < KOPPEL_DOP853_ALL_STAGES; ++i) {
    s.k[i] = a.k[i <= KOPPEL_DOP853_STAGES ? i : 0];
  }
  koppel_dop853_init(&s, in[0], in[1], tolerance, MODEL_SCALE);
  koppel_dop853_copy(s.y1, in + 2, MODEL_NUM_Y);
  reason = koppel_accurate_rate(&a, in[0], s.y1, s.k[KOPPEL_DOP853_STAGES]);
  while (reason == 0 && s.t1 < t_end) reason = koppel_dop853_bounded_step(&s, &ode, t_end);
  in[0] = (KOPPEL_REAL)s.t1;
  in[1] = (KOPPEL_REAL)s.h;
  koppel_dop853_copy(in + 2, s.y1, MODEL_NUM_Y);
  return reason;
}

#endif
