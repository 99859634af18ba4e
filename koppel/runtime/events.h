/* Events of a model in an FMU: what happens when functions pass through zero, in the steps of
 * accurate.h and in the event mode of Model Exchange [event_watch.cpp, happen.cpp, impulse.cpp].
 * C99; pasted into FMUs behind least_squares.h and accurate.h. No allocation. The file that
 * includes it defines, for its model,
 *
 *   EVENTS, EVENT_CHANGES, EVENT_ROWS          numbers of events, of changes, of all constraints
 *   EVENT_OUT, EVENT_WORK                      what the functions give and need at most
 *   event_directions[]                         -1: counts when falling; 1: rising; 0: both
 *   event_stops[], event_impacts[], event_has_impulse[]
 *   event_change_of[], event_change_place[]    the event of a change, and its parameter's place in
 * `in` EVENT_END                                  the length of a run, in seconds
 *   model_event_values     (in, out, work)     the functions
 *   model_event_rates      (in, out, work)     their rates along the motion
 *   model_event_effects    (in, out, work)     rates for v' = 0, restitutions, changes; entries of
 *                                              their Jacobian by v, generalised impulses
 *   model_event_masses     (in, out, work)     entries of M and of C, then C v + c, then g
 *   event_rates_at[][2], event_impulses_at[][2], event_masses_at[][2], event_constraints_at[][2]
 */
#ifndef KOPPEL_RUNTIME_EVENTS_H
#define KOPPEL_RUNTIME_EVENTS_H

enum {
  EVENT_SADDLE = MODEL_NUM_V + EVENT_ROWS,
  EVENT_MANY = 100,      /* so many within a millionth of a run are no end of it */
  EVENT_PARTS = 8,       /* of a step, at whose ends one looks */
  EVENT_FIRST_PARTS = 16 /* of the first of these after a start, which may be an impact */
};

enum {
  KOPPEL_EVENT_STOPS = 101,
  KOPPEL_EVENT_DISAGREES,
  KOPPEL_EVENT_OPENS,
  KOPPEL_EVENT_REPEATS,
  KOPPEL_EVENT_IS_STUCK
};

static const char* koppel_why_no_event(int reason) {
  switch (reason) {
    case KOPPEL_EVENT_STOPS: return "an event ends the run";
    case KOPPEL_EVENT_DISAGREES:
      return "events that happen together set a parameter to different values";
    case KOPPEL_EVENT_OPENS:
      return "an event changes what a constraint holds; a position cannot jump";
    case KOPPEL_EVENT_REPEATS:
      return "an event happens again and again: the impacts come to rest, and lasting contact is "
             "not modelled; let the event stop the run, or use a contact force instead";
    default: return "no motion that the constraints allow leads away from an event";
  }
}

/* What is remembered from one moment to the next. */
typedef struct {
  int side[EVENTS + 1], is_leaving[EVENTS + 1];
  int is_first;             /* a start or an event lies just behind */
  double times[EVENT_MANY]; /* of the last events */
  int count;
} koppel_events;

/* Buffers that are of no meaning between calls. */
typedef struct {
  double values[EVENTS + 1], rates[EVENTS + 1], out[EVENT_OUT + 1];
  double M[MODEL_NUM_V * MODEL_NUM_V + 1], C[EVENT_ROWS * MODEL_NUM_V + 1];
  double rate[EVENT_ROWS + 1], g[EVENT_ROWS + 1], J[EVENTS * MODEL_NUM_V + 1];
  double saddle[EVENT_SADDLE * EVENT_SADDLE + 1], right[EVENT_SADDLE + 1], jump[EVENT_SADDLE + 1];
  double jumps[EVENTS * MODEL_NUM_V + 1], W[EVENTS * EVENTS + 1], part[EVENTS * EVENTS + 1];
  double P[EVENTS + 1], b[EVENTS + 1], mobility[EVENTS + 1], y[EVENTS + 1], force[MODEL_NUM_V + 1];
  double room_j[EVENT_SADDLE * EVENT_SADDLE + EVENTS * EVENTS + 1],
      factor[2 * (EVENT_SADDLE + EVENTS)];
  double diagonal[2 * (EVENT_SADDLE + EVENTS)], z[EVENT_SADDLE + EVENTS];
  int order[EVENT_SADDLE + EVENTS];
  double work[EVENT_WORK + 1];
} koppel_event_buffers;

static int koppel_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

static void koppel_event_values(koppel_event_buffers* b, const double* in) {
  model_event_values(in, b->values, b->work);
}

