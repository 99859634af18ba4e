/* The functions of FMI 2.0, Co-Simulation and Model Exchange, around fmi_model.h. C99; pasted into
 * FMUs. Types are those of the standard [FMI 2.0.4, fmi2TypesPlatform.h and fmi2FunctionTypes.h].
 * MODEL_GUID is the one of modelDescription.xml.
 */
#ifndef KOPPEL_RUNTIME_FMI2_H
#define KOPPEL_RUNTIME_FMI2_H

#include <stddef.h>

#if defined(_WIN32)
#define KOPPEL_FMI __declspec(dllexport)
#elif defined(__GNUC__)
#define KOPPEL_FMI __attribute__((visibility("default")))
#else
#define KOPPEL_FMI
#endif

typedef void* fmi2Component;
typedef void* fmi2ComponentEnvironment;
typedef void* fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef const char* fmi2String;
typedef char fmi2Byte;
typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum {
  fmi2DoStepStatus,
  fmi2PendingStatus,
  fmi2LastSuccessfulTime,
  fmi2Terminated
} fmi2StatusKind;
typedef struct {
  void (*logger)(fmi2ComponentEnvironment, fmi2String, fmi2Status, fmi2String, fmi2String, ...);
  void* (*allocateMemory)(size_t, size_t);
  void (*freeMemory)(void*);
  void (*stepFinished)(fmi2ComponentEnvironment, fmi2Status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;
typedef struct {
  fmi2Boolean newDiscreteStatesNeeded;
  fmi2Boolean terminateSimulation;
  fmi2Boolean nominalsOfContinuousStatesChanged;
  fmi2Boolean valuesOfContinuousStatesChanged;
  fmi2Boolean nextEventTimeDefined;
  fmi2Real nextEventTime;
} fmi2EventInfo;

typedef enum { KOPPEL_MADE, KOPPEL_STARTING, KOPPEL_RUNNING, KOPPEL_ENDED } koppel_phase;

typedef struct {
  koppel_model model;
  koppel_buffers buffers;
  koppel_phase phase;
  fmi2Type type;
  const fmi2CallbackFunctions* callbacks;
  char name[256];
  int is_terminated; /* by an event, in Co-Simulation */
} koppel_fmu;

static fmi2Status koppel_say(koppel_fmu* fmu, fmi2Status status, const char* message) {
  if (fmu->callbacks->logger != NULL) {
    fmu->callbacks->logger(fmu->callbacks->componentEnvironment, fmu->name, status,
                           status == fmi2Warning ? "logStatusWarning" : "logStatusError", "%s",
                           message);
  }
  return status;
}

static int koppel_same_text(const char* a, const char* b) { return strcmp(a, b) == 0; }

KOPPEL_FMI const char* fmi2GetTypesPlatform(void) { return "default"; }
KOPPEL_FMI const char* fmi2GetVersion(void) { return "2.0"; }

KOPPEL_FMI fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                                          const fmi2String categories[]) {
  (void)c, (void)on, (void)n, (void)categories;
  return fmi2OK;
}

KOPPEL_FMI fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                                         fmi2String resources,
                                         const fmi2CallbackFunctions* callbacks,
                                         fmi2Boolean visible, fmi2Boolean logging) {
  koppel_fmu* fmu;
  (void)resources, (void)visible, (void)logging;
  if (callbacks == NULL || callbacks->allocateMemory == NULL || guid == NULL) return NULL;
  fmu = (koppel_fmu*)callbacks->allocateMemory(1, sizeof *fmu);
  if (fmu == NULL) return NULL;
  memset(fmu, 0, sizeof *fmu);
  fmu->callbacks = callbacks;
  fmu->type = type;
  strncpy(fmu->name, name == NULL ? "" : name, sizeof fmu->name - 1);
  if (!koppel_same_text(guid, MODEL_GUID)) {
    koppel_say(fmu, fmi2Error, "the GUID is not that of this FMU");
    if (callbacks->freeMemory != NULL) callbacks->freeMemory(fmu);
    return NULL;
  }
  koppel_model_reset(&fmu->model);
  return fmu;
}

KOPPEL_FMI void fmi2FreeInstance(fmi2Component c) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (fmu != NULL && fmu->callbacks->freeMemory != NULL) fmu->callbacks->freeMemory(fmu);
}

