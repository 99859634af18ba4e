/* The memory of a batch and the functions of its header: pasted into exports for CUDA, behind
 * run.cu. Failures are 1: no memory, 2: wrong argument, 3: nothing there, 100 and more: those of
 * CUDA.
 */
#ifdef KOPPEL_NEVER_REDUCES /* defined by who needs no reductions: half as much to compile */
static const bool koppel_may_reduce = false;
#else
static const bool koppel_may_reduce = true;
#endif

#ifdef __CUDACC__

template <bool kReduces>
__global__ void __launch_bounds__(KOPPEL_BLOCK,
                                  kReduces ? KOPPEL_LEAST_BLOCKS_REDUCING : KOPPEL_LEAST_BLOCKS)
    koppel_run(const koppel_job job) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < job.variants) koppel_run_variant<kReduces>(job, i);
}

__global__ void koppel_fill(koppel_real* values, koppel_real value, int64_t count) {
  const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = value;
}

static int koppel_failure_of(cudaError_t error) {
  return error == cudaSuccess ? 0 : 100 + (int)error;
}
static unsigned koppel_blocks(int64_t count) {
  return (unsigned)((count + KOPPEL_BLOCK - 1) / KOPPEL_BLOCK);
}

static int koppel_allocate(void** memory, size_t bytes) {
  return koppel_failure_of(cudaMalloc(memory, bytes > 0 ? bytes : 1));
}
static void koppel_release(void* memory) { cudaFree(memory); }
static int koppel_allocate_on_host(void** memory, size_t bytes) {
  return koppel_failure_of(cudaMallocHost(memory, bytes > 0 ? bytes : 1));
}
static void koppel_release_on_host(void* memory) { cudaFreeHost(memory); }
static int64_t koppel_num_at_once(int reduces) {
  int device = 0, processors = 0, blocks = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  if (reduces) {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, koppel_run<koppel_may_reduce>,
                                                  KOPPEL_BLOCK, 0);
  } else {
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, koppel_run<false>, KOPPEL_BLOCK, 0);
  }
  const int64_t count = (int64_t)processors * blocks * KOPPEL_BLOCK;
  return count > 0 ? count : 1;
}
static int koppel_copy(void* to, const void* from, size_t bytes) {
  return koppel_failure_of(cudaMemcpy(to, from, bytes, cudaMemcpyDefault));
}
static int koppel_clear(void* memory, size_t bytes) {
  return koppel_failure_of(cudaMemset(memory, 0, bytes));
}
static int koppel_set_all(koppel_real* values, koppel_real value, int64_t count) {
  koppel_fill<<<koppel_blocks(count), KOPPEL_BLOCK>>>(values, value, count);
  return koppel_failure_of(cudaGetLastError());
}
static int koppel_launch(const koppel_job& job) {
  if (job.reduce_every > 0) {
    koppel_run<koppel_may_reduce><<<koppel_blocks(job.variants), KOPPEL_BLOCK>>>(job);
  } else {
    koppel_run<false><<<koppel_blocks(job.variants), KOPPEL_BLOCK>>>(job);
  }
  const cudaError_t launched = cudaGetLastError();
  return koppel_failure_of(launched == cudaSuccess ? cudaStreamSynchronize(0) : launched);
}
static const char* koppel_reason(int failure) {
  return cudaGetErrorString((cudaError_t)(failure - 100));
}

#else

