/* A model behind the interface of FMI, whichever version. C99; pasted into FMUs. Nothing here
 * allocates. The file that includes it defines, for its model,
 *
 *   MODEL_NUM_Q, _V, _X, _MULTIPLIERS, _INPUTS, _PARAMETERS, _OUTPUTS, _ROWS   sizes (ROWS: of the
 *                                            constraints of positions and velocities together)
 *   MODEL_WORK, MODEL_STEP                   numbers for `work`; the longest step inside
 *   MODEL_PREPARED                           numbers that functions keep behind `work`
 *   model_start[]                            values of all that stands in `in`
 *   model_advance, model_held, model_project, model_violation, model_outputs
 *                                            straight-line functions (in, out, work)
 *   MODEL_NUM_G, model_row_limit[]           how many rows are positions, and how far each may be
 *                                            violated
 *   MODEL_CONSERVES                          where energy is conserved; then there is
 *   model_energy                             the kinetic and the potential one
 *   MODEL_TOLERANCE                          where steps inside are those of accurate.h, which then
 *                                            stands before, and there is no model_advance
 *   model_directional                        the same, its `in` followed by a direction
 *   model_parameter_kinds[]                  0: can be set before the start; 1: follows from others;
 *                                            2: constant
 *   MODEL_HAS_EVENTS                         where there are events; event_steps.h then stands before
 *   MODEL_HAS_START                          where some can be set; start.h then stands before
 *
 * with one layout of `in` for all:
 *
 *   t, h, q, v, x, multipliers, inputs, parameters
 *
 * A value reference is a place in `in`; outputs follow, and then the rates of q, v, x, and the
 * functions of events.
 *
 * Where an importer's solver makes the steps, model_held are rates that lead back to the constraints
 * at the pace of that solver: h is then about as long as its steps, infinite before the first.
 */
#ifndef KOPPEL_RUNTIME_FMI_MODEL_H
#define KOPPEL_RUNTIME_FMI_MODEL_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum {
  MODEL_Q = 2, /* where it begins in `in` */
  MODEL_NUM_STATES = MODEL_NUM_Q + MODEL_NUM_V + MODEL_NUM_X,
  MODEL_MULTIPLIERS = MODEL_Q + MODEL_NUM_STATES,
  MODEL_INPUTS = MODEL_MULTIPLIERS + MODEL_NUM_MULTIPLIERS,
  MODEL_PARAMETERS = MODEL_INPUTS + MODEL_NUM_INPUTS,
  MODEL_NUM_IN = MODEL_PARAMETERS + MODEL_NUM_PARAMETERS,
  MODEL_NUM_SEEDS = MODEL_NUM_STATES + MODEL_NUM_INPUTS,
  MODEL_OUTPUTS = MODEL_NUM_IN, /* value references */
  MODEL_RATES = MODEL_OUTPUTS + MODEL_NUM_OUTPUTS,
  MODEL_EVENTS = MODEL_RATES + MODEL_NUM_STATES,
#ifdef MODEL_HAS_EVENTS
  MODEL_NUM_EVENTS = EVENTS,
#else
  MODEL_NUM_EVENTS = 0,
#endif
  MODEL_NUM_REFERENCES = MODEL_EVENTS + MODEL_NUM_EVENTS,
  MODEL_NUM_OUT = MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS + MODEL_NUM_OUTPUTS + MODEL_NUM_ROWS +
                  MODEL_NUM_PARAMETERS + 1
};

typedef struct {
#ifdef MODEL_HAS_INPUTS
  double in[MODEL_NUM_IN + MODEL_NUM_SEEDS + INPUT_NUMBERS];
#else
  double in[MODEL_NUM_IN + MODEL_NUM_SEEDS];
#endif
  double outputs[MODEL_NUM_OUTPUTS + 1];
  double rates[MODEL_NUM_STATES + 1];
  int has_outputs, has_rates; /* whether they belong to `in` */
  double pace_since;          /* the importer's solver has made pace_count steps since */
  int pace_count;
  struct {
    double start, kinetic_max, potential_min, potential_max;
    double count; /* of states that were looked at */
    int is_judged;
  } energy;
  int parameters_changed;     /* since the start was assembled */
#ifdef MODEL_HAS_EVENTS
  koppel_events events;
#endif
  int states_set;             /* by the importer, to begin from */
  double tolerance;           /* of the importer; 0: none */
  double stop;                /* infinite where the importer says none */
} koppel_model;

