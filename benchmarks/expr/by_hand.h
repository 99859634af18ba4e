/* The models of models.hpp as a person writes them in C: the other side of the comparisons. */
#ifndef KOPPEL_BENCHMARKS_BY_HAND_H
#define KOPPEL_BENCHMARKS_BY_HAND_H

#ifdef __cplusplus
extern "C" {
#endif

enum { kNumLinks = 10, kNumBodies = 20, kNumPlanets = 6 };

void by_hand_cart_pole(const double* in, double* out);
void by_hand_chain(const double* in, double* out);
void by_hand_gravity(const double* in, double* out);

/* Taylor coefficients of the solution of x' = f(x): x holds order + 1 numbers a variable, of which
 * the first is given. */
void by_hand_taylor_pendulum(double* x, int order);
void by_hand_taylor_kepler(double* x, int order);
void by_hand_taylor_double_pendulum(double* x, int order);
void by_hand_taylor_planets(double* x, int order);

#ifdef __cplusplus
}
#endif

#endif