/* Sides at the start [find_sides]. */
static void koppel_events_begin(koppel_events* e, koppel_event_buffers* b, const double* in) {
  int i;
  memset(e, 0, sizeof *e);
  koppel_event_values(b, in);
  for (i = 0; i < EVENTS; ++i) {
    const int is_zero = fabs(b->values[i]) < 1e-10;
    e->side[i] = koppel_sign(b->values[i]);
    if (is_zero && event_impacts[i] && event_directions[i] != 0) e->side[i] = -event_directions[i];
    e->is_leaving[i] = koppel_sign(b->values[i]) != e->side[i];
  }
  e->is_first = 1;
}

/* Whether an event passes with the values that were evaluated last. */
static int koppel_event_passes(const koppel_events* e, const koppel_event_buffers* b, int i) {
  const int now = koppel_sign(b->values[i]);
  if (now == 0 || e->side[i] == 0 || now == e->side[i] || e->is_leaving[i]) return 0;
  return event_directions[i] == 0 || event_directions[i] == now;
}
static int koppel_any_event_passes(const koppel_events* e, const koppel_event_buffers* b) {
  int i;
  for (i = 0; i < EVENTS; ++i) {
    if (koppel_event_passes(e, b, i)) return 1;
  }
  return 0;
}
static void koppel_take_sides(koppel_events* e, const koppel_event_buffers* b) {
  int i;
  for (i = 0; i < EVENTS; ++i) {
    const int now = koppel_sign(b->values[i]);
    if (now != 0 && !e->is_leaving[i]) e->side[i] = now;
  }
}
static void koppel_note_leaving(koppel_events* e, const koppel_event_buffers* b) {
  int i;
  for (i = 0; i < EVENTS; ++i) {
    if (koppel_sign(b->values[i]) == e->side[i]) e->is_leaving[i] = 0;
  }
}

/* M, C, C v + c and g at `in`. */
static void koppel_event_masses(koppel_event_buffers* b, const double* in) {
  const double* at = b->out;
  int k;
  model_event_masses(in, b->out, b->work);
  memset(b->M, 0, sizeof b->M);
  memset(b->C, 0, sizeof b->C);
  for (k = 0; k < EVENT_MASSES_COUNT; ++k) {
    b->M[event_masses_at[k][0] * MODEL_NUM_V + event_masses_at[k][1]] = *at++;
  }
  for (k = 0; k < EVENT_CONSTRAINTS_COUNT; ++k) {
    b->C[event_constraints_at[k][0] * MODEL_NUM_V + event_constraints_at[k][1]] = *at++;
  }
  for (k = 0; k < EVENT_ROWS; ++k) b->rate[k] = *at++;
  for (k = 0; k < EVENT_G; ++k) b->g[k] = *at++;
}

static koppel_room koppel_event_room(koppel_event_buffers* b) {
  koppel_room room;
  room.a = 0;
  room.j = b->room_j;
  room.factor = b->factor;
  room.diagonal = b->diagonal;
  room.z = b->z;
  room.order = b->order;
  return room;
}

/* [M C^T; C 0] (dv, L) = (force, below), rows and columns scaled by the roots of masses. C may be
 * left out. dv is in b->jump. */
static void koppel_event_jump(koppel_event_buffers* b, const double* force, const double* below,
                              int with_constraints) {
  const koppel_room room = koppel_event_room(b);
  const int n = MODEL_NUM_V, m = with_constraints ? EVENT_ROWS : 0, all = n + m;
  double top = 0, scale[EVENT_SADDLE + 1];
  int i, j;
  for (i = 0; i < n; ++i) top = fmax(top, fabs(b->M[i * n + i]));
  if (!(top > 0)) top = 1;
  for (i = 0; i < n; ++i) scale[i] = 1 / sqrt(fmax(fabs(b->M[i * n + i]), 1e-12 * top));
  for (i = 0; i < m; ++i) {
    double size = 0;
    for (j = 0; j < n; ++j) size += b->C[i * n + j] * scale[j] * b->C[i * n + j] * scale[j];
    scale[n + i] = size > 0 ? 1 / sqrt(size) : 1;
  }
  memset(b->saddle, 0, sizeof b->saddle);
  for (i = 0; i < n; ++i) {
    for (j = 0; j < n; ++j) b->saddle[i * all + j] = scale[i] * b->M[i * n + j] * scale[j];
    for (j = 0; j < m; ++j) {
      const double c = scale[i] * b->C[j * n + i] * scale[n + j];
      b->saddle[i * all + n + j] = b->saddle[(n + j) * all + i] = c;
    }
  }
  for (i = 0; i < n; ++i) b->right[i] = scale[i] * (force == 0 ? 0 : force[i]);
  for (i = 0; i < m; ++i) b->right[n + i] = scale[n + i] * (below == 0 ? 0 : below[i]);
  koppel_solve_least_squares(&room, all, 0, 0, 0, all, b->saddle, b->right, b->jump);
  for (i = 0; i < n; ++i) b->jump[i] *= scale[i];
}