/* A range may be empty: compilers warn of comparisons that say so. */
static int koppel_within(unsigned int reference, unsigned int first, unsigned int end) {
  return first <= reference && reference < end;
}

/* Buffers that are of no meaning between calls. */
typedef struct {
  double out[MODEL_NUM_OUT];
  double work[MODEL_WORK + MODEL_PREPARED + 1]; /* what is prepared stays, zeros at the start */
#ifdef MODEL_HAS_EVENTS
  koppel_event_buffers events;
#endif
} koppel_buffers;

static void koppel_model_changed(koppel_model* m) { m->has_outputs = m->has_rates = 0; }

static void koppel_model_reset(koppel_model* m) {
  memset(m, 0, sizeof *m);
  memcpy(m->in, model_start, MODEL_NUM_IN * sizeof(double));
  m->stop = HUGE_VAL;
}

/* What the importer says about the experiment. Tolerances below round-off are not taken. */
static void koppel_model_experiment(koppel_model* m, int has_tolerance, double tolerance,
                                    double start, int has_stop, double stop) {
  m->tolerance = has_tolerance && tolerance > 0 && tolerance < 1 ? fmax(tolerance, 1e-14) : 0;
  m->stop = has_stop ? stop : HUGE_VAL;
  m->in[0] = start;
  koppel_model_changed(m);
}

/* Why a step cannot be made from t over a length; an empty text where it can. Times may differ by
 * rounding. */
static const char* koppel_why_no_step(const koppel_model* m, double t, double length,
                                      char text[200]) {
  const double rounding = 1e-6 * length + 1e-14 * (fabs(t) + fabs(length));
  text[0] = 0;
  if (!(length > 0)) {
    snprintf(text, 200, "the step must be positive");
  } else if (!(fabs(t - m->in[0]) <= rounding)) {
    snprintf(text, 200, "the step begins at t = %.9g s, but the FMU is at t = %.9g s", t, m->in[0]);
  } else if (t + length > m->stop + rounding) {
    snprintf(text, 200, "the step ends at t = %.9g s, after the stop time %.9g s", t + length,
             m->stop);
  }
  return text;
}

/* A checksum of the bytes of a state and of whose it is [Fowler, Noll & Vo, FNV-1a]. */
static uint64_t koppel_checksum(const char* guid, const void* bytes, size_t size) {
  const unsigned char* at = (const unsigned char*)bytes;
  uint64_t sum = 0xCBF29CE484222325u;
  size_t i;
  for (; *guid != 0; ++guid) sum = (sum ^ (unsigned char)*guid) * 0x100000001B3u;
  for (i = 0; i < size; ++i) sum = (sum ^ at[i]) * 0x100000001B3u;
  return sum;
}

/* Before a solver of the importer's makes steps. */
static void koppel_model_begin_exchange(koppel_model* m) {
  m->in[1] = HUGE_VAL;
  m->pace_since = m->in[0];
  m->pace_count = 0;
  koppel_model_changed(m);
}

/* After each of them. h is twice their mean, and stays so until that is too short or much too long:
 * solvers remember former rates, and changes disturb them. */
static void koppel_model_end_step(koppel_model* m) {
  double mean;
  if (!(m->in[0] > m->pace_since) || ++m->pace_count < 20) return;
  mean = (m->in[0] - m->pace_since) / m->pace_count;
  m->pace_since = m->in[0];
  m->pace_count = 0;
  if (mean <= m->in[1] && mean >= m->in[1] / 16) return;
  m->in[1] = 2 * mean;
  koppel_model_changed(m);
}

