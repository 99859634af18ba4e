// How far a force can lead what it holds before the mechanism comes to a dead point.
//
// Forces μ on outputs s(q) have the effect E = S W on their rates, with W the motion that a unit of
// each force makes (tracking.hpp). In the eigenbasis of E, E u = e u, a force along u moves the
// mechanism by w = W u, and s by e u. At a dead point e vanishes: a stretched arm does not become
// longer. With a coordinate x that is 0 there, along the way to it and with its mass m,
//
//   s = s₁ − ½κ x²,     e = (ds/dx)²/m = 2κ (s₁ − s)/m:                                     (1)
//
// e falls linearly with s and is zero where the way ends. So the way that is left follows from how
// e changes along its own motion, T = ∂e/∂q K w, which is e times ∂e/∂s:
//
//   r = e²/|T|, on the side to which e falls.                                                (2)
//
// Under a force limit F the fold (1) can be approached without overshoot: with a = F e the braking
// law √(2 a r) becomes ẋ = −x √(κF/m), an exponential whose deceleration needs the force F.
//
// *Margin.* At the dead point itself no force moves anything, not even back. The way ends where e
// is 1e-4 of what is usual, 5e-5 of the mechanism's size before it. And it ends where the force
// still holds against what else acts: an acceleration f back from it falls as x, F e as x², so that
// with a reserve c the least mobility is
//
//   e₁ = (c f/F)²/e.                                                                         (3)
//
// *T without differentiating a solution.* For M w + Cᵀℓ = B u, C w = 0 the value e = uᵀBᵀw is
// 2 uᵀBᵀw − wᵀM w − 2 ℓᵀC w, which is stationary in w and ℓ. Hence with all three held
//
//   T = ∂/∂q (2 uᵀBᵀw − wᵀM w − 2 ℓᵀC w) K w.                                                 (4)
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/formulation/fixed_cost/eigenbasis.hpp>

namespace koppel {

// T of (4), where q is `q` and t is `t`.
class MobilityChange {
 public:
  MobilityChange(const Equations& equations, const SparseExpr& B, const SparseExpr& C,
                 std::vector<Expr> q, Expr t);

  Expr operator()(const std::vector<Expr>& u, const std::vector<Expr>& w,
                  const std::vector<Expr>& l) const;

 private:
  std::vector<Expr> w_, l_, u_, from_, at_;
  Expr value_;
};

// One direction u of the eigenbasis.
struct Reach {
  Expr mobility;  // e
  Expr side;      // 1 or −1: the way along which it falls
  Expr way;       // r of (2), less the margin; very long where there is no dead point
};
// `change` is T, `free` the acceleration along u by all but the force, `usual` the size of e that
// is usual; `force` is the limit F, 0 as a constant: none.
Reach find_reach(Expr mobility, Expr change, Expr free, Expr usual, Expr force);

}  // namespace koppel
