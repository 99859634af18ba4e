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
//
// *Turning.* A target far beyond the reach stands for L in the direction u of the dead point. Where
// what is held moves along another direction u', u turns by ω = T'/(e'(e' − e)) a metre, with T'
// the same derivative of uᵀE u' along w' (the curvature of where it can be), and L ω of the
// distance seem to be new. Distances along u' are divided by 1 + L |ω|, so that the loop has the
// gain 1/τ as without: a light hand on a short link would chatter otherwise.
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/formulation/fixed_cost/eigenbasis.hpp>

namespace koppel {

// A direction of forces, with the motion and the reactions that a unit along it makes.
struct ReachPull {
  std::vector<Expr> u, w, l;
};

// ∂(uᵀE u')/∂q K w of two pulls along the motion w of a third, where q is `q` and t is `t`; (4)
// where all three are the same.
class MobilityChange {
 public:
  MobilityChange(const Equations& equations, const SparseExpr& B, const SparseExpr& C,
                 std::vector<Expr> q, Expr t);

  Expr operator()(const ReachPull& a, const ReachPull& b, const ReachPull& along) const;

 private:
  std::vector<Expr> from_, at_;
  Expr value_;
};

// One direction u of the eigenbasis.
struct Reach {
  Expr mobility;  // e
  Expr side;      // 1 or −1: the way along which it falls
  Expr end;       // r of (2); very long where there is no dead point
  Expr way;       // the same, less the margin
};
// `change` is T, `free` the acceleration along u by all but the force, `usual` the size of e that
// is usual; `force` is the limit F, 0 as a constant: none.
Reach find_reach(Expr mobility, Expr change, Expr free, Expr usual, Expr force);

}  // namespace koppel
