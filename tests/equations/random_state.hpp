// Random states that satisfy all constraints.
#pragma once

#include <random>

#include <gtest/gtest.h>

#include <koppel/analysis/assembly/assembly.hpp>

namespace koppel::testing {

// Near the expected start: coordinates displaced by up to `spread`, velocities up to 2, then
// assembled. The user's wishes for the start are left aside.
inline State random_state(const Equations& equations, std::mt19937& random, double spread) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  Equations free = equations;
  free.wishes.clear();
  const Evaluator evaluator(free);
  State guess = start_of(free);
  for (double& q : guess.q) q += spread * uniform(random);
  for (double& v : guess.v) v = 2 * uniform(random);
  const Assembly assembly = assemble(evaluator, guess);
  EXPECT_TRUE(assembly) << assembly.text;
  return assembly.state;
}

}  // namespace koppel::testing
