/* A model behind the interface of FMI, whichever version. C99; pasted into FMUs. Nothing here
 * allocates. The file that includes it defines, for its model,
 *
 *   MODEL_NUM_Q, _V, _X, _MULTIPLIERS, _INPUTS, _PARAMETERS, _OUTPUTS, _ROWS   sizes (ROWS: of the
 *                                            constraints of positions and velocities together)
 *   MODEL_WORK, MODEL_STEP                   numbers for `work`; the longest step inside
 *   model_start[]                            values of all that stands in `in`
 *   model_advance, model_rates, model_project, model_violation, model_outputs
 *                                            straight-line functions (in, out, work)
 *   MODEL_TOLERANCE                          where steps inside are those of accurate.h, which then
 *                                            stands before, and there is no model_advance
 *   model_directional                        the same, its `in` followed by a direction
 *
 * with one layout of `in` for all:
 *
 *   t, h, q, v, x, multipliers, inputs, parameters
 *
 * A value reference is a place in `in`; outputs follow, and then the rates of q, v, x.
 */
#ifndef KOPPEL_RUNTIME_FMI_MODEL_H
#define KOPPEL_RUNTIME_FMI_MODEL_H

#include <math.h>
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
  MODEL_NUM_REFERENCES = MODEL_RATES + MODEL_NUM_STATES,
  MODEL_NUM_OUT = MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS + MODEL_NUM_OUTPUTS + MODEL_NUM_ROWS + 1
};

typedef struct {
  double in[MODEL_NUM_IN + MODEL_NUM_SEEDS];
  double outputs[MODEL_NUM_OUTPUTS + 1];
  double rates[MODEL_NUM_STATES + 1];
  int has_outputs, has_rates; /* whether they belong to `in` */
} koppel_model;

/* Buffers that are of no meaning between calls. */
typedef struct {
  double out[MODEL_NUM_OUT];
  double work[MODEL_WORK + 1];
} koppel_buffers;

static void koppel_model_changed(koppel_model* m) { m->has_outputs = m->has_rates = 0; }

static void koppel_model_reset(koppel_model* m) {
  memset(m, 0, sizeof *m);
  memcpy(m->in, model_start, MODEL_NUM_IN * sizeof(double));
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

/* From t over a length of time, in equal steps not longer than MODEL_STEP, or in accurate ones.
 * 0: done; else in[0] is the time reached. */
static int koppel_model_step(koppel_model* m, koppel_buffers* b, double t, double length) {
#ifdef MODEL_TOLERANCE
  int failed;
  m->in[0] = t;
  failed = koppel_accurate_advance(m->in, b->work, t + length);
  koppel_model_changed(m);
  return failed != 0;
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
    model_advance(m->in, b->out, b->work);
    if (!koppel_all_finite(b->out, MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS)) return 1;
    memcpy(m->in + MODEL_Q, b->out,
           (MODEL_NUM_STATES + MODEL_NUM_MULTIPLIERS) * sizeof(double));
    koppel_model_changed(m);
  }
  m->in[0] = t + length;
  return 0;
#endif
}

static void koppel_model_find_outputs(koppel_model* m, koppel_buffers* b) {
  if (m->has_outputs) return;
  model_outputs(m->in, m->outputs, b->work);
  m->has_outputs = 1;
}

/* 0: done; 1: a rate is not finite. */
static int koppel_model_find_rates(koppel_model* m, koppel_buffers* b) {
  if (!m->has_rates) {
    model_rates(m->in, m->rates, b->work);
    m->has_rates = 1;
  }
  return koppel_all_finite(m->rates, MODEL_NUM_STATES) ? 0 : 1;
}

/* 0: done; 1: no such value. */
static int koppel_model_get(koppel_model* m, koppel_buffers* b, unsigned int reference,
                            double* value) {
  if (reference < MODEL_OUTPUTS) {
    *value = m->in[reference];
  } else if (reference < MODEL_RATES) {
    koppel_model_find_outputs(m, b);
    *value = m->outputs[reference - MODEL_OUTPUTS];
  } else if (reference < MODEL_NUM_REFERENCES) {
    koppel_model_find_rates(m, b);
    *value = m->rates[reference - MODEL_RATES];
  } else {
    return 1;
  }
  return 0;
}

/* States, inputs and parameters can be set. */
static int koppel_model_set(koppel_model* m, unsigned int reference, double value) {
  if (reference < MODEL_Q || reference >= MODEL_NUM_IN) return 1;
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
    if (k >= MODEL_Q && k < MODEL_MULTIPLIERS) {
      seeds[k - MODEL_Q] = direction[i];
    } else if (k >= MODEL_INPUTS && k < MODEL_PARAMETERS) {
      seeds[MODEL_NUM_STATES + k - MODEL_INPUTS] = direction[i];
    } else {
      return 1;
    }
  }
  model_directional(m->in, b->out, b->work);
  for (i = 0; i < num_unknowns; ++i) {
    const unsigned int k = unknowns[i];
    if (k >= MODEL_RATES && k < MODEL_NUM_REFERENCES) {
      result[i] = b->out[k - MODEL_RATES];
    } else if (k >= MODEL_OUTPUTS && k < MODEL_RATES) {
      result[i] = b->out[MODEL_NUM_STATES + k - MODEL_OUTPUTS];
    } else {
      return 1;
    }
  }
  return 0;
}

#endif
