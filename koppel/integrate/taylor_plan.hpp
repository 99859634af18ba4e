// How long the next step of a Taylor series may be, from its coefficients (taylor.cpp).
#pragma once

#include <vector>

#include <koppel/integrate/integrator.hpp>
#include <koppel/problem/problem.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

// The order of series; `wanted`: 0 for the one that suits the tolerance.
int taylor_order(const SeriesSystem& system, int wanted, double tolerance);

struct TaylorPlan {
  double h = 0;
  int order = 0;         // p, of the polynomials of the z_j
  bool is_lost = false;  // near a singular configuration, and the high coefficients are round-off
  double h_clean = 0;    // what those of low order would allow
};

// Errors are measured in the derivatives z_j of x_j of order d_j − 1, for a mechanism the
// velocities: where these are right, positions are. With weights w_j = max(|z_j|, scale) and the
// largest weighted coefficients
//   m_k = max_j |z_j[k]| / w_j,     ρ = min m_k^{−1/k} over the last k ≤ p,
// the radius of convergence seen in them, the first term that is left out is about (h/ρ)ᵖ⁺¹. Error
// per unit step asks for (h/ρ)ᵖ⁺¹ ≤ h σ tolerance, hence
//   h = (σ tolerance · ρᵖ⁺¹)^{1/p}.                                                      (1)
// Motions over hours have steps of minutes, and would be allowed the more error the slower they
// are: there it is error per step, (h/ρ)ᵖ⁺¹ ≤ σ tolerance,
//   h = (σ tolerance)^{1/(p+1)} ρ.                                                       (2)
// Coordinates without mass have d_j = 0: they follow from the rest at every time, as multipliers
// do, but often only near values that are known, on their branch. No error of theirs is carried
// along, so that what others may gain in a unit of time they may have. That is error per unit step
// of their integrals, and these are the z_j:
//   z_j[k] = x_j[k−1] / k,      w_j = max(|x_j|, scale).                                   (3)
// Multipliers may have a smaller radius than the motion, and do not count.
class TaylorPlanner {
 public:
  TaylorPlanner(const IntegrateOptions& options, const Problem& problem);

  // σ: errors of the steps add up, and later motion amplifies them.
  static constexpr double kSafety = 0.2;
  // How many coefficients the radius is seen in: motions that start at rest or are symmetric have
  // every second or fourth one only.
  static constexpr int kSeen = 4;

  // `may_be_lost`: a singular configuration is near.
  TaylorPlan make(const SeriesSolver& at, bool may_be_lost);

  // Whether x_j is part of the motion rather than a multiplier.
  bool counts(int j) const { return counts_[static_cast<std::size_t>(j)]; }
  void set_weights(const SeriesSolver& at);
  double weight(int j) const { return weight_[static_cast<std::size_t>(j)]; }  // 1/w_j

 private:
  double log_norm(const SeriesSolver& at, int k) const;
  double log_radius(const SeriesSolver& at, int k) const;

  const IntegrateOptions& options_;
  std::vector<bool> counts_;
  std::vector<double> weight_;
};

}  // namespace koppel