/* The largest violation of a constraint; infinite where a value is not finite. */
static double koppel_model_violation(const koppel_model* m, koppel_buffers* b) {
  double largest = 0;
  int i;
  if (MODEL_NUM_ROWS == 0) return 0;
  model_violation(m->in, b->out, b->work);
  if (!koppel_all_finite(b->out, MODEL_NUM_ROWS)) return HUGE_VAL;
  for (i = 0; i < MODEL_NUM_ROWS; ++i) largest = fmax(largest, fabs(b->out[i]));
  return largest;
}

/* Whether constraints have drifted so far in an importer's solver that an event should restore them,
 * although model_held leads back to them. That is far more than its tolerance: events restart it. */
static int koppel_model_has_drifted(const koppel_model* m, koppel_buffers* b) {
  const double limit = m->tolerance > 0 ? fmax(1e4 * m->tolerance, 1e-8) : 1e-2;
  return koppel_model_violation(m, b) >= limit;
}

/* One Newton step onto the constraints, of positions and of velocities. */
static int koppel_model_project(koppel_model* m, koppel_buffers* b) {
  model_project(m->in, b->out, b->work);
  if (!koppel_all_finite(b->out, MODEL_NUM_Q + MODEL_NUM_V)) return 1;
  memcpy(m->in + MODEL_Q, b->out, (MODEL_NUM_Q + MODEL_NUM_V) * sizeof(double));
  koppel_model_changed(m);
  return 0;
}

/* The consistent start near the one that is set. 0: found. Before a run, so iteration is allowed. */
static int koppel_model_assemble(koppel_model* m, koppel_buffers* b) {
  int k;
  for (k = 0; k < 50; ++k) {
    if (koppel_model_violation(m, b) < 1e-10) return 0;
    if (koppel_model_project(m, b) != 0) return 1;
  }
  return 1;
}

enum {
  KOPPEL_NOT_FINITE = 1,
  KOPPEL_NOT_ACCURATE,
  KOPPEL_TOO_MANY_STEPS,
  KOPPEL_VIOLATED,
  KOPPEL_ENERGY_OFF,
  KOPPEL_FIRST_OF_EVENTS = 101 /* reasons of events.h from here */
};

#ifdef MODEL_CONSERVES
/* After the k-th step energy is known to 1/k of what moved only, where it starts from rest. */
static int koppel_model_judge_energy(koppel_model* m, koppel_buffers* b) {
  const double limit = 1e-2 * (1 + 100 / (m->energy.count + 1));
  double kinetic, potential, moved;
  model_energy(m->in, b->out, b->work);
  kinetic = b->out[0];
  potential = b->out[1];
  if (m->energy.count == 0) {
    m->energy.start = kinetic + potential;
    m->energy.potential_min = m->energy.potential_max = potential;
  }
  m->energy.count += 1;
  m->energy.kinetic_max = fmax(m->energy.kinetic_max, kinetic);
  m->energy.potential_min = fmin(m->energy.potential_min, potential);
  m->energy.potential_max = fmax(m->energy.potential_max, potential);
  moved = fmax(m->energy.kinetic_max, m->energy.potential_max - m->energy.potential_min);
  return fabs(kinetic + potential - m->energy.start) <= limit * moved ? 0 : KOPPEL_ENERGY_OFF;
}
#endif

/* Whether constraints and energy are within their bounds: 0, or what is not. */
static int koppel_model_judge(koppel_model* m, koppel_buffers* b) {
#if MODEL_NUM_G > 0
  int i;
  model_violation(m->in, b->out, b->work);
  for (i = 0; i < MODEL_NUM_G; ++i) {
    if (!(fabs(b->out[i]) <= model_row_limit[i])) return KOPPEL_VIOLATED;
  }
#endif
#ifdef MODEL_CONSERVES
  if (m->energy.is_judged) return koppel_model_judge_energy(m, b);
#endif
  (void)m, (void)b;
  return 0;
}