KOPPEL_FMI fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                                          fmi2Real tolerance, fmi2Real start, fmi2Boolean has_stop,
                                          fmi2Real stop) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (fmu->phase != KOPPEL_MADE) {
    return koppel_say(fmu, fmi2Error, "fmi2SetupExperiment belongs before the initialization");
  }
  koppel_model_experiment(&fmu->model, has_tolerance, tolerance, start, has_stop, stop);
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2EnterInitializationMode(fmi2Component c) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (fmu->phase != KOPPEL_MADE) {
    return koppel_say(fmu, fmi2Error, "the initialization has been entered before");
  }
  fmu->phase = KOPPEL_STARTING;
  return fmi2OK;
}

/* A consistent start, for the parameters and states that are set. */
static fmi2Status koppel_begin(koppel_fmu* fmu) {
  int reason = 0;
#ifdef MODEL_HAS_START
  if (fmu->model.parameters_changed) {
    koppel_start* room = (koppel_start*)fmu->callbacks->allocateMemory(1, sizeof *room);
    if (room == NULL) return koppel_say(fmu, fmi2Error, "no memory to find the start");
    reason = koppel_model_start(&fmu->model, &fmu->buffers, room);
    if (fmu->callbacks->freeMemory != NULL) fmu->callbacks->freeMemory(room);
  }
#endif
  if (reason == 0) reason = koppel_model_assemble(&fmu->model, &fmu->buffers);
  return reason == 0 ? fmi2OK : koppel_say(fmu, fmi2Error, koppel_why_no_start(reason));
}

KOPPEL_FMI fmi2Status fmi2ExitInitializationMode(fmi2Component c) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (fmu->phase != KOPPEL_STARTING) {
    return koppel_say(fmu, fmi2Error, "the initialization has not been entered");
  }
  if (koppel_begin(fmu) != fmi2OK) return fmi2Error;
  if (fmu->type == fmi2CoSimulation) {
    koppel_model_begin_steps(&fmu->model, &fmu->buffers);
  } else {
    koppel_model_begin_exchange(&fmu->model);
  }
  koppel_model_begin_events(&fmu->model, &fmu->buffers);
  fmu->is_terminated = 0;
  fmu->phase = KOPPEL_RUNNING;
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2Terminate(fmi2Component c) {
  ((koppel_fmu*)c)->phase = KOPPEL_ENDED;
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2Reset(fmi2Component c) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  koppel_model_reset(&fmu->model);
  fmu->phase = KOPPEL_MADE;
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                  fmi2Real value[]) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  size_t i;
  /* At the start, outputs belong to the consistent state. */
  if (fmu->phase == KOPPEL_STARTING && koppel_begin(fmu) != fmi2OK) return fmi2Error;
  for (i = 0; i < n; ++i) {
    if (koppel_model_get(&fmu->model, &fmu->buffers, vr[i], &value[i]) != 0) {
      return koppel_say(fmu, fmi2Error, "fmi2GetReal: there is no such value reference");
    }
  }
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                  const fmi2Real value[]) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  size_t i;
  for (i = 0; i < n; ++i) {
    const int is_input = koppel_within(vr[i], MODEL_INPUTS, MODEL_PARAMETERS);
    if (fmu->phase == KOPPEL_RUNNING && !is_input) {
      return koppel_say(fmu, fmi2Error, "fmi2SetReal: only inputs can be set while running");
    }
    switch (koppel_model_set(&fmu->model, vr[i], value[i])) {
      case 0: break;
      case 1: return koppel_say(fmu, fmi2Error, "fmi2SetReal: there is no such value to set");
      default: return koppel_say(fmu, fmi2Error, "fmi2SetReal: " KOPPEL_NOT_TO_SET);
    }
  }
  return fmi2OK;
}

/* There are real variables only. */
static fmi2Status koppel_none(fmi2Component c, size_t n) {
  return n == 0 ? fmi2OK
                : koppel_say((koppel_fmu*)c, fmi2Error, "there are variables of type Real only");
}
KOPPEL_FMI fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                     fmi2Integer value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}
KOPPEL_FMI fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                     fmi2Boolean value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}
KOPPEL_FMI fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                    fmi2String value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}
KOPPEL_FMI fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                     const fmi2Integer value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}
KOPPEL_FMI fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                     const fmi2Boolean value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}
KOPPEL_FMI fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                                    const fmi2String value[]) {
  (void)vr, (void)value;
  return koppel_none(c, n);
}

