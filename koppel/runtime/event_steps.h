/* The steps of accurate.h with events, which are located on the way [event_watch.cpp]. C99; pasted
 * into FMUs behind events.h and accurate.h. No allocation.
 */
#ifndef KOPPEL_RUNTIME_EVENT_STEPS_H
#define KOPPEL_RUNTIME_EVENT_STEPS_H

/* A step of dop853.h with its interpolation: see evaluate_states in dop853.cpp. */
typedef struct {
  koppel_accurate a;
  koppel_dop853 s;
  koppel_ode ode;
  double k[KOPPEL_DOP853_ALL_STAGES][MODEL_NUM_Y + 1], r[4][MODEL_NUM_Y + 1];
  int is_prepared;
} koppel_dense;

static void koppel_dense_prepare(koppel_dense* d) {
  static const koppel_weights none = {0, 0};
  const double h = d->s.t1 - d->s.t0;
  int i, is_good = 1;
  for (i = KOPPEL_DOP853_STAGES + 1; i < KOPPEL_DOP853_ALL_STAGES; ++i) {
    is_good = is_good && koppel_dop853_evaluate_stage(&d->s, &d->ode, i, h) == 0;
  }
  for (i = 0; i < 4; ++i) {
    koppel_dop853_combine(is_good ? koppel_dop853_d[i] : none, h, d->s.k, MODEL_NUM_Y, d->r[i]);
  }
  d->is_prepared = 1;
}

/* The state at a time of the step, and the values of events there. */
static void koppel_dense_look(koppel_dense* d, koppel_event_buffers* b, double t) {
  const double h = d->s.t1 - d->s.t0, x = (t - d->s.t0) / h, w = 1 - x;
  double* y = d->a.in + 2;
  int i;
  if (!d->is_prepared) koppel_dense_prepare(d);
  for (i = 0; i < MODEL_NUM_Y; ++i) {
    const double change = d->s.y1[i] - d->s.y0[i];
    const double r2 = h * d->s.k[0][i] - change;
    const double r3 = change - h * d->s.k[KOPPEL_DOP853_STAGES][i] - r2;
    const double inner = d->r[0][i] + x * (d->r[1][i] + w * (d->r[2][i] + x * d->r[3][i]));
    y[i] = t == d->s.t1 ? d->s.y1[i] : d->s.y0[i] + x * (change + w * (r2 + x * (r3 + w * inner)));
  }
  d->a.in[0] = t;
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_at(d->a.in, t);
#endif
  koppel_event_values(b, d->a.in);
}

/* Halves the interval until it cannot be; events that pass a moment later happen with the first.
 * `in` is the state just after. */
static void koppel_events_locate(koppel_events* e, koppel_event_buffers* b, koppel_dense* d,
                                 double before, double after, int* happens) {
  const double step = d->s.t1 - d->s.t0;
  int from[EVENTS + 1], i, k;
  double soon;
  for (;;) {
    const double middle = before + 0.5 * (after - before);
    if (!(before < middle && middle < after)) break;
    koppel_dense_look(d, b, middle);
    if (koppel_any_event_passes(e, b)) {
      after = middle;
    } else {
      before = middle;
    }
  }
  soon = fmax(1e-9 * step, 16 * 2.220446049250313e-16 * fabs(after));
  for (i = 0; i < EVENTS; ++i) happens[i] = 0;
  for (k = 0; k < 2; ++k) {
    koppel_dense_look(d, b, k == 0 ? fmin(after + soon, d->s.t1) : after);
    for (i = 0; i < EVENTS; ++i) happens[i] = happens[i] || koppel_event_passes(e, b, i);
  }
  for (i = 0; i < EVENTS; ++i) from[i] = e->side[i];
  koppel_take_sides(e, b);
  for (i = 0; i < EVENTS; ++i) {
    if (happens[i]) e->side[i] = -from[i];
  }
}

/* Looks for events in a step. 1: there are some, `in` is the state just after. */
static int koppel_events_look(koppel_events* e, koppel_event_buffers* b, koppel_dense* d,
                              int* happens) {
  const double part = (d->s.t1 - d->s.t0) / EVENT_PARTS;
  const int num_first = e->is_first ? EVENT_FIRST_PARTS : 0;
  double before = d->s.t0;
  int i, k;
  e->is_first = 0;
  d->is_prepared = 0;
  for (k = 0; k < num_first + EVENT_PARTS; ++k) {
    const int whole = k - num_first + 1;
    const double t = k < num_first          ? d->s.t0 + part * pow(0.25, num_first - k)
                     : whole == EVENT_PARTS ? d->s.t1
                                            : d->s.t0 + part * whole;
    int has_left = 1;
    koppel_dense_look(d, b, t);
    if (k < num_first) {
      koppel_note_leaving(e, b);
    } else {
      memset(e->is_leaving, 0, sizeof e->is_leaving);
    }
    if (koppel_any_event_passes(e, b)) {
      koppel_events_locate(e, b, d, before, t, happens);
      return 1;
    }
    koppel_take_sides(e, b);
    for (i = 0; i < EVENTS; ++i) has_left = has_left && !e->is_leaving[i];
    if (has_left) before = t;
  }
  return 0;
}

/* koppel_accurate_advance with events, which happen on the way. */
static int koppel_events_advance(koppel_events* e, koppel_event_buffers* b, double* in,
                                 double* work, double t_end, double tolerance) {
  koppel_dense d;
  int happens[EVENTS + 1], i, reason = 0;
  memset(&d, 0, sizeof d);
  d.a.in = in;
  d.a.work = work;
  d.ode.n = MODEL_NUM_Y;
  d.ode.rate = koppel_accurate_rate;
  d.ode.arrive = koppel_accurate_arrive;
  d.ode.context = &d.a;
  while (reason == 0 && in[0] < t_end) {
    const int32_t num_tries = d.s.num_tries; /* up to the last event */
    int is_event = 0;
    d.s.y0 = d.a.y[0];
    d.s.y1 = d.a.y[1];
    d.s.stage = d.a.y[2];
    for (i = 0; i < KOPPEL_DOP853_ALL_STAGES; ++i) d.s.k[i] = d.k[i];
    koppel_dop853_init(&d.s, in[0], in[1], tolerance, MODEL_SCALE);
    d.s.num_tries = num_tries;
    memcpy(d.s.y1, in + 2, MODEL_NUM_Y * sizeof(double));
    reason = koppel_accurate_rate(&d.a, in[0], d.s.y1, d.s.k[KOPPEL_DOP853_STAGES]);
    while (reason == 0 && !is_event && d.s.t1 < t_end) {
      reason = koppel_dop853_bounded_step(&d.s, &d.ode, t_end);
      if (reason == 0) is_event = koppel_events_look(e, b, &d, happens);
    }
    if (is_event) {
      in[1] = 0.01 * d.s.h;
      reason = koppel_events_happen(e, b, happens, in);
    } else {
      in[0] = d.s.t1;
      in[1] = d.s.h;
      memcpy(in + 2, d.s.y1, MODEL_NUM_Y * sizeof(double));
    }
  }
  return reason;
}

#endif
