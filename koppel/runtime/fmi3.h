/* The functions of FMI 3.0, Co-Simulation and Model Exchange, around fmi_model.h. C99; pasted into
 * FMUs. Types are those of the standard [FMI 3.0.2, fmi3PlatformTypes.h and fmi3FunctionTypes.h].
 * MODEL_GUID is the instantiationToken of modelDescription.xml; model_adjoint is a straight-line
 * function, its `in` followed by weights of rates and outputs, its `out` as long as a direction.
 *
 * What there is not is in fmi3_absent.h.
 *
 * States of an instance [FMI 3.0.2, figures of sections 2.3, 3.2, 4.2]: made, initialization, event
 * mode, continuous time (Model Exchange) or steps (Co-Simulation), terminated. A function that is
 * called in a state where it does not belong returns fmi3Error and changes nothing.
 */
#ifndef KOPPEL_RUNTIME_FMI3_H
#define KOPPEL_RUNTIME_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(_WIN32)
#define KOPPEL_FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define KOPPEL_FMI __attribute__((visibility("default")))
#else
#define KOPPEL_FMI
#endif

typedef void* fmi3Instance;
typedef void* fmi3InstanceEnvironment;
typedef void* fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef const char* fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte* fmi3Binary;
typedef bool fmi3Clock;
typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum {
  fmi3IntervalNotYetKnown,
  fmi3IntervalUnchanged,
  fmi3IntervalChanged
} fmi3IntervalQualifier;
typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status, fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment, fmi3Float64, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean, fmi3Boolean, fmi3Boolean*,
                                               fmi3Float64*);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* Bits, so that a function may belong to several. */
enum {
  KOPPEL_MADE = 1,
  KOPPEL_STARTING = 2,
  KOPPEL_EVENT = 4,
  KOPPEL_CONTINUOUS = 8,
  KOPPEL_STEPPING = 16,
  KOPPEL_ENDED = 32,
  KOPPEL_RUNNING = KOPPEL_EVENT | KOPPEL_CONTINUOUS | KOPPEL_STEPPING
};

enum { MODEL_NUM_WEIGHTS = MODEL_NUM_STATES + MODEL_NUM_OUTPUTS };

typedef struct {
  koppel_model model, before; /* before: of a step, in case it fails */
  koppel_buffers buffers;
  double adjoint_in[MODEL_NUM_IN + MODEL_NUM_WEIGHTS], adjoint_out[MODEL_NUM_SEEDS + 1];
  int phase;
  int is_co_simulation;
  fmi3InstanceEnvironment environment;
  fmi3LogMessageCallback log;
} koppel_fmu;

static fmi3Status koppel_say(koppel_fmu* fmu, fmi3Status status, const char* message) {
  if (fmu->log != NULL) {
    fmu->log(fmu->environment, status,
             status == fmi3Warning   ? "logStatusWarning"
             : status == fmi3Discard ? "logStatusDiscard"
                                     : "logStatusError",
             message);
  }
  return status;
}

static int koppel_is_in(koppel_fmu* fmu, int phases) { return (fmu->phase & phases) != 0; }

static fmi3Status koppel_out_of_place(koppel_fmu* fmu, const char* message) {
  return koppel_say(fmu, fmi3Error, message);
}

KOPPEL_FMI const char* fmi3GetVersion(void) { return "3.0"; }

KOPPEL_FMI fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                                          const fmi3String categories[]) {
  (void)instance, (void)on, (void)n, (void)categories;
  return fmi3OK;
}

/* Instances */

static fmi3Instance koppel_instantiate(fmi3String token, fmi3InstanceEnvironment environment,
                                       fmi3LogMessageCallback log, int is_co_simulation) {
  koppel_fmu* fmu = (koppel_fmu*)calloc(1, sizeof *fmu);
  if (fmu == NULL) return NULL;
  fmu->environment = environment;
  fmu->log = log;
  fmu->is_co_simulation = is_co_simulation;
  if (token == NULL || strcmp(token, MODEL_GUID) != 0) {
    koppel_say(fmu, fmi3Error, "the instantiation token is not that of this FMU");
    free(fmu);
    return NULL;
  }
  koppel_model_reset(&fmu->model);
  fmu->phase = KOPPEL_MADE;
  return fmu;
}

