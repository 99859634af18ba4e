// Variational steps [Marsden & West 2001; Yang 2017, section 3.3]: the discrete action Σ L_d(q_n,
// q_{n+1}) is stationary among the positions that satisfy the constraints. With w = (q₁ − q₀)/h and
// L(q, q̇) = ½ q̇ᵀM q̇ − V,
//   midpoint      L_d = h L(q̄, w),                                                          (1)
//   trapezoidal   L_d = ½h (L(q₀, w) + L(q₁, w)),                                           (2)
// in the one-step form with discrete momenta p = M v, forces that have no potential split alike:
//   p₀ = −D₁L_d − F⁻ + ½h G₀ᵀλ,        g(q₁) = 0,                                            (3)
//   p₁ =  D₂L_d + F⁺ − ½h G₁ᵀμ,        G₁v₁ + g_t = 0.                                       (4)
// (3) gives q₁ and λ, (4) then v₁ and μ from linear equations: momenta stay on the constraints'
// cotangent space, and λ of the next step completes μ. With f = ∇L's force + the rest,
//   midpoint      −D₁L_d − F⁻ = M(q̄) w − ½h k(q̄),      D₂L_d + F⁺ = M(q̄) w + ½h k(q̄),         (5)
//   trapezoidal   −D₁L_d − F⁻ = M‾ w − ½h k(q₀),       D₂L_d + F⁺ = M‾ w + ½h k(q₁),           (6)
//   k(q) = f(q, w) + Ṁ(q) w  along q̇ = w,     M‾ = ½(M(q₀) + M(q₁)).
// Where M is constant and f depends on q alone, (6) is the explicit central difference scheme.
//
// Forces along counted coordinates β act by β's gradient where the constraint between β and the
// others holds, at the nodes: K(q₀) in (3), K(q₁) in (4).
#include <koppel/formulation/step_forms.hpp>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

class VariationalSteps {
 public:
  VariationalSteps(const InstantForm& form, bool is_trapezoidal)
      : form_(form), e_(form.e), frame_(form), is_trapezoidal_(is_trapezoidal), w_(mean_rates()) {}

  StepTerms make();

 private:
  Exprs mean_rates() const;
  Exprs mean_momentum() const;
  // k with forces along counted coordinates moved to the node.
  Exprs push(bool at_end) const;
  // An expression at the node (trapezoidal) or in the middle, at velocity w.
  Exprs in_place(std::span<const Expr> f, bool at_end) const;
  Exprs at_node(std::span<const Expr> f, bool at_end) const {
    return at_end ? frame_.end(f) : frame_.start(f);
  }

  const InstantForm& form_;
  const Equations& e_;
  StepFrame frame_;
  bool is_trapezoidal_;
  Exprs w_;
};

Exprs VariationalSteps::mean_rates() const {
  Exprs w(e_.num_v());
  std::vector<char> is_counted(e_.num_q(), false);
  for (const auto& counted : e_.counted) is_counted[static_cast<std::size_t>(counted.q)] = true;
  for (std::size_t j = 0; j < w.size(); ++j) {
    for (int k = e_.K.pattern.column_start[j]; k < e_.K.pattern.column_start[j + 1]; ++k) {
      const auto i = static_cast<std::size_t>(e_.K.pattern.row[static_cast<std::size_t>(k)]);
      if (!is_counted[i]) w[j] = (frame_.q1[i] - frame_.q0[i]) / frame_.h;
    }
  }
  return w;
}

Exprs VariationalSteps::in_place(std::span<const Expr> f, bool at_end) const {
  if (!is_trapezoidal_) return frame_.middle(f, w_);
  return at_node(substitute(f, e_.v, w_), at_end);
}

Exprs VariationalSteps::mean_momentum() const {
  const Exprs p = frame_.momentum();
  if (!is_trapezoidal_) return in_place(p, false);
  Exprs a = in_place(p, false);
  const Exprs b = in_place(p, true);
  for (std::size_t j = 0; j < a.size(); ++j) a[j] = 0.5 * (a[j] + b[j]);
  return a;
}