typedef struct {
  koppel_model model;
  koppel_phase phase;
} koppel_saved;

KOPPEL_FMI fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate* state) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (*state == NULL) *state = fmu->callbacks->allocateMemory(1, sizeof(koppel_saved));
  if (*state == NULL) return koppel_say(fmu, fmi2Error, "no memory for the state");
  ((koppel_saved*)*state)->model = fmu->model;
  ((koppel_saved*)*state)->phase = fmu->phase;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (state == NULL) return koppel_say(fmu, fmi2Error, "fmi2SetFMUstate: there is no state");
  fmu->model = ((koppel_saved*)state)->model;
  fmu->phase = ((koppel_saved*)state)->phase;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate* state) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (state != NULL && *state != NULL) {
    fmu->callbacks->freeMemory(*state);
    *state = NULL;
  }
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                                 size_t* size) {
  (void)c, (void)state;
  *size = sizeof(uint64_t) + sizeof(koppel_saved);
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[],
                                            size_t size) {
  uint64_t sum;
  if (state == NULL || size < sizeof sum + sizeof(koppel_saved)) {
    return koppel_say((koppel_fmu*)c, fmi2Error,
                      "fmi2SerializeFMUstate: there is no state, or too little room");
  }
  sum = koppel_checksum(MODEL_GUID, state, sizeof(koppel_saved));
  memcpy(bytes, &sum, sizeof sum);
  memcpy(bytes + sizeof sum, state, sizeof(koppel_saved));
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size,
                                              fmi2FMUstate* state) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  uint64_t sum = 0;
  if (size == sizeof sum + sizeof(koppel_saved)) memcpy(&sum, bytes, sizeof sum);
  if (size != sizeof sum + sizeof(koppel_saved) ||
      sum != koppel_checksum(MODEL_GUID, bytes + sizeof sum, sizeof(koppel_saved))) {
    return koppel_say(fmu, fmi2Error,
                      "fmi2DeSerializeFMUstate: the bytes are not a state of this FMU");
  }
  if (*state == NULL) *state = fmu->callbacks->allocateMemory(1, sizeof(koppel_saved));
  if (*state == NULL) return koppel_say(fmu, fmi2Error, "no memory for the state");
  memcpy(*state, bytes + sizeof sum, sizeof(koppel_saved));
  return fmi2OK;
}

KOPPEL_FMI fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                                   const fmi2ValueReference unknown[], size_t n,
                                                   const fmi2ValueReference known[], size_t k,
                                                   const fmi2Real direction[], fmi2Real result[]) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (koppel_model_directional(&fmu->model, &fmu->buffers, unknown, n, known, k, direction,
                               result) != 0) {
    return koppel_say(fmu, fmi2Error,
                      "directional derivatives are those of state derivatives and outputs by states "
                      "and inputs");
  }
  return fmi2OK;
}

/* Model Exchange */

