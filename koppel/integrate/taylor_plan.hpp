// How long the next step of a Taylor series may be, from its coefficients (taylor.cpp).
#pragma once

#include <vector>

#include <koppel/integrate/integrator.hpp>
#include <koppel/problem/series_solver.hpp>

namespace koppel {

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
class TaylorPlanner {
 public:
  TaylorPlanner(const IntegrateOptions& options, int num_unknowns)
      : options_(options), weight_(static_cast<std::size_t>(num_unknowns)) {}

  // σ: errors of the steps add up, and later motion amplifies them.
  static constexpr double kSafety = 0.2;
  // How many coefficients the radius is seen in: motions that start at rest or are symmetric have
  // every second or fourth one only.
  static constexpr int kSeen = 4;

  // `may_be_lost`: a singular configuration is near.
  TaylorPlan make(const SeriesSolver& at, bool may_be_lost);

  void set_weights(const SeriesSolver& at);
  double weight(int j) const { return weight_[static_cast<std::size_t>(j)]; }  // 1/w_j

 private:
  double log_norm(const SeriesSolver& at, int k) const;
  double log_radius(const SeriesSolver& at, int k) const;

  const IntegrateOptions& options_;
  std::vector<double> weight_;
};

}  // namespace koppel
