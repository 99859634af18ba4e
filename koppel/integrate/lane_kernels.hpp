// Sums, norms and powers of dop853 (runtime/dop853.h) for several systems at once: every number is
// a row, a number for each lane, and each lane has the bits of the scalar code.
#pragma once

#include <koppel/runtime/dop853.h>

namespace koppel {

struct LaneKernels {
  int lanes;
  // out = y0 + h Σ weight k, of n rows each.
  void (*combine)(koppel_weights row, const double* h, double* const* k, int n, const double* y0,
                  double* out);
  // koppel_error_norm of the errors of orders 5 and 3 of each lane.
  void (*errors)(const double* h, double* const* k, const double* a, const double* b, int n,
                 double scale, double* e5, double* e3);
  // sums += Σ 0 x, of n rows: 0 where all are finite, else NaN.
  void (*check)(const double* x, int n, double* sums);
  // out = t + c h
  void (*times)(const double* t, double c, const double* h, double* out);
  // koppel_power_of of each lane.
  void (*power)(const double* x, double p, double* out);
};

// For 1, 4, 8 lanes, or 64, by the instructions that machine code for so many takes.
const LaneKernels& lane_kernels(int lanes);

}  // namespace koppel