/* 0 <= P, 0 <= W P + b, P (W P + b) = 0 for the first n; 0: solved [solve_complementarity]. */
static int koppel_event_complementarity(koppel_event_buffers* s, int n) {
  const koppel_room room = koppel_event_room(s);
  double size = 0;
  int acts[EVENTS + 1] = {0}, some[EVENTS + 1], count, i, j, k;
  for (i = 0; i < n; ++i) {
    size = fmax(size, fabs(s->b[i]));
    s->P[i] = 0;
  }
  for (k = 0; k < 100 * n; ++k) {
    double largest = 0, worst = 0;
    int change = -1;
    for (i = 0; i < n; ++i) largest = fmax(largest, fabs(s->P[i]));
    for (i = 0; i < n; ++i) {
      double w = s->b[i];
      for (j = 0; j < n; ++j) w += s->W[i * EVENTS + j] * s->P[j];
      worst = fmin(worst, w);
      if (change < 0 && (acts[i] ? s->P[i] < -1e-9 * largest : w < -1e-9 * size)) change = i;
    }
    if (change < 0) return worst >= -1e-6 * size ? 0 : 1;
    if (!acts[change] && !(s->W[change * EVENTS + change] > 1e-12 * s->mobility[change])) return 1;
    acts[change] = !acts[change];
    for (i = 0, count = 0; i < n; ++i) {
      s->P[i] = 0;
      if (acts[i]) some[count++] = i;
    }
    for (i = 0; i < count; ++i) {
      s->right[i] = -s->b[some[i]];
      for (j = 0; j < count; ++j) s->part[i * count + j] = s->W[some[i] * EVENTS + some[j]];
    }
    if (count > 0) {
      koppel_solve_least_squares(&room, count, 0, 0, 0, count, s->part, s->right, s->y);
    }
    for (i = 0; i < count; ++i) s->P[some[i]] = s->y[i];
  }
  return 1;
}

/* Velocities after the impacts among the events that happen. 0: done. */
static int koppel_event_impacts(koppel_event_buffers* b, const int* happens, double* v) {
  int which[EVENTS + 1], n = 0, i, j, k;
  for (i = 0; i < EVENTS; ++i) {
    if (happens[i] && event_impacts[i]) which[n++] = i;
  }
  if (n == 0) return 0;
  for (i = 0; i < n; ++i) {
    double* row = b->J + which[i] * MODEL_NUM_V;
    double before = b->out[which[i]];
    if (before > 0) {
      before = -before;
      for (k = 0; k < MODEL_NUM_V; ++k) row[k] = -row[k];
    }
    b->b[i] = before * (1 + b->out[EVENTS + which[i]]);
    koppel_event_jump(b, row, 0, 0);
    for (k = 0, b->mobility[i] = 0; k < MODEL_NUM_V; ++k) b->mobility[i] += row[k] * b->jump[k];
    koppel_event_jump(b, row, 0, 1);
    memcpy(b->jumps + i * MODEL_NUM_V, b->jump, MODEL_NUM_V * sizeof(double));
  }
  for (i = 0; i < n; ++i) {
    for (j = 0; j < n; ++j) {
      double sum = 0;
      for (k = 0; k < MODEL_NUM_V; ++k) {
        sum += b->J[which[i] * MODEL_NUM_V + k] * b->jumps[j * MODEL_NUM_V + k];
      }
      b->W[i * EVENTS + j] = sum;
    }
  }
  if (koppel_event_complementarity(b, n) != 0) return 1;
  for (j = 0; j < n; ++j) {
    for (k = 0; k < MODEL_NUM_V; ++k) v[k] += b->jumps[j * MODEL_NUM_V + k] * b->P[j];
  }
  return 0;
}

/* Changes of parameters: constraints that they move must not open, velocities follow. 0: done. */
static int koppel_event_changes(koppel_event_buffers* b, const double* effects, const int* happens,
                                double* in) {
  double g[EVENT_ROWS + 1], value[EVENT_CHANGES + 1], size = 1, *v = in + 2 + MODEL_NUM_Q;
  int i, j, any = 0;
  memcpy(value, effects, EVENT_CHANGES * sizeof(double));
  for (i = 0; i < EVENT_CHANGES; ++i) {
    if (!happens[event_change_of[i]]) continue;
    any = 1;
    for (j = 0; j < i; ++j) {
      if (!happens[event_change_of[j]] || event_change_place[j] != event_change_place[i]) continue;
      if (value[j] == value[i]) continue;
      return KOPPEL_EVENT_DISAGREES;
    }
  }
  if (!any) return 0;
  koppel_event_masses(b, in);
  memcpy(g, b->g, EVENT_G * sizeof(double));
  for (i = 0; i < EVENT_CHANGES; ++i) {
    if (happens[event_change_of[i]]) in[event_change_place[i]] = value[i];
  }
  koppel_event_masses(b, in);
  for (i = 0; i < MODEL_NUM_Q; ++i) size = fmax(size, fabs(in[2 + i]));
  for (i = 0; i < EVENT_G; ++i) {
    if (!(fabs(b->g[i] - g[i]) <= 1e-9 * size)) return KOPPEL_EVENT_OPENS;
  }
  if (EVENT_ROWS == 0) return 0;
  for (i = 0; i < EVENT_ROWS; ++i) b->rate[i] = -b->rate[i];
  koppel_event_jump(b, 0, b->rate, 1);
  for (i = 0; i < MODEL_NUM_V; ++i) v[i] += b->jump[i];
  return 0;
}

