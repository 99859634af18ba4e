/* The functions of FMI 3.0 for what these FMUs do not have: variables of types other than Float64,
 * clocks, structural parameters, dependencies of elements, Scheduled Execution. Each says so and
 * returns fmi3Error. C99; pasted into FMUs behind fmi3.h.
 */
#ifndef KOPPEL_RUNTIME_FMI3_ABSENT_H
#define KOPPEL_RUNTIME_FMI3_ABSENT_H

KOPPEL_FMI fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources, fmi3Boolean visible,
    fmi3Boolean logging, fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock) {
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  (void)update, (void)lock, (void)unlock;
  if (log != NULL) log(environment, fmi3Error, "logStatusError", "there is no Scheduled Execution");
  return NULL;
}

/* There are variables of type Float64 only. The functions of the other types differ in nothing but
 * the type, so that a macro writes them. */
static fmi3Status koppel_none(fmi3Instance instance, size_t n) {
  return n == 0 ? fmi3OK
                : koppel_say((koppel_fmu*)instance, fmi3Error,
                             "there are variables of type Float64 only");
}
#define KOPPEL_NO_VARIABLES(Type)                                                               \
  KOPPEL_FMI fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference vr[],     \
                                      size_t n, fmi3##Type values[], size_t num_values) {       \
    (void)vr, (void)values, (void)num_values;                                                   \
    return koppel_none(instance, n);                                                            \
  }                                                                                             \
  KOPPEL_FMI fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference vr[],     \
                                      size_t n, const fmi3##Type values[], size_t num_values) { \
    (void)vr, (void)values, (void)num_values;                                                   \
    return koppel_none(instance, n);                                                            \
  }
KOPPEL_NO_VARIABLES(Float32)
KOPPEL_NO_VARIABLES(Int8)
KOPPEL_NO_VARIABLES(UInt8)
KOPPEL_NO_VARIABLES(Int16)
KOPPEL_NO_VARIABLES(UInt16)
KOPPEL_NO_VARIABLES(Int32)
KOPPEL_NO_VARIABLES(UInt32)
KOPPEL_NO_VARIABLES(Int64)
KOPPEL_NO_VARIABLES(UInt64)
KOPPEL_NO_VARIABLES(Boolean)
KOPPEL_NO_VARIABLES(String)
#undef KOPPEL_NO_VARIABLES
KOPPEL_FMI fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                    size_t sizes[], fmi3Binary values[], size_t num_values) {
  (void)vr, (void)sizes, (void)values, (void)num_values;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                    const size_t sizes[], const fmi3Binary values[],
                                    size_t num_values) {
  (void)vr, (void)sizes, (void)values, (void)num_values;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                   fmi3Clock values[]) {
  (void)vr, (void)values;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
                                   const fmi3Clock values[]) {
  (void)vr, (void)values;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance,
                                                          fmi3ValueReference vr, size_t* n) {
  (void)vr, (void)n;
  return koppel_say((koppel_fmu*)instance, fmi3Error, "dependencies of elements are not given");
}
KOPPEL_FMI fmi3Status fmi3GetVariableDependencies(fmi3Instance instance,
                                                  fmi3ValueReference dependent, size_t elements[],
                                                  fmi3ValueReference independents[],
                                                  size_t of_independents[],
                                                  fmi3DependencyKind kinds[], size_t n) {
  (void)dependent, (void)elements, (void)independents, (void)of_independents, (void)kinds, (void)n;
  return koppel_say((koppel_fmu*)instance, fmi3Error, "dependencies of elements are not given");
}

/* There are no structural parameters and no clocks. */
KOPPEL_FMI fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance) {
  return koppel_say((koppel_fmu*)instance, fmi3Error, "there are no structural parameters");
}
KOPPEL_FMI fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance) {
  return koppel_say((koppel_fmu*)instance, fmi3Error, "there are no structural parameters");
}
KOPPEL_FMI fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference vr[],
                                             size_t n, fmi3Float64 intervals[],
                                             fmi3IntervalQualifier qualifiers[]) {
  (void)vr, (void)intervals, (void)qualifiers;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference vr[],
                                              size_t n, fmi3UInt64 counters[],
                                              fmi3UInt64 resolutions[],
                                              fmi3IntervalQualifier qualifiers[]) {
  (void)vr, (void)counters, (void)resolutions, (void)qualifiers;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference vr[],
                                          size_t n, fmi3Float64 shifts[]) {
  (void)vr, (void)shifts;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference vr[],
                                           size_t n, fmi3UInt64 counters[],
                                           fmi3UInt64 resolutions[]) {
  (void)vr, (void)counters, (void)resolutions;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference vr[],
                                             size_t n, const fmi3Float64 intervals[]) {
  (void)vr, (void)intervals;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference vr[],
                                              size_t n, const fmi3UInt64 counters[],
                                              const fmi3UInt64 resolutions[]) {
  (void)vr, (void)counters, (void)resolutions;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference vr[],
                                          size_t n, const fmi3Float64 shifts[]) {
  (void)vr, (void)shifts;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference vr[],
                                           size_t n, const fmi3UInt64 counters[],
                                           const fmi3UInt64 resolutions[]) {
  (void)vr, (void)counters, (void)resolutions;
  return koppel_none(instance, n);
}
KOPPEL_FMI fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance) {
  return koppel_say((koppel_fmu*)instance, fmi3Error, "there are no discrete states");
}
KOPPEL_FMI fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock,
                                                 fmi3Float64 t) {
  (void)clock, (void)t;
  return koppel_say((koppel_fmu*)instance, fmi3Error, "there is no Scheduled Execution");
}

#endif
