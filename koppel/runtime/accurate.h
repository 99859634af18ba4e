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

#include <string.h>

enum { MODEL_NUM_Y = MODEL_NUM_Q + MODEL_NUM_V + MODEL_NUM_X };

typedef struct {
  double *in, *work;
  double y[3][MODEL_NUM_Y + 1], k[KOPPEL_DOP853_STAGES + 1][MODEL_NUM_Y + 1];
} koppel_accurate;

static int koppel_accurate_rate(void* context, double t, const double* y, double* rate) {
  koppel_accurate* a = (koppel_accurate*)context;
  a->in[0] = t;
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_at(a->in, t);
#endif
  memcpy(a->in + 2, y, MODEL_NUM_Y * sizeof(double));
  model_rates(a->in, rate, a->work);
  return koppel_all_finite(rate, MODEL_NUM_Y) ? 0 : KOPPEL_NO_RATES;
}

static int koppel_accurate_arrive(void* context, double t, double* y, double* rate) {
  koppel_accurate* a = (koppel_accurate*)context;
  if (MODEL_NUM_ROWS > 0) {
    double moved[MODEL_NUM_Q + MODEL_NUM_V + 1];
    a->in[0] = t;
    memcpy(a->in + 2, y, MODEL_NUM_Y * sizeof(double));
    model_project(a->in, moved, a->work);
    if (!koppel_all_finite(moved, MODEL_NUM_Q + MODEL_NUM_V)) return KOPPEL_NOT_PROJECTED;
    memcpy(y, moved, (MODEL_NUM_Q + MODEL_NUM_V) * sizeof(double));
  }
  return koppel_accurate_rate(context, t, y, rate);
}

/* From in[0] to t_end, with errors of a step <= tolerance * max(|y|, 1). 0: done. Else the reason;
 * `in` is the last state that was reached. */
#ifdef __GNUC__
__attribute__((unused))
#endif
static int
koppel_accurate_advance(double* in, double* work, double t_end, double tolerance) {
  koppel_accurate a;
  koppel_dop853 s;
  koppel_ode ode;
  int i, reason;
  a.in = in;
  a.work = work;
  ode.n = MODEL_NUM_Y;
  ode.rate = koppel_accurate_rate;
  ode.arrive = koppel_accurate_arrive;
  ode.context = &a;
  memset(&s, 0, sizeof s);
  s.y0 = a.y[0];
  s.y1 = a.y[1];
  s.stage = a.y[2];
  for (i = 0; i <= KOPPEL_DOP853_STAGES; ++i) s.k[i] = a.k[i];
  koppel_dop853_init(&s, in[0], in[1], tolerance, 1);
  memcpy(s.y1, in + 2, MODEL_NUM_Y * sizeof(double));
  reason = koppel_accurate_rate(&a, in[0], s.y1, s.k[KOPPEL_DOP853_STAGES]);
  while (reason == 0 && s.t1 < t_end) reason = koppel_dop853_step(&s, &ode, t_end, 0);
  in[0] = s.t1;
  in[1] = s.h;
  memcpy(in + 2, s.y1, MODEL_NUM_Y * sizeof(double));
  return reason;
}

#endif
