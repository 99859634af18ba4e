/* The steps of board.c on this machine: prints the digest of their outputs. */
#include <stdio.h>

#include "digest.h"

int main(void) {
  model_state state;
  model_parameters parameters;
  model_inputs inputs = {0};
  model_prepared prepared;
  int k;
  model_init(&state, &parameters, &prepared);
  for (k = 0; k < STEPS; ++k) {
    if (model_step(&state, &inputs, &prepared) != 0) return 1;
  }
  printf("%lu\n", (unsigned long)digest_of(&state, &inputs, &prepared));
  return 0;
}
