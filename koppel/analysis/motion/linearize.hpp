// Linearisation of constrained motion about a state, and its modes.
//
// At a consistent state with accelerations v̇ and multipliers λ, μ, small deviations obey
//   δq̇ = K δv + (∂(K v)/∂q) δq,
//   M δv̇ + Gᵀδλ + aᵀδμ = −∂(M v̇ − f + Gᵀλ + aᵀμ)/∂(q, v, x) (δq, δv, δx) + (∂f/∂u) δu,     (1)
//   G δv̇ = −∂(G v̇ + gamma)/∂(q, v) (δq, δv), and so for a,
//   δẋ = (∂r/∂…)(…),
// restricted to deviations that satisfy the constraints of positions and velocities. Independent
// coordinates and velocities z are chosen by pivoting; (δq, δv, δx) = S z, and
//   ż = A z + B δu,   δy = C z + D δu.                                                     (2)
// About a motion the coefficients belong to the instant: (2) is time-invariant where the motion is
// an equilibrium or steady (steady.hpp), periodic where it is periodic (floquet.hpp in simulate);
// else eigenvalues of A say nothing about how deviations grow.
#pragma once

#include <complex>
#include <span>
#include <string>
#include <vector>

#include <koppel/analysis/motion/statics.hpp>
#include <koppel/equations/evaluator.hpp>

namespace koppel {

// Which coordinates and velocities are z (all x are): places in q and v.
struct Independent {
  std::vector<int> q, v;
};

struct LinearSystem {
  std::vector<std::string> states, inputs, outputs;  // names of z, u, y
  Matrix A, B, C, D;
  Matrix S;  // (δq, δv, δx) = S z
  int num_q = 0;
  Independent z;
};

// Compiled once, for any number of states. Keeps a reference to the evaluator.
class Linearizer {
 public:
  // Whether constraints that depend on time go on moving, or stand where they are. At rest,
  // v = v̇ = 0, the latter leave of (1) that G δv̇ = 0: drives move nothing, however they accelerate.
  enum class Time { Passes, StandsStill };

  explicit Linearizer(const Evaluator& evaluator, Time time = Time::Passes);

  LinearSystem at(const State& state) const;  // z by pivoting
  // z as given: that of another state of the same motion, to compare or to follow.
  LinearSystem at(const State& state, const Independent& z) const;
  // About rest: v̇ = 0, with the multipliers [λ; μ] that hold it.
  LinearSystem at_rest(const State& state, std::span<const double> multipliers) const;
  // (δq, δv, δx)˙ of (1), by columns for unit (δq, δv, δx), consistent or not.
  Matrix rates(const State& state) const;
  Independent choose(const State& state) const;
  Matrix basis(const State& state, const Independent& z) const;  // S
  std::vector<int> places(const Independent& z) const;           // of z in (δq, δv, δx)

 private:
  struct Rows;  // of constraints that deviations satisfy
  struct Full {
    Matrix A, B;  // for (δq, δv, δx) and δu
  };
  Linearizer(const Evaluator& evaluator, Time time, std::vector<Expr> unknown);
  const Equations& e() const;
  SparseExpr by_state(const std::vector<Expr>& of) const;
  // `known`: v̇, λ, μ there.
  Full full(const State& state, const std::vector<double>& known) const;
  LinearSystem at(const State& state, const Independent& z, const std::vector<double>& known) const;
  Rows rows(const State& state) const;

  const Evaluator& evaluator_;
  // Partial derivatives by (q, v, x), and by u; of v̇, λ, μ too.
  MatrixFunction rate_, dynamics_, constraints_, velocity_, states_, outputs_;
  MatrixFunction dynamics_u_, states_u_, outputs_u_;
};

LinearSystem linearize(const Evaluator& evaluator, const State& state);
// About a static equilibrium, where time stands still as statics.hpp has it.
LinearSystem linearize_at_rest(const Evaluator& evaluator, const Equilibrium& rest);

struct Mode {
  std::complex<double> eigenvalue;
  double frequency = 0;                     // |eigenvalue|/2π, Hz
  double damping_ratio = 0;                 // −Re/|eigenvalue|; 0 for eigenvalue 0
  std::vector<std::complex<double>> shape;  // in q, the largest component 1
};

// One of each conjugate pair (that with positive imaginary part), by frequency.
std::vector<Mode> find_modes(const LinearSystem& system);

// The same, with the eigenvalues that are zero apart: those of deviations that stay as they are, or
// grow with a power of time only, because nothing depends on a coordinate (where a wheel stands,
// how far a vehicle has gone). They are defective as a rule, so that round-off would scatter them:
// what A maps to zero is divided out, again and again [Van Dooren 1979], before eigenvalues are
// computed.
struct Spectrum {
  int num_zero = 0;
  std::vector<Mode> modes;  // of the others
};
// `zero`: what counts as zero, of the largest singular value of A.
Spectrum find_spectrum(const LinearSystem& system, double zero = 1e-9);

}  // namespace koppel