/* Before the first step of ours. Other parameters, such as a damper's, may take energy. */
static void koppel_model_begin_steps(koppel_model* m, koppel_buffers* b) {
  memset(&m->energy, 0, sizeof m->energy);
  m->energy.is_judged = memcmp(m->in + MODEL_PARAMETERS, model_start + MODEL_PARAMETERS,
                               MODEL_NUM_PARAMETERS * sizeof(double)) == 0;
  koppel_model_judge(m, b);
}

static const char* koppel_model_reason(int reason) {
#ifdef MODEL_HAS_EVENTS
  if (reason >= KOPPEL_FIRST_OF_EVENTS) return koppel_why_no_event(reason);
#endif
  switch (reason) {
    case KOPPEL_NOT_ACCURATE:
      return "the tolerance cannot be met, however small the step: the motion may not be smooth "
             "here, or not exist further";
    case KOPPEL_TOO_MANY_STEPS:
      return "too many inner steps would be needed: the motion switches back and forth, as where "
             "friction by sign(v) sticks, or is too fast for a step of this length";
    case KOPPEL_VIOLATED:
      return "a constraint is violated by more than 0.1 % of the mechanism's size: the step is too "
             "long for this motion";
    case KOPPEL_ENERGY_OFF:
      return "the energy is off by more than 1 % of what moved, and nothing gave or took it: the "
             "step is too long for this motion";
    default:
      return "a value would not be finite: the motion is unstable at this step, or a matrix is "
             "singular";
  }
}

#ifdef MODEL_HAS_START
/* Parameters that follow from others, after a change. */
static void koppel_model_derive(koppel_model* m, koppel_buffers* b) {
  if (m->parameters_changed) koppel_start_derive(m->in, b->out, b->work);
}
/* The start for parameters that were changed: from the model's initial values, or from states that
 * the importer has set. 0: found; else the reason, of start.h. */
static int koppel_model_start(koppel_model* m, koppel_buffers* b, koppel_start* room) {
  int reason;
  if (!m->parameters_changed) return 0;
  koppel_model_changed(m);
  koppel_model_derive(m, b);
  m->parameters_changed = 0;
  if (m->states_set) return koppel_model_assemble(m, b) != 0 ? KOPPEL_NO_POSITIONS : 0;
  memcpy(m->in + MODEL_Q, model_start + MODEL_Q, MODEL_NUM_STATES * sizeof(double));
  reason = koppel_start_assemble(room, m->in);
  if (reason != 0) m->parameters_changed = 1;
  return reason;
}
#endif

static const char* koppel_why_no_start(int reason) {
#ifdef MODEL_HAS_START
  if (reason == KOPPEL_OTHER_RANK) {
    return "with these parameters other constraints are independent than when the FMU was written: "
           "write it with these values";
  }
#endif
  (void)reason;
  return "no consistent start is near the one that is set: constraints cannot be satisfied with "
         "these parameters and states";
}

/* Whether the step was not taken to its end: the importer may try a shorter one. */
static int koppel_model_stops(int reason) { return reason != 0 && reason < KOPPEL_VIOLATED; }

/* Whether the reason is an event that ends the run. */
static int koppel_model_ends(int reason) {
#ifdef MODEL_HAS_EVENTS
  return reason == KOPPEL_EVENT_STOPS;
#else
  return reason == KOPPEL_FIRST_OF_EVENTS;
#endif
}

/* Events of Model Exchange. */

/* At the start, and where the importer's solver has stopped: 0: nothing happens; 1: states or
 * parameters have changed; else the reason why what happens cannot. */
