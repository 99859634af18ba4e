/* Inputs of an FMU that have derivatives, over a communication step:
 *   u(t) = u0 + d (u1 + d/2 (u2 + d/3 u3)),   d = t - t0.                                   (1)
 * They stand behind `in` and the direction that follows it. C99; pasted into FMUs of models with
 * inputs.
 */
#ifndef KOPPEL_RUNTIME_INPUTS_H
#define KOPPEL_RUNTIME_INPUTS_H

#define MODEL_HAS_INPUTS

enum {
  INPUT_ORDERS = 3, /* of derivatives */
  INPUT_FIRST = 2 + MODEL_NUM_Q + MODEL_NUM_V + MODEL_NUM_X + MODEL_NUM_MULTIPLIERS,
  INPUT_COURSE = INPUT_FIRST + MODEL_NUM_INPUTS + MODEL_NUM_PARAMETERS + MODEL_NUM_Q + MODEL_NUM_V +
                 MODEL_NUM_X + MODEL_NUM_INPUTS, /* whether there is any, t0, u0, u1, u2, u3 */
  INPUT_NUMBERS = 2 + (1 + INPUT_ORDERS) * MODEL_NUM_INPUTS
};

/* Sets the inputs, where they have derivatives. */
static void koppel_inputs_at(double* in, double t) {
  const double *course = in + INPUT_COURSE, *u = course + 2, d = t - course[1];
  const int n = MODEL_NUM_INPUTS;
  int i;
  if (course[0] == 0) return;
  for (i = 0; i < n; ++i) {
    in[INPUT_FIRST + i] =
        u[i] + d * (u[n + i] + d / 2 * (u[2 * n + i] + d / 3 * u[3 * n + i])); /* (1) */
  }
}

/* 0: set; 1: there is no such input, or no such order. */
static int koppel_set_input_derivative(double* in, unsigned int reference, int order,
                                       double value) {
  if (reference < INPUT_FIRST || reference >= INPUT_FIRST + MODEL_NUM_INPUTS) return 1;
  if (order < 1 || order > INPUT_ORDERS) return 1;
  in[INPUT_COURSE] = 1;
  in[INPUT_COURSE + 2 + order * MODEL_NUM_INPUTS + (int)reference - INPUT_FIRST] = value;
  return 0;
}

/* Derivatives count for one step, from t0 and the values that are set then. */
static void koppel_inputs_begin(double* in, double t0) {
  in[INPUT_COURSE + 1] = t0;
  memcpy(in + INPUT_COURSE + 2, in + INPUT_FIRST, MODEL_NUM_INPUTS * sizeof(double));
}
static void koppel_inputs_end(double* in, double t) {
  koppel_inputs_at(in, t);
  memset(in + INPUT_COURSE, 0, INPUT_NUMBERS * sizeof(double));
}

#endif