KOPPEL_FMI fmi2Status fmi2EnterEventMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}
/* Restores the constraints, which an importer's solver lets drift. */
KOPPEL_FMI fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo* info) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  const int what = koppel_model_meet_events(&fmu->model, &fmu->buffers);
  memset(info, 0, sizeof *info);
  if (what >= KOPPEL_FIRST_OF_EVENTS) {
    info->terminateSimulation = koppel_model_ends(what);
    return info->terminateSimulation ? fmi2OK
                                     : koppel_say(fmu, fmi2Error, koppel_model_reason(what));
  }
  info->valuesOfContinuousStatesChanged = what != 0;
  if (!koppel_model_has_drifted(&fmu->model, &fmu->buffers)) return fmi2OK;
  if (koppel_model_assemble(&fmu->model, &fmu->buffers) != 0) {
    return koppel_say(fmu, fmi2Error, "the constraints cannot be satisfied here");
  }
  info->valuesOfContinuousStatesChanged = 1;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c) {
  (void)c;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2CompletedIntegratorStep(fmi2Component c, fmi2Boolean no_set_before,
                                                  fmi2Boolean* enter_event_mode,
                                                  fmi2Boolean* terminate) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  (void)no_set_before;
  koppel_model_end_step(&fmu->model);
  *enter_event_mode = koppel_model_has_drifted(&fmu->model, &fmu->buffers) ||
                      koppel_model_has_event(&fmu->model, &fmu->buffers);
  *terminate = 0;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  fmu->model.in[0] = t;
  koppel_model_changed(&fmu->model);
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2SetContinuousStates(fmi2Component c, const fmi2Real x[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi2Error, "a wrong number of states");
  memcpy(fmu->model.in + MODEL_Q, x, n * sizeof(double));
  koppel_model_changed(&fmu->model);
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real derivatives[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi2Error, "a wrong number of states");
  if (koppel_model_find_rates(&fmu->model, &fmu->buffers) != 0) {
    return koppel_say(fmu, fmi2Discard,
                      "there are no finite derivatives here: a matrix is singular, or a function "
                      "leaves its domain");
  }
  memcpy(derivatives, fmu->model.rates, n * sizeof(double));
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real indicators[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (n != MODEL_NUM_EVENTS) return koppel_say(fmu, fmi2Error, "a wrong number of event indicators");
  koppel_model_indicators(&fmu->model, &fmu->buffers, indicators);
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  if (n != MODEL_NUM_STATES) return koppel_say(fmu, fmi2Error, "a wrong number of states");
  memcpy(x, fmu->model.in + MODEL_Q, n * sizeof(double));
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c, fmi2Real x[], size_t n) {
  size_t i;
  (void)c;
  for (i = 0; i < n; ++i) x[i] = 1;
  return fmi2OK;
}

/* Co-Simulation */

KOPPEL_FMI fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                  size_t n, const fmi2Integer order[],
                                                  const fmi2Real value[]) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  size_t i;
  for (i = 0; i < n; ++i) {
    if (koppel_model_set_derivative(&fmu->model, vr[i], order[i], value[i]) != 0) {
      return koppel_say(fmu, fmi2Error,
                        "fmi2SetRealInputDerivatives: there is no such input, or the order is not "
                        "1, 2 or 3");
    }
  }
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference vr[],
                                                   size_t n, const fmi2Integer order[],
                                                   fmi2Real value[]) {
  (void)vr, (void)order, (void)value;
  return n == 0 ? fmi2OK
                : koppel_say((koppel_fmu*)c, fmi2Error, "there are no derivatives of outputs");
}
KOPPEL_FMI fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real length, fmi2Boolean final) {
  koppel_fmu* fmu = (koppel_fmu*)c;
  char why[200];
  int reason;
  (void)final;
  if (fmu->phase != KOPPEL_RUNNING || fmu->type != fmi2CoSimulation) {
    return koppel_say(fmu, fmi2Error, "fmi2DoStep: the FMU is not initialized for Co-Simulation");
  }
  if (koppel_why_no_step(&fmu->model, t, length, why)[0] != 0) {
    return koppel_say(fmu, fmi2Error, why);
  }
  reason = koppel_model_step(&fmu->model, &fmu->buffers, t, length);
  if (reason != 0) {
    fmu->is_terminated = koppel_model_ends(reason);
    return koppel_say(fmu,
                      koppel_model_stops(reason) || fmu->is_terminated ? fmi2Discard : fmi2Error,
                      koppel_model_reason(reason));
  }
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2CancelStep(fmi2Component c) {
  return koppel_say((koppel_fmu*)c, fmi2Error, "no step is ever pending");
}
KOPPEL_FMI fmi2Status fmi2GetStatus(fmi2Component c, const fmi2StatusKind kind, fmi2Status* value) {
  (void)c, (void)kind;
  *value = fmi2OK;
  return fmi2Discard;
}
KOPPEL_FMI fmi2Status fmi2GetRealStatus(fmi2Component c, const fmi2StatusKind kind,
                                        fmi2Real* value) {
  if (kind != fmi2LastSuccessfulTime) return fmi2Discard;
  *value = ((koppel_fmu*)c)->model.in[0];
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetIntegerStatus(fmi2Component c, const fmi2StatusKind kind,
                                           fmi2Integer* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}
KOPPEL_FMI fmi2Status fmi2GetBooleanStatus(fmi2Component c, const fmi2StatusKind kind,
                                           fmi2Boolean* value) {
  if (kind != fmi2Terminated) return fmi2Discard;
  *value = ((koppel_fmu*)c)->is_terminated;
  return fmi2OK;
}
KOPPEL_FMI fmi2Status fmi2GetStringStatus(fmi2Component c, const fmi2StatusKind kind,
                                          fmi2String* value) {
  (void)c, (void)kind, (void)value;
  return fmi2Discard;
}

#endif