static int koppel_model_meet_events(koppel_model* m, koppel_buffers* b) {
#ifdef MODEL_HAS_EVENTS
  const int what = koppel_events_update(&m->events, &b->events, m->in);
  if (what != 0) koppel_model_changed(m);
  return what;
#else
  (void)m, (void)b;
  return 0;
#endif
}
static void koppel_model_begin_events(koppel_model* m, koppel_buffers* b) {
#ifdef MODEL_HAS_EVENTS
  koppel_events_begin(&m->events, &b->events, m->in);
#else
  (void)m, (void)b;
#endif
}
/* After a step of the importer's solver: whether an event has been passed. */
static int koppel_model_has_event(koppel_model* m, koppel_buffers* b) {
#ifdef MODEL_HAS_EVENTS
  koppel_event_values(&b->events, m->in);
  koppel_note_leaving(&m->events, &b->events);
  return koppel_any_event_passes(&m->events, &b->events);
#else
  (void)m, (void)b;
  return 0;
#endif
}
static void koppel_model_indicators(koppel_model* m, koppel_buffers* b, double* out) {
#ifdef MODEL_HAS_EVENTS
  int i;
  koppel_event_values(&b->events, m->in);
  for (i = 0; i < EVENTS; ++i) out[i] = koppel_event_indicator(&m->events, &b->events, i);
#else
  (void)m, (void)b, (void)out;
#endif
}

/* 0: set; 1: there is no such input, or no such order. */
#ifdef __GNUC__
__attribute__((unused)) /* in FMI 3 */
#endif
static int
koppel_model_set_derivative(koppel_model* m, unsigned int reference, int order, double value) {
#ifdef MODEL_HAS_INPUTS
  return koppel_set_input_derivative(m->in, reference, order, value);
#else
  (void)m, (void)reference, (void)order, (void)value;
  return 1;
#endif
}

#ifndef MODEL_TOLERANCE
/* Inputs have the values at t, where they have derivatives. */
static void koppel_model_inputs_at(koppel_model* m, double t) {
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_at(m->in, t);
#else
  (void)m, (void)t;
#endif
}
#endif

/* From t over a length of time, in equal steps not longer than MODEL_STEP, or in accurate ones.
 * 0: done; else the reason, and in[0] is the time reached. */
static int koppel_model_advance(koppel_model* m, koppel_buffers* b, double t, double length) {
#ifdef MODEL_TOLERANCE
  int failed;
  m->in[0] = t;
#ifdef MODEL_HAS_EVENTS
  failed = koppel_events_advance(&m->events, &b->events, m->in, b->work, t + length,
                                 m->tolerance > 0 ? m->tolerance : MODEL_TOLERANCE);
#else
  failed = koppel_accurate_advance(m->in, b->work, t + length,
                                   m->tolerance > 0 ? m->tolerance : MODEL_TOLERANCE);
#endif
  koppel_model_changed(m);
  if (failed >= KOPPEL_FIRST_OF_EVENTS) return failed;
  if (failed == KOPPEL_TOO_ROUGH) return KOPPEL_NOT_ACCURATE;
  if (failed == KOPPEL_TOO_MANY_TRIES) return KOPPEL_TOO_MANY_STEPS;
  return failed != 0 ? KOPPEL_NOT_FINITE : koppel_model_judge(m, b);
#else
  const double wanted = length / MODEL_STEP;
  long count = (long)ceil(wanted * (1 - 1e-9)), k;
  double h;
  if (count < 1) count = 1;
  /* A whole number of steps but for rounding is taken to be one. */
  h = fabs(wanted - (double)count) < 1e-9 * (double)count ? MODEL_STEP : length / (double)count;
  for (k = 0; k < count; ++k) {
    m->in[0] = t + (double)k * h;
    m->in[1] = h;
    koppel_model_inputs_at(m, m->in[0] + 0.5 * h); /* held over the step */
    model_advance(m->in, b->out, b->work);
    if (!koppel_all_finite(b->out, MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS)) {
      return KOPPEL_NOT_FINITE;
    }
    memcpy(m->in + MODEL_Q, b->out,
           (MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS) * sizeof(double));
    koppel_model_changed(m);
  }
  m->in[0] = t + length;
  return koppel_model_judge(m, b);
#endif
}

/* The same with inputs that may have derivatives. */
static int koppel_model_step(koppel_model* m, koppel_buffers* b, double t, double length) {
  int reason;
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_begin(m->in, t);
#endif
  reason = koppel_model_advance(m, b, t, length);
#ifdef MODEL_HAS_INPUTS
  koppel_inputs_end(m->in, m->in[0]);
  koppel_model_changed(m);
#endif
  return reason;
}