static int koppel_allocate(void** memory, size_t bytes) {
  *memory = malloc(bytes > 0 ? bytes : 1);
  return *memory == NULL ? 1 : 0;
}
static void koppel_release(void* memory) { free(memory); }
static int koppel_allocate_on_host(void** memory, size_t bytes) {
  return koppel_allocate(memory, bytes);
}
static void koppel_release_on_host(void* memory) { free(memory); }
static int64_t koppel_num_at_once(int) { return 1; }
static int koppel_copy(void* to, const void* from, size_t bytes) {
  memcpy(to, from, bytes);
  return 0;
}
static int koppel_clear(void* memory, size_t bytes) {
  memset(memory, 0, bytes);
  return 0;
}
static int koppel_set_all(koppel_real* values, koppel_real value, int64_t count) {
  for (int64_t i = 0; i < count; ++i) values[i] = value;
  return 0;
}
static int koppel_launch(const koppel_job& job) {
#ifdef _OPENMP
#pragma omp parallel for
#endif
  for (int64_t i = 0; i < job.variants; ++i) {
    if (job.reduce_every > 0) {
      koppel_run_variant<true>(job, i);
    } else {
      koppel_run_variant<false>(job, i);
    }
  }
  return 0;
}
static const char* koppel_reason(int) { return "unknown failure"; }

#endif

/* What the threads begin with. Fields are parameters, then inputs, then states; what all variants
 * have in common is one number, which travels with them. */
enum {
  KOPPEL_FIRST_START = KOPPEL_BATCH_NUM_PARAMETERS + KOPPEL_BATCH_NUM_INPUTS,
  KOPPEL_NUM_FIELDS = KOPPEL_FIRST_START + KOPPEL_BATCH_NUM_STATES
};
struct koppel_begin {
  koppel_field fields[KOPPEL_NUM_FIELDS + 1];
  koppel_real common[KOPPEL_NUM_FIELDS + 1];
};

/* What the caller owns. */
struct KOPPEL_OF(batch) {
  koppel_job job;
  koppel_begin begin;
  koppel_begin* begin_on_card;
  koppel_real* own[KOPPEL_FIRST_START + 1]; /* memory on the card for values of all variants */
  int chosen[KOPPEL_BATCH_NUM_OUTPUTS + 1]; /* slots, on the host */
  void* slots_on_card;
  uint64_t num_records, room; /* room: for each reduction */
  int has_reductions;
};

static void koppel_drop(koppel_real** memory) {
  koppel_release(*memory);
  *memory = NULL;
}

static int koppel_take(koppel_real** memory, uint64_t count) {
  void* taken = NULL;
  const int failure = count > SIZE_MAX / sizeof(koppel_real)
                          ? 1
                          : koppel_allocate(&taken, (size_t)count * sizeof(koppel_real));
  koppel_drop(memory);
  *memory = failure == 0 ? (koppel_real*)taken : NULL;
  return failure;
}

/* Memory for reductions stays: to give it back, a card waits for all that it does. */
static void koppel_drop_observations(KOPPEL_OF(batch) * batch) {
  koppel_drop(&batch->job.records);
  batch->num_records = 0;
  batch->has_reductions = 0;
}

static int koppel_make_room(KOPPEL_OF(batch) * batch, uint64_t count) {
  if (count <= batch->room) return 0;
  batch->room = 0;
  int failure = koppel_take(&batch->job.minimum, count);
  if (failure == 0) failure = koppel_take(&batch->job.maximum, count);
  if (failure == 0) failure = koppel_take(&batch->job.mean, count);
  if (failure == 0) batch->room = count;
  return failure;
}

/* One value for all variants. */
static void koppel_set_common(KOPPEL_OF(batch) * batch, int field, koppel_real value) {
  batch->begin.common[field] = value;
  batch->begin.fields[field].values = batch->begin_on_card->common + field;
  batch->begin.fields[field].stride = 0;
}

/* One for all variants, or one for each, to memory on the card. */
static int koppel_set_field(KOPPEL_OF(batch) * batch, int field, koppel_real* to,
                            const koppel_real* values, int64_t count) {
  if (count == 1) {
    koppel_set_common(batch, field, *values);
    return 0;
  }
  batch->begin.fields[field].values = to;
  batch->begin.fields[field].stride = 1;
  return koppel_copy(to, values, (size_t)count * sizeof(koppel_real));
}