/* What the events do, all from the state before; sides are those after. 0: done; else a reason. */
static int koppel_events_happen(koppel_events* e, koppel_event_buffers* b, const int* happens,
                                double* in) {
  double effects[2 * EVENTS + EVENT_CHANGES + 1], *v = in + 2 + MODEL_NUM_Q;
  int i, k, reason, stops = 0, has_impulse = 0;
  const double* entries;
  for (i = 0; i < EVENTS; ++i) {
    if (!happens[i]) continue;
    stops = stops || event_stops[i];
    has_impulse = has_impulse || event_has_impulse[i];
    if (e->count >= EVENT_MANY && !event_stops[i] &&
        in[0] - e->times[e->count % EVENT_MANY] < 1e-6 * EVENT_END) {
      return KOPPEL_EVENT_REPEATS;
    }
    e->times[e->count++ % EVENT_MANY] = in[0];
  }
  e->is_first = 1;
  if (stops) return KOPPEL_EVENT_STOPS;
  koppel_event_masses(b, in);
  model_event_effects(in, b->out, b->work);
  memcpy(effects, b->out, sizeof effects - sizeof(double));
  entries = b->out + 2 * EVENTS + EVENT_CHANGES;
  memset(b->J, 0, sizeof b->J);
  for (k = 0; k < EVENT_RATES_COUNT; ++k) {
    b->J[event_rates_at[k][0] * MODEL_NUM_V + event_rates_at[k][1]] = *entries++;
  }
  memset(b->force, 0, sizeof b->force);
  for (k = 0; k < EVENT_IMPULSES_COUNT; ++k, ++entries) {
    if (happens[event_impulses_at[k][0]]) b->force[event_impulses_at[k][1]] += *entries;
  }
  if (koppel_event_impacts(b, happens, v) != 0) return KOPPEL_EVENT_IS_STUCK;
  if (has_impulse) {
    koppel_event_jump(b, b->force, 0, 1);
    for (i = 0; i < MODEL_NUM_V; ++i) v[i] += b->jump[i];
  }
  reason = koppel_event_changes(b, effects + 2 * EVENTS, happens, in);
  if (reason != 0) return reason;
  /* An impact turns back to the side it came from. */
  koppel_event_values(b, in);
  for (i = 0; i < EVENTS; ++i) {
    if (happens[i] && event_impacts[i]) e->side[i] = -e->side[i];
    e->is_leaving[i] = koppel_sign(b->values[i]) != e->side[i];
  }
  return 0;
}

/* Event mode of Model Exchange. The importer's solver may stop a little before the passage: what
 * is near zero and moves on to it happens, too. 1: velocities or parameters may have changed; 0:
 * nothing happened; else a reason. */
static int koppel_events_update(koppel_events* e, koppel_event_buffers* b, double* in) {
  int happens[EVENTS + 1] = {0}, from[EVENTS + 1], any = 0, i, reason;
  koppel_event_values(b, in);
  model_event_rates(in, b->rates, b->work);
  koppel_note_leaving(e, b);
  for (i = 0; i < EVENTS; ++i) {
    const double value = b->values[i], rate = b->rates[i];
    const int to = -e->side[i];
    const int is_near = to != 0 && fabs(value) <= 1e-7 * fmax(1, fabs(rate)) && rate * to > 0 &&
                        (event_directions[i] == 0 || event_directions[i] == to);
    happens[i] = koppel_event_passes(e, b, i) || is_near;
    any = any || happens[i];
  }
  for (i = 0; i < EVENTS; ++i) from[i] = e->side[i];
  koppel_take_sides(e, b);
  for (i = 0; i < EVENTS; ++i) {
    if (happens[i]) e->side[i] = -from[i];
  }
  if (!any) return 0;
  reason = koppel_events_happen(e, b, happens, in);
  return reason == 0 ? 1 : reason;
}

/* An indicator: the function, but on its own side as long as it leaves an impact. */
static double koppel_event_indicator(const koppel_events* e, const koppel_event_buffers* b, int i) {
  if (!e->is_leaving[i] || e->side[i] == 0) return b->values[i];
  return e->side[i] * fmax(fabs(b->values[i]), 1e-300);
}

#endif
