// Changes through the Taylor expansion of a DAE, forwards, and weights, backwards. For sources of
// this folder only.
//
// With offsets c_i of the equations and d_j of the unknowns (series_system.hpp), stages k = 0 … N
// find the x_j[k + d_j] from the x_j[m], m < d_j, by
//
//   F_i[n] = 0,     n = k + c_i.                                                             (1)
//
// How coefficients depend on those below them is said by the coefficients of partial derivatives
// along the motion [Griewank & Walther 2008, chapter 13]:
//
//   ∂F_i[n]/∂x_j[m] = Σ_r m!/(m−r)! A_ijr[n − m + r],     A_ijr = ∂F_i/∂x_j⁽ʳ⁾.              (2)
//
// Changes. δF_i = Σ_jr A_ijr δx_j⁽ʳ⁾ + F_p δp is a series like F_i, and (1) for it is solved stage
// by stage with the same matrix J.
//
// Weights. Given w_j[m] for all coefficients, multipliers s_i[n] of (1) make them stationary where
// m ≥ d_j. Counted from the end, S_i[e] = s_i[N + C − e] with C = max d, the sums over n are
// products of series again: with L = Σ_i S_i F_i and L_jr = ∂L/∂x_j⁽ʳ⁾ the weights become
//
//   w_j[m] + Σ_r m!/(m−r)! L_jr[N + C − m + r],                                              (3)
//
// which is to vanish for m = k + d_j, k = N, N − 1, … 0. In this order L_jr is needed at
// k′ + C − d_j + r in stage k′ = N − k, and depends on the S_i[k′ + C − c_i] that are not known yet
// where r = d_j − c_i only, by J: in stage k′
//
//   Σ_i J_ij k!/(k + c_i)! S_i[k′ + C − c_i] = −k!/(k + d_j)! (3)                              (4)
//
// with (3) for S_i[k′ + C − c_i] = 0. So weights are a series too, of stages like those of the
// motion. For m < d_j (3) is the weight of x_j[m] in the end, and (∂L/∂p)[N + C] that of p.
//
// Starts. Not all x_j[m], m < d_j, are free: rates of quaternions follow from velocities, by
// equations F_i = x_j′ − … in stage k = m − d_j < 0. Changes of them are found there, and in stage
// k′ = N − k weights of them go on to what they follow from, by (4) with J_ij = 1.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <koppel/expr/series/series.hpp>
#include <koppel/problem/series_solver.hpp>
#include <koppel/study/transposed.hpp>
#include <koppel/study/weight_sums.hpp>

namespace koppel {

// m!/(m − r)! for all m and r that occur.
class FallingFactorials {
 public:
  FallingFactorials(int most_m, int most_r);
  const double* of(int m) const { return values_.data() + m * stride_; }  // by r
  double operator()(int m, int r) const { return of(m)[r]; }

 private:
  int stride_;
  std::vector<double> values_;
};

// Coefficients of the unknowns of a DAE up to N + d_j, or weights of them.
class UnknownSeries {
 public:
  explicit UnknownSeries(const SeriesSolver& of)
      : stride_(static_cast<std::size_t>(of.order()) + 1),
        values_(stride_ * static_cast<std::size_t>(of.num_unknowns())) {}

  void clear() { std::fill(values_.begin(), values_.end(), 0.0); }
  double* of(int j) { return values_.data() + static_cast<std::size_t>(j) * stride_; }

 private:
  std::size_t stride_;
  std::vector<double> values_;
};

// A start that follows from others, of an unknown by an equation in a stage k < 0.
struct FollowingStart {
  int equation, unknown, stage;
};
// All that are not among the first `size` of y. Nothing where y is not what an expansion begins
// with, as for coordinates without mass.
std::optional<std::vector<FollowingStart>> find_following_starts(const SeriesSystem& system,
                                                                 std::size_t size);

class SeriesTangent {
 public:
  SeriesTangent(const SeriesSystem& system, std::vector<FollowingStart> following, int order,
                CompileOptions options);

  struct Work {
    explicit Work(const SeriesTangent& of)
        : series(of.series_.make_workspace()), b(of.system_.terms().dae.residuals.size()) {}
    SeriesWorkspace series;
    std::vector<double> b;
  };
  // dx has changes of the x_j[m], m < d_j, and gets those of the others. `at` has expanded.
  void go(SeriesSolver& at, std::span<const double> given, std::span<const double> dgiven,
          UnknownSeries& dx, Work& work) const;

 private:
  void put(int j, int m, double value, SeriesWorkspace& series) const;

  const SeriesSystem& system_;
  std::vector<FollowingStart> following_;
  FallingFactorials falling_;
  struct Variables {
    std::size_t first;
    int count;
  };
  std::vector<Variables> variables_;  // δx_j, δx_j′, … of each unknown
  Series series_;                     // of t, x, δx, given, δp: δF
};

class SeriesAdjoint {
 public:
  SeriesAdjoint(const SeriesSystem& system, std::vector<FollowingStart> following, int order,
                CompileOptions options);
  // Whether an expansion of this order can go back: it needs somewhat higher orders.
  static bool can(const SeriesSystem& system, int order) {
    return order + system.max_d() <= Series::kMaxOrder;
  }

  struct Work {
    explicit Work(const SeriesAdjoint& of);
    SeriesWorkspace series;
    std::vector<double> b, s, sums;
    std::vector<double> J, values;                     // values: of Jᵀ
    bool is_symmetric = false;                         // J, with equations beside their partners
    std::unique_ptr<LinearSolver<double>> transposed;  // where it is not; made when first needed
  };
  // Jᵀ at a point; false where it is singular.
  bool stand_at(SeriesSolver& at, Work& work) const;
  // w has weights of all coefficients, and gets those of the x_j[m], m < d_j; adds to those of what
  // is given. `at` has expanded, and stand_at() was there.
  void go(SeriesSolver& at, std::span<const double> given, UnknownSeries& w,
          std::span<double> w_given, Work& work) const;

 private:
  struct Parts;
  SeriesAdjoint(const SeriesSystem& system, std::vector<FollowingStart> following, int order,
                const Parts& parts, CompileOptions options);
  void weigh(int stage, int N, UnknownSeries& w, Work& work) const;
  void pass_on(int stage, int N, UnknownSeries& w, Work& work) const;
  bool is_symmetric(std::span<const double> J) const;
  std::span<const double> solve(SeriesSolver& at, Work& work) const;

  const SeriesSystem& system_;
  std::vector<FollowingStart> following_;
  FallingFactorials falling_;
  std::size_t first_;  // of the variables S
  struct Output {
    int j, r;  // of L_jr
  };
  std::vector<Output> outputs_;
  WeightSums sums_;
  Series series_;  // of t, x, S, given: L_jr and, in the end, the sums for ∂L/∂p
  std::vector<std::size_t> mirrored_;
  Transposed transposed_;
};

}  // namespace koppel