static int koppel_set_own(KOPPEL_OF(batch) * batch, int field, const koppel_real* values,
                          int64_t count) {
  koppel_real** own = batch->own + field;
  if (count != 1 && count != batch->job.variants) return 2;
  if (count > 1 && *own == NULL) {
    const int failure = koppel_take(own, (uint64_t)count);
    if (failure != 0) return failure;
  }
  return koppel_set_field(batch, field, *own, values, count);
}

static koppel_real* koppel_states_of(KOPPEL_OF(batch) * batch, int state) {
  return batch->job.states + state * batch->job.variants;
}

extern "C" const char* KOPPEL_OF(message)(int failure) {
  switch (failure) {
    case 0: return "done";
    case 1: return "not enough memory";
    case 2:
      return "wrong argument: values are 1 or as many as variants, indices those of the header";
    case 3: return "nothing of this kind was recorded or reduced in the last run";
    default: return koppel_reason(failure);
  }
}

extern "C" void KOPPEL_OF(destroy)(KOPPEL_OF(batch) * batch) {
  if (batch == NULL) return;
  koppel_drop_observations(batch);
  koppel_drop(&batch->job.minimum);
  koppel_drop(&batch->job.maximum);
  koppel_drop(&batch->job.mean);
  for (int k = 0; k < KOPPEL_FIRST_START; ++k) koppel_drop(&batch->own[k]);
  koppel_drop(&batch->job.states);
  koppel_drop(&batch->job.last);
  koppel_release(batch->job.counts);
  koppel_release(batch->job.failures);
  koppel_release(batch->begin_on_card);
  koppel_release(batch->slots_on_card);
  free(batch);
}

extern "C" int KOPPEL_OF(restart)(KOPPEL_OF(batch) * batch) {
  for (int k = 0; k < KOPPEL_BATCH_NUM_STATES; ++k) {
    koppel_set_common(batch, KOPPEL_FIRST_START + k, koppel_model_starts[k]);
  }
  return koppel_clear(batch->job.counts, (size_t)batch->job.variants * sizeof(uint64_t));
}

static int koppel_fill_batch(KOPPEL_OF(batch) * batch) {
  const uint64_t n = (uint64_t)batch->job.variants;
  int failure = koppel_take(&batch->job.states, n * KOPPEL_BATCH_NUM_STATES);
  if (failure == 0) failure = koppel_take(&batch->job.last, n * KOPPEL_BATCH_NUM_OUTPUTS);
  if (failure == 0) failure = koppel_allocate((void**)&batch->job.counts, n * sizeof(uint64_t));
  if (failure == 0) failure = koppel_allocate((void**)&batch->job.failures, n * sizeof(int));
  if (failure == 0) failure = koppel_clear(batch->job.failures, n * sizeof(int));
  if (failure == 0) failure = koppel_allocate((void**)&batch->begin_on_card, sizeof batch->begin);
  if (failure == 0) failure = koppel_allocate(&batch->slots_on_card, sizeof batch->chosen);
  for (int k = 0; k < KOPPEL_FIRST_START && failure == 0; ++k) {
    koppel_set_common(batch, k, koppel_model_field_starts[k]);
  }
  if (failure == 0) failure = KOPPEL_OF(choose_outputs)(batch, NULL, KOPPEL_BATCH_NUM_OUTPUTS);
  return failure == 0 ? KOPPEL_OF(restart)(batch) : failure;
}

extern "C" int KOPPEL_OF(create)(KOPPEL_OF(batch) * *batch, int64_t variants) {
  int failure;
  *batch = NULL;
  if (variants < 1 ||
      (uint64_t)variants > SIZE_MAX / sizeof(koppel_real) / (KOPPEL_BATCH_NUM_STATES + 1)) {
    return 2;
  }
  *batch = (KOPPEL_OF(batch)*)calloc(1, sizeof **batch);
  if (*batch == NULL) return 1;
  (*batch)->job.variants = variants;
  failure = koppel_fill_batch(*batch);
  if (failure != 0) {
    KOPPEL_OF(destroy)(*batch);
    *batch = NULL;
  }
  return failure;
}

