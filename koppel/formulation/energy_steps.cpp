// Steps that keep the energy [Gonzalez 1996, 1999; Yang 2017, section 3.2]. With means over the
// step (x̄ = (x₀ + x₁)/2), discrete gradients D̄ of functions of q (discrete_gradient.hpp), and all
// else at the middle,
//   q₁ − q₀ = h K̄ v̄,                                                                      (1)
//   M₁v₁ − M₀v₀ = h Q̄ + h K̄ᵀ(D̄T̂ − D̄V − D̄gᵀλ) − h āᵀμ,     T̂(q) = ½ v₀ᵀM(q) v₁,          (2)
//   g(q₁) = 0,     ā v̄ + b̄ = 0.                                                           (3)
// From (Mv)₁ − (Mv)₀ = M̄Δv + ΔM v̄ follows the identity
//   v̄ᵀ(M₁v₁ − M₀v₀) = T₁ − T₀ + ½ v₀ᵀΔM v₁,                                               (4)
// so that v̄ᵀ(2) with (1) and D̄φ·(q₁ − q₀) = φ₁ − φ₀ reads
//   T₁ + V₁ − T₀ − V₀ = h v̄ᵀQ̄ + h b̄ᵀμ:                                                    (5)
// exact for any potential, any step and any coordinates, not only those with a constant M. Momenta
// are kept where the functions' symmetries are those of their discrete gradients: translations and
// rotations of points and vectors, and coordinates that occur nowhere.
//
// Q is what f has beside the forces of (2): with T = ½ vᵀM v,
//   f = Q − Kᵀ∇V + Kᵀ∇T − Ṁ v.                                                            (6)
// It needs no splitting: Q̄ is computed from (6) in the middle, and differences remain only where
// functions are not quadratic. Gyroscopic forces of angular velocities in body axes are in Q; their
// power vanishes in the middle as it does anywhere.
//
// Counted coordinates β follow from the others by h_i(q) = 0. K̄'s row for β is the one with
// D̄h_i K̄ = 0, so that (1) holds for β too, and a force along β does the work force × Δβ.
#include <koppel/formulation/step_forms.hpp>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/discrete_gradient.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Expr dot(std::span<const Expr> a, std::span<const Expr> b) {
  Expr sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

class EnergySteps {
 public:
  explicit EnergySteps(const InstantForm& form) : form_(form), e_(form.e), frame_(form) {
    ends0_ = frame_.q0;
    ends1_ = frame_.q1;
    variables_ = e_.q;
    // Time moves too: a function of q and t changes by both.
    variables_.push_back(frame_.t);
    ends0_.push_back(frame_.t);
    ends1_.push_back(frame_.t + frame_.h);
  }

  StepTerms make();

 private:
  // D̄φ by q.
  Exprs discrete(Expr phi) const {
    Exprs out = discrete_gradient(phi, variables_, ends0_, ends1_);
    out.pop_back();
    return out;
  }
  Exprs middle_gradient(Expr phi) const { return frame_.middle(gradient(phi, e_.q)); }
  Exprs forces() const;
  Exprs fold(Exprs force) const;

  const InstantForm& form_;
  const Equations& e_;
  StepFrame frame_;
  Exprs variables_, ends0_, ends1_;
};

// K̄ᵀF = K(q̄)ᵀF′: forces along counted coordinates go to those they follow from.
Exprs EnergySteps::fold(Exprs force) const {
  for (const Equations::Counted& counted : e_.counted) {
    const auto beta = static_cast<std::size_t>(counted.q);
    const Exprs slope = discrete(e_.h[static_cast<std::size_t>(counted.h)]);
    const Expr factor = force[beta] / slope[beta];
    for (std::size_t k = 0; k < force.size(); ++k) {
      if (k != beta) force[k] -= factor * slope[k];
    }
    force[beta] = 0;
  }
  return force;
}