Exprs VariationalSteps::push(bool at_end) const {
  Exprs k = in_place(e_.f, at_end);
  if (frame_.has_variable_mass()) {
    const Exprs rate = in_place(frame_.momentum_rate(), at_end);
    for (std::size_t j = 0; j < k.size(); ++j) k[j] += rate[j];
  }
  if (is_trapezoidal_) return k;
  for (const Equations::Counted& counted : e_.counted) {
    const Expr force = in_place(Exprs{counted.force}, at_end)[0];
    Exprs along(e_.num_q());
    along[static_cast<std::size_t>(counted.q)] = force;
    const SparseExpr at{e_.K.pattern, at_node(e_.K.values, at_end)};
    const Exprs node = multiply_transposed(at, along);
    const Exprs middle = multiply_transposed(frame_.middle(e_.K), along);
    for (std::size_t j = 0; j < k.size(); ++j) k[j] += node[j] - middle[j];
  }
  return k;
}

StepTerms VariationalSteps::make() {
  const Expr half = 0.5 * frame_.h;
  const std::size_t m = form_.lambda.size();
  const int num_q = static_cast<int>(e_.num_q()), num_v = static_cast<int>(e_.num_v());
  const Exprs lambda0 = frame_.new_symbols("lambda0", m), mu0 = frame_.new_symbols("mu0", m),
              mu1 = frame_.new_symbols("mu1", m);
  const Exprs p = mean_momentum(), before = push(false), after = push(true);
  const Exprs p0 = frame_.start(frame_.momentum()), p1 = frame_.end(frame_.momentum());
  const Exprs G0 = frame_.start(form_.Gt_lambda);
  const Exprs G1 = substitute(frame_.end(form_.Gt_lambda), form_.lambda, mu1);
  Exprs first, second, states;
  for (std::size_t j = 0; j < e_.num_v(); ++j) {
    first.push_back(p[j] - half * before[j] + half * G0[j] - p0[j]);  // (3)
    second.push_back(p1[j] - p[j] - half * after[j] + half * G1[j]);  // (4)
  }
  const Exprs r = frame_.middle(e_.r, w_);
  for (std::size_t i = 0; i < r.size(); ++i) {
    states.push_back(frame_.x1[i] - frame_.x0[i] - frame_.h * r[i]);
  }

  StepBuilder builder(form_, frame_);
  builder.begin_stage();
  builder.add_unknowns(frame_.q0, frame_.q1, frame_.guess_q(frame_.v0), 0, 0);
  builder.add_unknowns(frame_.x0, frame_.x1, frame_.guess_x(), 0, num_q + num_v);
  builder.add_unknowns(lambda0, form_.lambda, lambda0, 2,
                       num_q + num_v + static_cast<int>(e_.x.size()));
  // Of the rates only those of counted coordinates are equations: the others define w.
  const std::vector<StepTerms::Row> kinematics = frame_.kinematics(w_);
  for (const Equations::Counted& counted : e_.counted) {
    builder.add_rows({kinematics[static_cast<std::size_t>(counted.q)]});
  }
  builder.add_rows(first, "motion", 1);
  builder.add_rows(states, "states", 0);
  builder.add_rows(frame_.end(form_.g), "constraint", 0);

  builder.begin_stage(true);
  builder.add_unknowns(frame_.v0, frame_.v1, frame_.v0, 1, num_q);
  builder.add_unknowns(mu0, mu1, mu0, 2, -1);
  builder.add_rows(second, "motion", 1);
  builder.add_rows(frame_.end(form_.g_rate), "constraint rate", 1);
  builder.terms().has_mean_multipliers = true;
  return builder.terms();
}

}  // namespace

StepTerms make_variational_steps(const InstantForm& form, bool is_trapezoidal) {
  return VariationalSteps(form, is_trapezoidal).make();
}

}  // namespace koppel
