// What fixed-cost steps are built from, as expressions: the constrained equations of motion at
// any place, their matrix, and its elimination.
//
//   [ A  Cᵀ ] [ w ]   [ upper ]
//   [ C  0  ] [ λ ] = [ lower ]                                                            (1)
//
// A is M, perhaps less stiff parts of the forces. Where M alone is singular (bodies without mass),
// κ Cᵀ times the lower rows is added to the upper ones: that changes no solution, and A + κ CᵀC is
// regular where the whole is.
#pragma once

#include <vector>

#include <koppel/expr/algebra/elimination.hpp>
#include <koppel/formulation/fixed_cost/descriptor.hpp>

namespace koppel {

using Exprs = std::vector<Expr>;

// a + scale · b.
Exprs plus(const Exprs& a, Expr scale, const Exprs& b);
// A·B of sparse matrices.
SparseExpr product(const SparseExpr& A, const SparseExpr& B);

class SaddleBuilder {
 public:
  explicit SaddleBuilder(const Descriptor& descriptor);
  virtual ~SaddleBuilder() = default;

  int num_factorizations() const { return num_factorizations_; }
  bool is_augmented() const { return !kappa_.empty(); }

 protected:
  // Where expressions are evaluated: q and t are replaced.
  struct Place {
    Exprs q;
    Expr t;
  };
  Place here() const { return {e_.q, e_.t}; }
  Exprs at(const Place& place, const Exprs& values) const;
  SparseExpr at(const Place& place, const SparseExpr& A) const {
    return {A.pattern, at(place, A.values)};
  }
  // The same with other velocities.
  Exprs at(const Place& place, const Exprs& v, const Exprs& values) const;

  // The matrix of (1), with rows, and columns Cᵀ, that may be those of other places.
  struct Saddle {
    ExprMatrix matrix;
    SparseExpr columns;
  };
  Saddle make_saddle(const Place& place, const SparseExpr& rows, bool with_forces) const {
    return make_saddle(place, rows, at(place, C_), with_forces);
  }
  Saddle make_saddle(const Place& place, const SparseExpr& rows, const SparseExpr& columns,
                     bool with_forces) const;
  Elimination eliminate(const Saddle& saddle);
  Exprs solve(const Elimination& elimination, const Saddle& saddle, const Exprs& upper,
              const Exprs& lower) const;
  // What forces add to M at a place.
  virtual void add_stiffness(ExprMatrix&, const Place&) const {}
  // F at a place.
  virtual SparseExpr forces_of_reactions(const Place& place) const { return at(place, F_); }

  // One Newton step for invariants: q ← q − dᵀ (h_q dᵀ)⁻¹ h with d = h_q; a counted coordinate is
  // moved alone.
  Exprs restore_invariants(const Exprs& q, Expr t) const;
  // q + K δ with δ from (1), lower = −g(q, t); η are its multipliers. K should be that of the place
  // of the matrix: angles that are counted beside directions are off to first order otherwise.
  Exprs close_positions(const Elimination& elimination, const Saddle& saddle, const Exprs& q,
                        Expr t, const SparseExpr& K, Exprs& eta) const;
  // v + δv with δv from (1) at (q, t), A = M, lower = −(C v + c).
  Exprs project_velocities(const Exprs& q, Expr t, const Exprs& v);
  // The same, and before it two more steps for positions with the matrix of q: for motions that one
  // step leaves too far off. The first is Newton's; the second costs no factorisation and
  // multiplies what is left by the size of the first.
  struct Closed {
    Exprs q, v;
  };
  Closed close_again(const Exprs& q, Expr t, const Exprs& v);

  const Descriptor& d_;
  const Equations& e_;
  int n_, m_;          // velocities, rows
  std::size_t num_g_;  // of them holonomic; these come first
  Expr h_;
  SparseExpr C_;
  Exprs Kv_, g_, rate_, gamma_, f_;  // rows of g are 0 for nonholonomic constraints
  SparseExpr F_;                     // forces are f + F λ where they depend on reactions
  SparseExpr B_;                     // and + B μ where they are chosen (tracking.hpp)
  std::vector<int> order_;
  Exprs pivots_;  // of the first matrix
  Exprs check_;   // its solution for the sum of its columns: should be 1

 private:
  Exprs project_velocities(const Elimination& elimination, const Saddle& saddle, const Place& place,
                           const Exprs& v) const;
  void find_rows();
  void find_forces();
  void find_augmentation();
  void augment(Saddle& saddle) const;

  std::vector<double> kappa_;
  int num_factorizations_ = 0;
};

}  // namespace koppel
