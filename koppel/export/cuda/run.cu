/* Many variants of one model, side by side: pasted into exports for CUDA, behind the step. The file
 * that includes it defines, for its model,
 *
 *   KOPPEL_OF(x)                                           NAME_x
 *   KOPPEL_LEAST_BLOCKS, KOPPEL_LEAST_BLOCKS_REDUCING      that a multiprocessor holds at once
 *   KOPPEL_REAL, KOPPEL_BATCH_STEP, KOPPEL_BATCH_START_TIME, KOPPEL_BATCH_NUM_STATES, _PARAMETERS,
 * _INPUTS, _OUTPUTS koppel_model_starts, koppel_model_field_starts                   of states; of
 * parameters and inputs koppel_model_load, koppel_model_store, koppel_model_observe             of
 * one variant
 *
 * Arrays hold one number for each variant, fields one after the other. A thread takes one variant
 * through all steps of a run; what it needs is read before and written after them.
 */
enum { KOPPEL_BLOCK = 128 };

struct koppel_job {
  int64_t variants;
  uint64_t steps, record_every, reduce_every;
  const koppel_field *parameters, *inputs, *starts;
  koppel_real* states; /* at the end */
  uint64_t* counts; /* of steps */
  int* failures;
  const int* slots; /* of outputs: their places in records and reductions, or -1 */
  int num_chosen;
  koppel_real *last, *minimum, *maximum, *mean, *records;
};

/* The outputs at the state. */
KOPPEL_INLINE void koppel_observe(KOPPEL_OF(state) * state, const KOPPEL_OF(inputs) * inputs,
                                  const KOPPEL_OF(prepared) * prepared, koppel_real* out) {
  state->t = koppel_time(state->start_time, KOPPEL_BATCH_STEP, state->count);
  koppel_model_observe(state, inputs, prepared, out);
}

template <bool kReduces>
KOPPEL_INLINE void koppel_run_variant(const koppel_job& job, int64_t i) {
  const uint64_t kNever = ~(uint64_t)0;
  KOPPEL_OF(state) state;
  KOPPEL_OF(parameters) parameters;
  KOPPEL_OF(inputs) inputs;
  KOPPEL_OF(prepared) prepared;
  koppel_real out[KOPPEL_BATCH_NUM_OUTPUTS + 1];
  koppel_real low[KOPPEL_BATCH_NUM_OUTPUTS + 1] = {0}, high[KOPPEL_BATCH_NUM_OUTPUTS + 1] = {0};
  koppel_real sum[KOPPEL_BATCH_NUM_OUTPUTS + 1] = {0};
  uint64_t done = 0, num_records = 0, num_reduced = 0;
  uint64_t next_record = job.record_every > 0 ? job.record_every : kNever;
  uint64_t next_reduced = kReduces ? job.reduce_every : kNever;
  int failure = 0;

  koppel_model_load(job.parameters, job.inputs, job.starts, i, &state, &parameters, &inputs);
  state.start_time = KOPPEL_BATCH_START_TIME;
  state.count = job.counts[i];
  state.t = koppel_time(state.start_time, KOPPEL_BATCH_STEP, state.count);
  KOPPEL_OF(prepare)(&parameters, &prepared);

  while (done < job.steps) {
    uint64_t until = job.steps;
    if (next_record < until) until = next_record;
    if (next_reduced < until) until = next_reduced;
    for (; done < until; ++done) {
      failure = KOPPEL_OF(step)(&state, &inputs, &prepared);
      if (failure != 0) break;
    }
    if (failure != 0) break;
    if (done != next_record && done != next_reduced) continue;
    koppel_observe(&state, &inputs, &prepared, out);
    if (done == next_record) {
      KOPPEL_UNROLL
      for (int j = 0; j < KOPPEL_BATCH_NUM_OUTPUTS; ++j) {
        if (job.slots[j] < 0) continue;
        job.records[((int64_t)num_records * job.num_chosen + job.slots[j]) * job.variants + i] =
            out[j];
      }
      ++num_records;
      next_record += job.record_every;
    }
    if (done == next_reduced) {
      KOPPEL_UNROLL
      for (int j = 0; j < KOPPEL_BATCH_NUM_OUTPUTS; ++j) {
        low[j] = num_reduced == 0 || out[j] < low[j] ? out[j] : low[j];
        high[j] = num_reduced == 0 || out[j] > high[j] ? out[j] : high[j];
        sum[j] = num_reduced == 0 ? out[j] : sum[j] + out[j];
      }
      ++num_reduced;
      next_reduced += job.reduce_every;
    }
  }

  koppel_observe(&state, &inputs, &prepared, out);
  koppel_model_store(&state, job.states, job.variants, i);
  job.counts[i] = state.count;
  job.failures[i] = failure;
  KOPPEL_UNROLL
  for (int j = 0; j < KOPPEL_BATCH_NUM_OUTPUTS; ++j) {
    job.last[j * job.variants + i] = out[j];
    if (job.slots[j] < 0) continue;
    if (kReduces) {
      const int64_t at = job.slots[j] * job.variants + i;
      job.minimum[at] = num_reduced > 0 ? low[j] : (koppel_real)NAN;
      job.maximum[at] = num_reduced > 0 ? high[j] : (koppel_real)NAN;
      job.mean[at] = num_reduced > 0 ? sum[j] / (koppel_real)num_reduced : (koppel_real)NAN;
    }
    if (job.record_every == 0) continue;
    for (uint64_t k = num_records; k < job.steps / job.record_every; ++k) { /* after a failure */
      job.records[((int64_t)k * job.num_chosen + job.slots[j]) * job.variants + i] =
          (koppel_real)NAN;
    }
  }
}