KOPPEL_FMI fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                                     fmi3String resources, fmi3Boolean visible,
                                                     fmi3Boolean logging,
                                                     fmi3InstanceEnvironment environment,
                                                     fmi3LogMessageCallback log) {
  (void)name, (void)resources, (void)visible, (void)logging;
  return koppel_instantiate(token, environment, log, 0);
}
KOPPEL_FMI fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3Boolean event_mode_used, fmi3Boolean early_return_allowed,
    const fmi3ValueReference intermediate[], size_t num_intermediate,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update) {
  koppel_fmu* fmu = (koppel_fmu*)koppel_instantiate(token, environment, log, 1);
  (void)name, (void)resources, (void)visible, (void)logging, (void)early_return_allowed;
  (void)intermediate, (void)update;
  if (fmu != NULL && (event_mode_used || num_intermediate > 0)) {
    koppel_say(fmu, fmi3Error, "Co-Simulation has neither an event mode nor intermediate updates");
    free(fmu);
    return NULL;
  }
  return fmu;
}
KOPPEL_FMI void fmi3FreeInstance(fmi3Instance instance) { free(instance); }

KOPPEL_FMI fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean has_tolerance,
                                                  fmi3Float64 tolerance, fmi3Float64 start,
                                                  fmi3Boolean has_stop, fmi3Float64 stop) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_MADE)) {
    return koppel_out_of_place(fmu, "the initialization has been entered before");
  }
  koppel_model_experiment(&fmu->model, has_tolerance, tolerance, start, has_stop, stop);
  fmu->phase = KOPPEL_STARTING;
  return fmi3OK;
}
/* A consistent start, for the parameters and states that are set. */
static fmi3Status koppel_begin(koppel_fmu* fmu) {
  int reason = 0;
#ifdef MODEL_HAS_START
  if (fmu->model.parameters_changed) {
    koppel_start* room = (koppel_start*)malloc(sizeof *room);
    if (room == NULL) return koppel_say(fmu, fmi3Error, "no memory to find the start");
    reason = koppel_model_start(&fmu->model, &fmu->buffers, room);
    free(room);
  }
#endif
  if (reason == 0) reason = koppel_model_assemble(&fmu->model, &fmu->buffers);
  return reason == 0 ? fmi3OK : koppel_say(fmu, fmi3Error, koppel_why_no_start(reason));
}
KOPPEL_FMI fmi3Status fmi3ExitInitializationMode(fmi3Instance instance) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_STARTING)) {
    return koppel_out_of_place(fmu, "the initialization has not been entered");
  }
  if (koppel_begin(fmu) != fmi3OK) return fmi3Error;
  if (fmu->is_co_simulation) {
    koppel_model_begin_steps(&fmu->model, &fmu->buffers);
  } else {
    koppel_model_begin_exchange(&fmu->model);
  }
  koppel_model_begin_events(&fmu->model, &fmu->buffers);
  fmu->phase = fmu->is_co_simulation ? KOPPEL_STEPPING : KOPPEL_EVENT;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3Terminate(fmi3Instance instance) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_RUNNING)) {
    return koppel_out_of_place(fmu, "fmi3Terminate: the FMU does not run");
  }
  fmu->phase = KOPPEL_ENDED;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3Reset(fmi3Instance instance) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  koppel_model_reset(&fmu->model);
  fmu->phase = KOPPEL_MADE;
  return fmi3OK;
}

/* Variables */