static void koppel_model_find_outputs(koppel_model* m, koppel_buffers* b) {
  if (m->has_outputs) return;
  model_outputs(m->in, m->outputs, b->work);
  m->has_outputs = 1;
}

/* 0: done; 1: a rate is not finite. */
static int koppel_model_find_rates(koppel_model* m, koppel_buffers* b) {
  if (!m->has_rates) {
    model_held(m->in, m->rates, b->work);
    m->has_rates = 1;
  }
  return koppel_all_finite(m->rates, MODEL_NUM_STATES) ? 0 : 1;
}

/* 0: done; 1: no such value. */
static int koppel_model_get(koppel_model* m, koppel_buffers* b, unsigned int reference,
                            double* value) {
  if (reference < MODEL_OUTPUTS) {
#ifdef MODEL_HAS_START
    if (reference >= MODEL_PARAMETERS) koppel_model_derive(m, b);
#endif
    *value = m->in[reference];
  } else if (reference < MODEL_RATES) {
    koppel_model_find_outputs(m, b);
    *value = m->outputs[reference - MODEL_OUTPUTS];
  } else if (reference < MODEL_EVENTS) {
    koppel_model_find_rates(m, b);
    *value = m->rates[reference - MODEL_RATES];
#ifdef MODEL_HAS_EVENTS
  } else if (reference < MODEL_NUM_REFERENCES) {
    koppel_event_values(&b->events, m->in);
    *value = b->events.values[reference - MODEL_EVENTS];
#endif
  } else {
    return 1;
  }
  return 0;
}

#define KOPPEL_NOT_TO_SET "a parameter that follows from others, or is constant, cannot be set"

/* States, inputs and parameters can be set. 1: no such value; 2: it follows from others. */
static int koppel_model_set(koppel_model* m, unsigned int reference, double value) {
  if (reference < MODEL_Q || reference >= MODEL_NUM_IN) return 1;
  if (reference >= MODEL_PARAMETERS) {
    if (model_parameter_kinds[reference - MODEL_PARAMETERS] != 0) return 2;
    if (m->in[reference] != value) m->parameters_changed = 1;
  } else if (reference < MODEL_INPUTS && m->in[reference] != value) {
    m->states_set = 1;
  }
  m->in[reference] = value;
  koppel_model_changed(m);
  return 0;
}

/* The derivatives of rates and outputs along a direction in states and inputs. 1: a reference is
 * not of that kind. */
static int koppel_model_directional(koppel_model* m, koppel_buffers* b, const unsigned int* unknowns,
                                    size_t num_unknowns, const unsigned int* knowns,
                                    size_t num_knowns, const double* direction, double* result) {
  double* seeds = m->in + MODEL_NUM_IN;
  size_t i;
  memset(seeds, 0, MODEL_NUM_SEEDS * sizeof(double));
  for (i = 0; i < num_knowns; ++i) {
    const unsigned int k = knowns[i];
    if (koppel_within(k, MODEL_Q, MODEL_MULTIPLIERS)) {
      seeds[k - MODEL_Q] = direction[i];
    } else if (koppel_within(k, MODEL_INPUTS, MODEL_PARAMETERS)) {
      seeds[MODEL_NUM_STATES + k - MODEL_INPUTS] = direction[i];
    } else {
      return 1;
    }
  }
  model_directional(m->in, b->out, b->work);
  for (i = 0; i < num_unknowns; ++i) {
    const unsigned int k = unknowns[i];
    if (koppel_within(k, MODEL_RATES, MODEL_EVENTS)) {
      result[i] = b->out[k - MODEL_RATES];
    } else if (koppel_within(k, MODEL_OUTPUTS, MODEL_RATES)) {
      result[i] = b->out[MODEL_NUM_STATES + k - MODEL_OUTPUTS];
    } else {
      return 1;
    }
  }
  return 0;
}

#endif
