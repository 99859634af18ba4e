// Global sensitivities: how much of what comes out is due to which parameter, over the whole box.
//
// Elementary effects [Morris 1991; Campolongo et al. 2007]. Along a path one parameter after the
// other moves by Δ of its range; d_i = ±(y after − y before)/Δ. Over many paths
//   μ_i = mean d_i,   μ*_i = mean |d_i|,   σ_i = standard deviation of d_i                (1)
// A large μ* says that the parameter matters; a σ as large, that it does so not linearly or
// together with others. Cheap: (k + 1) runs a path, some ten to fifty paths.
//
// Sobol' indices. With independent uniform parameters the variance V of y is a sum of what each
// parameter does by itself and together with others:
//   S_i = V[E(y | x_i)]/V,   T_i = 1 − V[E(y | all but x_i)]/V                             (2)
// From pairs of points A, B and A with the i-th coordinate of B, N(k + 2) runs:
//   S_i V ≈ 1/N Σ y_B (y_ABi − y_A)         [Saltelli et al. 2010, table 2 (b)]            (3)
//   T_i V ≈ 1/2N Σ (y_A − y_ABi)²           [Jansen 1999]                                  (4)
// The mean is subtracted from y first, which takes away most of the error of (3). Intervals are
// percentiles of estimates from pairs drawn again with replacement (bootstrap).
//
// Runs that have no value leave out their path's effect or their pair.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <koppel/study/samples.hpp>

namespace koppel {

struct ElementaryEffects {
  double mean = 0;           // μ, in units of y for the whole range
  double mean_size = 0;      // μ*
  double size_error = 0;     // standard error of μ*
  double deviation = 0;      // σ
  std::size_t num_used = 0;  // effects
};

struct SobolIndex {
  struct Interval {
    double low = 0, high = 0;
  };
  double first = 0, total = 0;  // S, T
  Interval first_95, total_95;  // with a confidence of 95 %
  std::size_t num_used = 0;     // pairs
};

// One for each parameter, of the values of all points of the design in their order; those that are
// not finite are missing. Nothing can be said where fewer than two are used, or y does not vary:
// values are not a number then.
std::vector<ElementaryEffects> elementary_effects(const Samples& samples,
                                                  std::span<const double> y);
std::vector<SobolIndex> sobol_indices(const Samples& samples, std::span<const double> y,
                                      int num_bootstrap = 1000);

// "criterion,parameter,…", a line for each criterion and parameter. `values` by criterion.
std::string indices_csv(const Samples& samples, std::span<const std::string> criteria,
                        std::span<const std::vector<double>> values);

}  // namespace koppel
