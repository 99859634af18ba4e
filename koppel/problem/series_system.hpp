// The Taylor coefficients of the solution of a DAE, stage by stage, through the offsets of its
// structural analysis [Pryce 1998; Nedialkov & Pryce 2005].
//
// With offsets c_i of the equations and d_j of the unknowns (signature.hpp), stage k solves
//   J X = −R,      X_j = (k + d_j)! x_j[k + d_j],   R_i = (k + c_i)! F_i[k + c_i]          (1)
// for the coefficients x_j[k + d_j], where R is evaluated with those coefficients at 0 (and all
// lower ones known), over the equations and unknowns with k + c_i ≥ 0 and k + d_j ≥ 0. J is the
// same matrix in all stages of a step. Stages k ≥ 0 determine the motion. Stages k < 0 make the
// point consistent: there the x_j[k + d_j] have values already, R is the defect, and (1), with 0
// for the equations that are not yet active, gives a correction. For a mechanism that correction
// is the smallest in the mass metric, because the rows of J that are not active then are those of
// the dynamics:
//   M δ + Gᵀη = 0,   G δ = −g.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include <koppel/expr/dae/dae.hpp>
#include <koppel/expr/dae/signature.hpp>
#include <koppel/expr/series/series.hpp>
#include <koppel/problem/linear_solver.hpp>
#include <koppel/problem/residual.hpp>

namespace koppel {

struct SeriesTerms {
  Dae dae;
  Structure structure;
  std::vector<double> given;  // values of dae.given
  // A value of t and of each x_j⁽ˡ⁾, by unknown and order: a point of the motion, near which the
  // order of pivots is chosen. Empty: the solver pivots.
  std::vector<double> start;
  // For each entry of the problem's y: which derivative of which unknown it is.
  struct Place {
    int unknown = 0, order = 0;
  };
  std::vector<Place> y;
  CompileOptions options;
};

class SeriesSystem {
 public:
  explicit SeriesSystem(SeriesTerms terms);

  const SeriesTerms& terms() const { return terms_; }
  int num_unknowns() const { return static_cast<int>(terms_.dae.unknowns.size()); }
  int max_c() const { return max_c_; }
  int max_d() const { return max_d_; }
  const Sparsity& pattern() const { return J_pattern_; }
  // Whether F is linear in the x_j of highest order, so that stage 0 needs no iteration.
  bool is_quasilinear() const { return is_quasilinear_; }
  // Whether F has operations with pieces that depend on unknowns: tables, select, abs, min, ….
  bool has_switches() const { return has_switches_; }

  // The compiled series for coefficients up to `order` of unknowns with the largest d; made once
  // for each order.
  std::shared_ptr<const Series> compiled(int order) const;

  const Function& J() const { return *J_; }

  // The entries of J's factors for the compiled series (series_elimination.hpp), then those of J,
  // of the same inputs as J. Null: J has to be factorised with pivots.
  const Function* factors() const { return factors_ ? &*factors_ : nullptr; }

 private:
  void compile_factors(const SparseExpr& J);
  std::vector<std::vector<double>> sample_jacobian() const;

  SeriesTerms terms_;
  int max_c_ = 0, max_d_ = 0;
  bool is_quasilinear_ = true;
  bool has_switches_ = false;
  Sparsity J_pattern_;
  std::optional<Function> J_, factors_;  // of t, all x_j⁽ˡ⁾ by unknown and order, given
  SeriesSolution solution_;

  using Cache = std::map<int, std::shared_ptr<const Series>>;  // by order
  std::shared_ptr<Cache> cache_ = std::make_shared<Cache>();
};

}  // namespace koppel