extern "C" int KOPPEL_OF(set_state)(KOPPEL_OF(batch) * batch, int state, const koppel_real* values,
                                    int64_t count) {
  const int64_t n = batch->job.variants;
  if (state < 0 || state >= KOPPEL_BATCH_NUM_STATES || (count != 1 && count != n)) return 2;
  return koppel_set_field(batch, KOPPEL_FIRST_START + state, koppel_states_of(batch, state), values,
                          count);
}

extern "C" int KOPPEL_OF(set_parameter)(KOPPEL_OF(batch) * batch, int parameter,
                                        const koppel_real* values, int64_t count) {
  if (parameter < 0 || parameter >= KOPPEL_BATCH_NUM_PARAMETERS) return 2;
  return koppel_set_own(batch, parameter, values, count);
}

extern "C" int KOPPEL_OF(set_input)(KOPPEL_OF(batch) * batch, int input, const koppel_real* values,
                                    int64_t count) {
  if (input < 0 || input >= KOPPEL_BATCH_NUM_INPUTS) return 2;
  return koppel_set_own(batch, KOPPEL_BATCH_NUM_PARAMETERS + input, values, count);
}

extern "C" int KOPPEL_OF(set_counts)(KOPPEL_OF(batch) * batch, const uint64_t* counts) {
  return koppel_copy(batch->job.counts, counts, (size_t)batch->job.variants * sizeof *counts);
}

extern "C" int KOPPEL_OF(choose_outputs)(KOPPEL_OF(batch) * batch, const int* outputs, int count) {
  int slots[KOPPEL_BATCH_NUM_OUTPUTS + 1];
  if (count < 0 || count > KOPPEL_BATCH_NUM_OUTPUTS) return 2;
  for (int j = 0; j <= KOPPEL_BATCH_NUM_OUTPUTS; ++j) slots[j] = -1;
  for (int k = 0; k < count; ++k) {
    const int output = outputs == NULL ? k : outputs[k];
    if (output < 0 || output >= KOPPEL_BATCH_NUM_OUTPUTS || slots[output] >= 0) return 2;
    slots[output] = k;
  }
  koppel_drop_observations(batch);
  memcpy(batch->chosen, slots, sizeof slots);
  batch->job.num_chosen = count;
  return koppel_copy(batch->slots_on_card, slots, sizeof slots);
}

extern "C" int KOPPEL_OF(run)(KOPPEL_OF(batch) * batch, uint64_t steps, uint64_t record_every,
                              uint64_t reduce_every) {
  koppel_job* job = &batch->job;
  const uint64_t chosen = (uint64_t)job->num_chosen * (uint64_t)job->variants;
  int failure = 0;
  koppel_drop_observations(batch);
  if (job->num_chosen == 0) record_every = reduce_every = 0;
  if (!koppel_may_reduce) reduce_every = 0;
  if (record_every > steps) record_every = 0;
  if (reduce_every > steps) reduce_every = 0;
  const uint64_t num_records = record_every > 0 ? steps / record_every : 0;
  if (num_records > 0) {
    if (num_records > SIZE_MAX / sizeof(koppel_real) / chosen) return 1;
    failure = koppel_take(&job->records, num_records * chosen);
  }
  if (reduce_every > 0 && failure == 0) failure = koppel_make_room(batch, chosen);
  if (failure == 0)
    failure = koppel_copy(batch->begin_on_card, &batch->begin, sizeof batch->begin);
  if (failure != 0) return failure;
  job->steps = steps;
  job->record_every = record_every;
  job->reduce_every = reduce_every;
  job->parameters = batch->begin_on_card->fields;
  job->inputs = job->parameters + KOPPEL_BATCH_NUM_PARAMETERS;
  job->starts = job->parameters + KOPPEL_FIRST_START;
  job->slots = (const int*)batch->slots_on_card;
  failure = koppel_launch(*job);
  if (failure != 0) return failure;
  for (int k = 0; k < KOPPEL_BATCH_NUM_STATES; ++k) { /* where the next run goes on from */
    batch->begin.fields[KOPPEL_FIRST_START + k].values = koppel_states_of(batch, k);
    batch->begin.fields[KOPPEL_FIRST_START + k].stride = 1;
  }
  batch->num_records = num_records;
  batch->has_reductions = reduce_every > 0;
  return 0;
}