KOPPEL_FMI fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                     fmi3Float64 values[], size_t num_values) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  size_t i;
  if (n != num_values)
    return koppel_say(fmu, fmi3Error, "fmi3GetFloat64: all variables are scalar");
  /* At the start, outputs belong to the consistent state. */
  if (koppel_is_in(fmu, KOPPEL_STARTING) && koppel_begin(fmu) != fmi3OK) return fmi3Error;
  for (i = 0; i < n; ++i) {
    if (koppel_model_get(&fmu->model, &fmu->buffers, vr[i], &values[i]) != 0) {
      return koppel_say(fmu, fmi3Error, "fmi3GetFloat64: there is no such value reference");
    }
  }
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                     const fmi3Float64 values[], size_t num_values) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  size_t i;
  if (n != num_values)
    return koppel_say(fmu, fmi3Error, "fmi3SetFloat64: all variables are scalar");
  for (i = 0; i < n; ++i) {
    const int is_input = koppel_within(vr[i], MODEL_INPUTS, MODEL_PARAMETERS);
    if (!is_input && !koppel_is_in(fmu, KOPPEL_MADE | KOPPEL_STARTING)) {
      return koppel_say(fmu, fmi3Error, "fmi3SetFloat64: only inputs can be set while running");
    }
    switch (koppel_model_set(&fmu->model, vr[i], values[i])) {
      case 0: break;
      case 1: return koppel_say(fmu, fmi3Error, "fmi3SetFloat64: there is no such value to set");
      default: return koppel_say(fmu, fmi3Error, "fmi3SetFloat64: " KOPPEL_NOT_TO_SET);
    }
  }
  return fmi3OK;
}

/* The state of an instance */

typedef struct {
  koppel_model model;
  int phase;
} koppel_saved;

static fmi3Status koppel_make_room(koppel_fmu* fmu, fmi3FMUState* state) {
  if (*state == NULL) *state = malloc(sizeof(koppel_saved));
  return *state != NULL ? fmi3OK : koppel_say(fmu, fmi3Error, "no memory for the state");
}
KOPPEL_FMI fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState* state) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (koppel_make_room(fmu, state) != fmi3OK) return fmi3Error;
  ((koppel_saved*)*state)->model = fmu->model;
  ((koppel_saved*)*state)->phase = fmu->phase;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (state == NULL) return koppel_say(fmu, fmi3Error, "fmi3SetFMUState: there is no state");
  fmu->model = ((koppel_saved*)state)->model;
  fmu->phase = ((koppel_saved*)state)->phase;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState* state) {
  (void)instance;
  if (state != NULL) {
    free(*state);
    *state = NULL;
  }
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                                 size_t* size) {
  (void)instance, (void)state;
  *size = sizeof(uint64_t) + sizeof(koppel_saved);
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                            fmi3Byte bytes[], size_t size) {
  uint64_t sum;
  if (state == NULL || size < sizeof sum + sizeof(koppel_saved)) {
    return koppel_say((koppel_fmu*)instance, fmi3Error,
                      "fmi3SerializeFMUState: there is no state, or too little room");
  }
  sum = koppel_checksum(MODEL_GUID, state, sizeof(koppel_saved));
  memcpy(bytes, &sum, sizeof sum);
  memcpy(bytes + sizeof sum, state, sizeof(koppel_saved));
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[],
                                              size_t size, fmi3FMUState* state) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  uint64_t sum = 0;
  if (size == sizeof sum + sizeof(koppel_saved)) memcpy(&sum, bytes, sizeof sum);
  if (size != sizeof sum + sizeof(koppel_saved) ||
      sum != koppel_checksum(MODEL_GUID, bytes + sizeof sum, sizeof(koppel_saved))) {
    return koppel_say(fmu, fmi3Error,
                      "fmi3DeserializeFMUState: the bytes are not a state of this FMU");
  }
  if (koppel_make_room(fmu, state) != fmi3OK) return fmi3Error;
  memcpy(*state, bytes + sizeof sum, sizeof(koppel_saved));
  return fmi3OK;
}

/* Derivatives */

