// The generalised-α method for constrained mechanisms [Chung & Hulbert 1993; Arnold & Brüls 2007].
// With auxiliary accelerations a,
//   q₁ = q₀ + h K w,     w = v₀ + h(½ − β) a₀ + h β a₁                                     (1)
//   v₁ = v₀ + h(1 − γ) a₀ + h γ a₁                                                       (2)
//   (1 − α_m) a₁ + α_m a₀ = (1 − α_f) v̇₁ + α_f v̇₀                                         (3)
// and the equations of the formulation at the end of the step, for q₁, v₁, v̇₁ and multipliers.
// (2) and (3) give a₁ and v̇₁ as functions of v₁, so that the unknowns are those of the formulation.
// Stabilised index 2 takes hη's part of K Gᵀ from (1). Further states follow the trapezoidal rule.
#include <koppel/formulation/step_forms.hpp>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {

using Exprs = std::vector<Expr>;

StepTerms make_alpha_steps(const InstantForm& form) {
  const StepFrame frame(form);
  const Equations& e = form.e;
  const std::size_t n = e.num_v();
  const Expr h = frame.h;
  const Exprs c = frame.new_symbols("c", 4);
  const Expr alpha_m = c[0], alpha_f = c[1], beta = c[2], gamma = c[3];
  const Exprs a0 = frame.new_symbols("a0", n), w0 = frame.new_symbols("vdot0", n);
  Exprs a1, v_rate1, w, guess_w, guess_v;
  for (std::size_t j = 0; j < n; ++j) {
    a1.push_back((frame.v1[j] - frame.v0[j] - h * (1 - gamma) * a0[j]) / (h * gamma));
    v_rate1.push_back(((1 - alpha_m) * a1[j] + alpha_m * a0[j] - alpha_f * w0[j]) / (1 - alpha_f));
    w.push_back(frame.v0[j] + h * ((0.5 - beta) * a0[j] + beta * a1[j]));
    guess_v.push_back(frame.v0[j] + h * a0[j]);
    guess_w.push_back(frame.v0[j] + 0.5 * h * a0[j]);
  }
  // The equations of an instant, at the end. Multipliers are symbols of the end already.
  const auto at_end = [&](const Exprs& f) {
    return substitute(frame.end(f), form.v_rate, v_rate1);
  };
  const auto start_of = [&](const char* name, const Exprs& at) {
    return frame.new_symbols(name, at.size());
  };
  const Exprs lambda0 = start_of("lambda0", form.lambda), mu0 = start_of("mu0", form.mu),
              eta0 = start_of("eta0", form.eta);

  StepBuilder builder(form, frame);
  builder.terms().c = c;
  builder.begin_stage();
  const int num_q = static_cast<int>(e.num_q()), num_v = static_cast<int>(n);
  int y = num_q + num_v + static_cast<int>(e.x.size());
  builder.add_unknowns(frame.q0, frame.q1, frame.guess_q(guess_w), 0, 0);
  builder.add_unknowns(frame.v0, frame.v1, guess_v, 1, num_q);
  builder.add_unknowns(frame.x0, frame.x1, frame.guess_x(), 0, num_q + num_v);
  builder.add_unknowns(lambda0, form.lambda, lambda0, 2, y);
  y += static_cast<int>(form.lambda.size());
  builder.add_unknowns(mu0, form.mu, mu0, 2, y);
  y += static_cast<int>(form.mu.size());
  builder.add_unknowns(eta0, form.eta, eta0, 1, y);

  builder.add_rows(frame.kinematics(w, at_end(form.q_rate_less)));
  builder.add_rows(at_end(form.motion), "motion", 2);
  Exprs states;
  const Exprs r0 = frame.start(e.r), r1 = frame.end(e.r);
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    states.push_back(frame.x1[i] - frame.x0[i] - 0.5 * h * (r0[i] + r1[i]));
  }
  builder.add_rows(states, "states", 0);
  builder.add_rows(at_end(form.for_lambda), "constraint", form.order_lambda);
  builder.add_rows(at_end(form.for_mu), "nonholonomic", form.order_mu);
  builder.add_rows(at_end(form.for_eta), "position", 0);
  builder.carry(a0, a1, StepTerms::Origin::Kind::LaterAcceleration);
  builder.carry(w0, v_rate1, StepTerms::Origin::Kind::Acceleration);
  return builder.terms();
}

}  // namespace koppel
