/* A number that two machines have in common when the outputs of a model have the same bits there.
 */
#include <stdint.h>

#include "model.h"

static uint32_t digest_of(const model_state* state, const model_inputs* inputs,
                          const model_prepared* prepared) {
  union {
    model_outputs outputs;
    uint32_t words[sizeof(model_outputs) / 4 + 1];
  } u;
  uint32_t digest = 2166136261u; /* FNV-1a, of words */
  unsigned i;
  for (i = 0; i < sizeof u.words / 4; ++i) u.words[i] = 0;
  model_observe(state, inputs, prepared, &u.outputs);
  for (i = 0; i < sizeof u.words / 4; ++i) digest = (digest ^ u.words[i]) * 16777619u;
  return digest;
}