static fmi3Status koppel_no_derivative(koppel_fmu* fmu) {
  return koppel_say(fmu, fmi3Error,
                    "derivatives are those of state derivatives and outputs by states and inputs");
}
KOPPEL_FMI fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[], size_t num_unknowns,
    const fmi3ValueReference knowns[], size_t num_knowns, const fmi3Float64 seed[], size_t num_seed,
    fmi3Float64 sensitivity[], size_t num_sensitivity) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (num_seed != num_knowns || num_sensitivity != num_unknowns ||
      koppel_model_directional(&fmu->model, &fmu->buffers, unknowns, num_unknowns, knowns,
                               num_knowns, seed, sensitivity) != 0) {
    return koppel_no_derivative(fmu);
  }
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance,
                                               const fmi3ValueReference unknowns[],
                                               size_t num_unknowns,
                                               const fmi3ValueReference knowns[], size_t num_knowns,
                                               const fmi3Float64 seed[], size_t num_seed,
                                               fmi3Float64 sensitivity[], size_t num_sensitivity) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  double* weights = fmu->adjoint_in + MODEL_NUM_IN;
  size_t i;
  if (num_seed != num_unknowns || num_sensitivity != num_knowns) return koppel_no_derivative(fmu);
  memcpy(fmu->adjoint_in, fmu->model.in, MODEL_NUM_IN * sizeof(double));
  memset(weights, 0, MODEL_NUM_WEIGHTS * sizeof(double));
  for (i = 0; i < num_unknowns; ++i) {
    const unsigned int k = unknowns[i];
    if (koppel_within(k, MODEL_RATES, MODEL_EVENTS)) {
      weights[k - MODEL_RATES] = seed[i];
    } else if (koppel_within(k, MODEL_OUTPUTS, MODEL_RATES)) {
      weights[MODEL_NUM_STATES + k - MODEL_OUTPUTS] = seed[i];
    } else {
      return koppel_no_derivative(fmu);
    }
  }
  model_adjoint(fmu->adjoint_in, fmu->adjoint_out, fmu->buffers.work);
  for (i = 0; i < num_knowns; ++i) {
    const unsigned int k = knowns[i];
    if (koppel_within(k, MODEL_Q, MODEL_MULTIPLIERS)) {
      sensitivity[i] = fmu->adjoint_out[k - MODEL_Q];
    } else if (koppel_within(k, MODEL_INPUTS, MODEL_PARAMETERS)) {
      sensitivity[i] = fmu->adjoint_out[MODEL_NUM_STATES + k - MODEL_INPUTS];
    } else {
      return koppel_no_derivative(fmu);
    }
  }
  return fmi3OK;
}

/* Model Exchange */

KOPPEL_FMI fmi3Status fmi3EnterEventMode(fmi3Instance instance) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_CONTINUOUS)) {
    return koppel_out_of_place(fmu, "fmi3EnterEventMode belongs to continuous time");
  }
  fmu->phase = KOPPEL_EVENT;
  return fmi3OK;
}
/* Restores the constraints, which an importer's solver lets drift. */
KOPPEL_FMI fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean* need_update,
                                               fmi3Boolean* terminate,
                                               fmi3Boolean* nominals_changed,
                                               fmi3Boolean* values_changed,
                                               fmi3Boolean* has_next_event,
                                               fmi3Float64* next_event) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  int what;
  *need_update = *terminate = *nominals_changed = *values_changed = *has_next_event = false;
  *next_event = 0;
  if (!koppel_is_in(fmu, KOPPEL_EVENT)) {
    return koppel_out_of_place(fmu, "fmi3UpdateDiscreteStates belongs to the event mode");
  }
  what = koppel_model_meet_events(&fmu->model, &fmu->buffers);
  if (what >= KOPPEL_FIRST_OF_EVENTS) {
    *terminate = koppel_model_ends(what) != 0;
    return *terminate ? fmi3OK : koppel_say(fmu, fmi3Error, koppel_model_reason(what));
  }
  *values_changed = what != 0;
  if (!koppel_model_has_drifted(&fmu->model, &fmu->buffers)) return fmi3OK;
  if (koppel_model_assemble(&fmu->model, &fmu->buffers) != 0) {
    return koppel_say(fmu, fmi3Error, "the constraints cannot be satisfied here");
  }
  *values_changed = true;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_EVENT)) {
    return koppel_out_of_place(fmu, "fmi3EnterContinuousTimeMode belongs to the event mode");
  }
  fmu->phase = KOPPEL_CONTINUOUS;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_set_before,
                                                  fmi3Boolean* enter_event_mode,
                                                  fmi3Boolean* terminate) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  (void)no_set_before;
  *enter_event_mode = *terminate = false;
  if (!koppel_is_in(fmu, KOPPEL_CONTINUOUS)) {
    return koppel_out_of_place(fmu, "fmi3CompletedIntegratorStep belongs to continuous time");
  }
  koppel_model_end_step(&fmu->model);
  *enter_event_mode = koppel_model_has_drifted(&fmu->model, &fmu->buffers) ||
                      koppel_model_has_event(&fmu->model, &fmu->buffers);
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 t) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_EVENT | KOPPEL_CONTINUOUS)) {
    return koppel_out_of_place(fmu, "fmi3SetTime belongs to Model Exchange that runs");
  }
  fmu->model.in[0] = t;
  koppel_model_changed(&fmu->model);
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 x[],
                                              size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (!koppel_is_in(fmu, KOPPEL_CONTINUOUS)) {
    return koppel_out_of_place(fmu, "fmi3SetContinuousStates belongs to continuous time");
  }
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi3Error, "a wrong number of states");
  memcpy(fmu->model.in + MODEL_Q, x, n * sizeof(double));
  koppel_model_changed(&fmu->model);
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance,
                                                        fmi3Float64 derivatives[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi3Error, "a wrong number of states");
  if (koppel_model_find_rates(&fmu->model, &fmu->buffers) != 0) {
    return koppel_say(fmu, fmi3Discard,
                      "there are no finite derivatives here: a matrix is singular, or a function "
                      "leaves its domain");
  }
  memcpy(derivatives, fmu->model.rates, n * sizeof(double));
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicators[],
                                             size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (n != MODEL_NUM_EVENTS) return koppel_say(fmu, fmi3Error, "a wrong number of event indicators");
  koppel_model_indicators(&fmu->model, &fmu->buffers, indicators);
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 x[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi3Error, "a wrong number of states");
  memcpy(x, fmu->model.in + MODEL_Q, n * sizeof(double));
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance,
                                                        fmi3Float64 nominals[], size_t n) {
  size_t i;
  (void)instance;
  for (i = 0; i < n; ++i) nominals[i] = 1;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t* n) {
  (void)instance;
  *n = MODEL_NUM_EVENTS;
  return fmi3OK;
}
KOPPEL_FMI fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t* n) {
  (void)instance;
  *n = MODEL_NUM_STATES;
  return fmi3OK;
}