extern "C" int KOPPEL_OF(get_state)(const KOPPEL_OF(batch) * batch, int state,
                                    koppel_real* values) {
  const int64_t n = batch->job.variants;
  if (state < 0 || state >= KOPPEL_BATCH_NUM_STATES) return 2;
  if (batch->begin.fields[KOPPEL_FIRST_START + state].stride == 0) {
    const koppel_real value = batch->begin.common[KOPPEL_FIRST_START + state];
    for (int64_t i = 0; i < n; ++i) values[i] = value;
    return 0;
  }
  return koppel_copy(values, batch->job.states + state * n, (size_t)n * sizeof(koppel_real));
}

extern "C" int KOPPEL_OF(get_counts)(const KOPPEL_OF(batch) * batch, uint64_t* counts) {
  return koppel_copy(counts, batch->job.counts, (size_t)batch->job.variants * sizeof *counts);
}

extern "C" int KOPPEL_OF(get_failures)(const KOPPEL_OF(batch) * batch, int* failures) {
  return koppel_copy(failures, batch->job.failures, (size_t)batch->job.variants * sizeof *failures);
}

extern "C" int KOPPEL_OF(get_output)(const KOPPEL_OF(batch) * batch, int output, int which,
                                     koppel_real* values) {
  const koppel_job* job = &batch->job;
  const int64_t n = job->variants;
  const koppel_real* const of[] = {job->last, job->minimum, job->maximum, job->mean};
  if (output < 0 || output >= KOPPEL_BATCH_NUM_OUTPUTS || which < 0 || which > 3) return 2;
  if (which > 0 && (!batch->has_reductions || batch->chosen[output] < 0)) return 3;
  const int64_t place = which == 0 ? output : batch->chosen[output];
  return koppel_copy(values, of[which] + place * n, (size_t)n * sizeof(koppel_real));
}

extern "C" uint64_t KOPPEL_OF(num_records)(const KOPPEL_OF(batch) * batch) {
  return batch->num_records;
}

extern "C" int KOPPEL_OF(get_record)(const KOPPEL_OF(batch) * batch, uint64_t record, int output,
                                     koppel_real* values) {
  const koppel_job* job = &batch->job;
  const int64_t n = job->variants;
  if (output < 0 || output >= KOPPEL_BATCH_NUM_OUTPUTS) return 2;
  if (record >= batch->num_records || batch->chosen[output] < 0) return 3;
  return koppel_copy(values,
                     job->records + ((int64_t)record * job->num_chosen + batch->chosen[output]) * n,
                     (size_t)n * sizeof(koppel_real));
}

extern "C" koppel_real* KOPPEL_OF(states_on_card)(KOPPEL_OF(batch) * batch) {
  for (int k = 0; k < KOPPEL_BATCH_NUM_STATES; ++k) {
    koppel_field* start = batch->begin.fields + KOPPEL_FIRST_START + k;
    if (start->stride == 1) continue;
    start->values = koppel_states_of(batch, k);
    start->stride = 1;
    koppel_set_all(start->values, batch->begin.common[KOPPEL_FIRST_START + k],
                   batch->job.variants);
  }
  return batch->job.states;
}

extern "C" int64_t KOPPEL_OF(num_at_once)(int reduces) { return koppel_num_at_once(reduces); }

extern "C" int KOPPEL_OF(allocate_on_host)(void** memory, size_t bytes) {
  return koppel_allocate_on_host(memory, bytes);
}

extern "C" void KOPPEL_OF(release_on_host)(void* memory) { koppel_release_on_host(memory); }