// The right side of (2) over h, without μ.
Exprs EnergySteps::forces() const {
  Exprs f = frame_.middle(e_.f);
  Exprs at_middle(e_.num_q()), over_step(e_.num_q());
  const auto move = [&](const Exprs& from, const Exprs& to) {
    for (std::size_t k = 0; k < e_.num_q(); ++k) {
      at_middle[k] += from[k];
      over_step[k] += to[k];
    }
  };
  Exprs potential = discrete(e_.potential);
  for (Expr& x : potential) x = -x;
  move(middle_gradient(e_.potential), potential);
  if (frame_.has_variable_mass()) {
    const Exprs rate = frame_.middle(frame_.momentum_rate());
    for (std::size_t j = 0; j < f.size(); ++j) f[j] += rate[j];
    const Exprs Mv1 = multiply(*e_.M, frame_.v1);
    Exprs kinetic = middle_gradient(0.5 * dot(e_.v, frame_.momentum()));
    for (Expr& x : kinetic) x = -x;
    move(kinetic, discrete(0.5 * dot(frame_.v0, Mv1)));
  }
  // What acts along counted coordinates beside the potential.
  const Exprs slope = middle_gradient(e_.potential);
  for (const Equations::Counted& counted : e_.counted) {
    const auto beta = static_cast<std::size_t>(counted.q);
    const Exprs force = frame_.middle(Exprs{counted.force});
    at_middle[beta] -= force[0] + slope[beta];
    over_step[beta] += force[0] + slope[beta];
  }
  for (std::size_t i = 0; i < form_.g.size(); ++i) {
    const Exprs row = discrete(form_.g[i]);
    for (std::size_t k = 0; k < row.size(); ++k) over_step[k] -= row[k] * form_.lambda[i];
  }
  Exprs sum = fold(over_step);
  for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += at_middle[k];
  const Exprs generalized = multiply_transposed(frame_.middle(e_.K), sum);
  for (std::size_t j = 0; j < f.size(); ++j) f[j] += generalized[j];
  return f;
}

StepTerms EnergySteps::make() {
  const std::size_t n = e_.num_v();
  const int num_q = static_cast<int>(e_.num_q()), num_v = static_cast<int>(n);
  const int first_lambda = num_q + num_v + static_cast<int>(e_.x.size());
  const Exprs lambda0 = frame_.new_symbols("lambda0", form_.lambda.size());
  const Exprs mu0 = frame_.new_symbols("mu0", form_.mu.size());

  StepBuilder builder(form_, frame_);
  builder.begin_stage();
  builder.add_unknowns(frame_.q0, frame_.q1, frame_.guess_q(frame_.v0), 0, 0);
  builder.add_unknowns(frame_.v0, frame_.v1, frame_.v0, 1, num_q);
  builder.add_unknowns(frame_.x0, frame_.x1, frame_.guess_x(), 0, num_q + num_v);
  builder.add_unknowns(lambda0, form_.lambda, lambda0, 2, first_lambda);
  builder.add_unknowns(mu0, form_.mu, mu0, 2, first_lambda + static_cast<int>(form_.lambda.size()));

  builder.add_rows(frame_.kinematics(frame_.v_mean));
  const Exprs p0 = frame_.start(frame_.momentum()), p1 = frame_.end(frame_.momentum());
  const Exprs force = forces(), by_mu = frame_.middle(form_.at_mu);
  Exprs motion;
  for (std::size_t j = 0; j < n; ++j) {
    motion.push_back(p1[j] - p0[j] - frame_.h * (force[j] - by_mu[j]));
  }
  builder.add_rows(motion, "motion", 1);
  Exprs states;
  const Exprs r = frame_.middle(e_.r);
  for (std::size_t i = 0; i < r.size(); ++i) {
    states.push_back(frame_.x1[i] - frame_.x0[i] - frame_.h * r[i]);
  }
  builder.add_rows(states, "states", 0);
  builder.add_rows(frame_.end(form_.g), "constraint", 0);
  builder.add_rows(frame_.middle(form_.av), "nonholonomic", 1);
  builder.terms().has_mean_multipliers = true;
  return builder.terms();
}

}  // namespace

StepTerms make_energy_steps(const InstantForm& form) { return EnergySteps(form).make(); }

}  // namespace koppel