/* Co-Simulation */

KOPPEL_FMI fmi3Status fmi3EnterStepMode(fmi3Instance instance) {
  return koppel_say((koppel_fmu*)instance, fmi3Error, "Co-Simulation has no event mode to leave");
}
KOPPEL_FMI fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference vr[],
                                               size_t n, const fmi3Int32 orders[],
                                               fmi3Float64 values[], size_t num_values) {
  (void)vr, (void)orders, (void)values, (void)num_values;
  return n == 0 ? fmi3OK
                : koppel_say((koppel_fmu*)instance, fmi3Error, "there are no output derivatives");
}
/* A step that fails is discarded: the state is the one before it. */
KOPPEL_FMI fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t, fmi3Float64 length,
                                 fmi3Boolean no_set_before, fmi3Boolean* event_needed,
                                 fmi3Boolean* terminate, fmi3Boolean* early_return,
                                 fmi3Float64* last_time) {
  koppel_fmu* fmu = (koppel_fmu*)instance;
  char why[200];
  int reason;
  (void)no_set_before;
  *event_needed = *terminate = *early_return = false;
  *last_time = fmu->model.in[0];
  if (!koppel_is_in(fmu, KOPPEL_STEPPING)) {
    return koppel_out_of_place(fmu, "fmi3DoStep: the FMU is not initialized for Co-Simulation");
  }
  if (koppel_why_no_step(&fmu->model, t, length, why)[0] != 0) {
    return koppel_say(fmu, fmi3Error, why);
  }
  fmu->before = fmu->model;
  reason = koppel_model_step(&fmu->model, &fmu->buffers, t, length);
  if (koppel_model_ends(reason)) { /* there, and not at the end of the step */
    *terminate = *early_return = true;
    *last_time = fmu->model.in[0];
    return fmi3OK;
  }
  if (reason != 0) {
    *last_time = fmu->before.in[0];
    fmu->model = fmu->before;
    return koppel_say(fmu, koppel_model_stops(reason) ? fmi3Discard : fmi3Error,
                      koppel_model_reason(reason));
  }
  *last_time = fmu->model.in[0];
  return fmi3OK;
}

#endif
