// One step of the real-time Euler family, as expressions: the whole step, linear algebra and
// projection included, is straight-line code of fixed cost [Burgermeister, Arnold & Esterl 2006].
//
// From (q, v) at t to (q₁, v₁) at t₁ = t + h, with accelerations w and multipliers λ of the step:
//
//   [ M − h J_v   Cᵀ ] [ w ]   [ f + h J_q ]
//   [ C            0 ] [ λ ] = [ s         ],     v₁ = v + h w,     q₁ = q + h K v         (1)
//
// where J_v w and J_q stand for the stiff part of the forces:
//
//   Jacobian   J_v            J_q            stable for q̈ = −a q − b q̇ with
//   none       0              0              explicit Euler
//   J1         f_v            f_q K v + f_t  h² a ≤ 2 h b + 4
//   J2         f_v + h f_q K  f_q K v + f_t  all a, b ≥ 0
//   J3         0              f_q K v + f_t  h² a ≤ 4 − 2 h b; one directional derivative
//   exact      f_v + h f_q K  f_q K v + f_t  all, and q₁ = q + h K v₁
//
// (`exact` is the whole Jacobian with the positions eliminated, but for the derivatives of K, M and
// Gᵀλ: these methods are W-methods, of order 1 for any J.) And s is what is stated:
//
//   acceleration  C w = −γ − 2α (C v + c) − β² g                     at (q, v, t)
//   velocity      C (v + h w) + c + α g − ε (λ − λ₀) = 0             at (q₁, t₁)           (2)
//
// The order of updates decides where (1) is evaluated:
//
//   positions-first   q₁ first; M, f, Cᵀ at q, C of (2) at q₁         eq. (6) of the source
//   velocities-first  all at q, no J_q; then q₁ = q + h K v₁          eq. (14)
//   new-positions     q₁ first; all at (q₁, t₁), no J_q               [Lipovac 2020, (3.3)]
//
// With `exact`, positions-first is the linear-implicit Euler method itself: the rows of (2), and
// the directions Cᵀ of reactions, are those of the predicted positions q + h K v, and positions
// move with v₁. On a curve that loses energy: v₁ is v along the new tangent, |v₁| = |v| cos hω for
// a point on a circle. J1, J2 and J3 with positions-first have reactions normal to the old tangent,
// along which v₁ keeps its component, |v₁| = |v|/cos hω: ω̇ = hω³/2 grows without bound. That is the
// method of the source, for comparison; new-positions and velocities-first lose energy there, but
// may gain it where masses depend on positions.
//
// Feedback of errors (α, β) is that of the source for J1, J2, J3 with positions-first: it uses what
// is known at the start of the step, and with ε = αh = βh errors of a single constraint are
// multiplied by 1 − ε. Where positions then move with v₁, the same terms would be unstable: with d
// = h ġ and g at the predicted positions in (2), d₁ = −ε(g + d), g₁ = g + d₁ for ε > 2/3; with
// accelerations, d₁ = (1 − 2ε) d − ε² g, g₁ = g + d₁ for ε > √8 − 2. There feedback is implicit:
//
//   exact, velocity      (1 + αh) (C v₁ − C v) + C v + c + α g = 0,     all at q + h K v        (4)
//   exact, acceleration  C v₁ + c = ġ₁ at q + h K v with (ġ₁ − ġ)/h + 2α ġ₁ + β² (g + h ġ₁) = 0 (5)
//   other orders         (1 + 2αh + β²h²) (C w + γ) + 2α ġ + β² (g + h ġ) = 0                   (6)
//
// Errors are multiplied by 1/(1 + ε), for every ε.
//
// Projection takes one Newton step for positions with a matrix that is factorised anyway, and gives
// velocities that satisfy their constraints exactly:
//
//   [ M − h J_v  Cᵀ ] [ δ ]   [  0       ]                 [ M  Cᵀ ] [ δv ]   [ 0         ]
//   [ C           0 ] [ η ] = [ −g(q₁,t₁)],  q₁ ← q₁ + K δ,[ C  0  ] [ ·  ] = [ −(C v + c)]  at q₁.
//   (3)
//
// Positions-first with velocities stated, velocities come out exact by (2) once q₁ is projected:
// this is the GGL formulation with one Newton step. Invariants h(q) = 0 get one Newton step too.
// Further states: (1 − h r_x) ẋ = r, explicit for `none` and `J3`.
//
// The derivatives of f may be those of some of its parts only: see stiff_parts.hpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/problem/problem.hpp>

namespace koppel {

struct EulerOptions {
  enum class Jacobian { None, J1, J2, J3, Exact } jacobian = Jacobian::Exact;
  enum class Order { PositionsFirst, VelocitiesFirst, NewPositions } order = Order::PositionsFirst;
  // The others: rosenbrock_step.hpp, rattle_step.hpp.
  enum class Rule { Euler, Rosenbrock, Rattle } rule = Rule::Euler;
  std::string stiff;  // the partition of the Jacobian (stiff_parts.hpp); empty: the model's, or all
  bool projects = true;
  bool with_projector = false;  // EulerTerms::projector is wanted

  // From the parts of "J2:velocities-first:stiff=tyre"; empty: the defaults. Without Jacobian:
  // explicit Euler. Throws Error `integrate.unknown-variant`.
  static EulerOptions read(std::string_view variant, bool has_jacobian);
  // Of an integrator with its variant, "linear-implicit:J2", and the projection asked for. Throws
  // Error `integrate.unknown-variant`.
  static EulerOptions of(std::string_view integrator, Projection projection);
  int order_of_method() const { return rule == Rule::Euler ? 1 : 2; }
};

// The step as expressions of its inputs (t, h, q, v, x, λ, u, p).
struct EulerTerms {
  std::vector<Expr> inputs;
  std::vector<Expr> q, v, x, lambda;  // after it; λ of all rows that are kept
  std::vector<Expr> eta;              // of (3) over h, where positions are projected
  std::vector<Expr> pivots;           // of the first matrix
  std::vector<Expr> check;            // a solution of the first system that should be 1
  std::vector<Expr> projector;        // columns of the map from g to the correction of q in (3)
  int num_factorizations = 0;
};
EulerTerms make_euler_step(const Descriptor& descriptor, const EulerOptions& options);

// Compiled, for any number of threads.
class EulerStep {
 public:
  struct Workspace {
    std::vector<double> in, out;
    koppel::Workspace function;
  };

  EulerStep(const Descriptor& descriptor, const EulerOptions& options);

  Workspace make_workspace() const;
  // Inputs of the steps that follow; until then, those of the descriptor.
  void set_inputs(std::span<const double> u, Workspace& work) const noexcept;
  // y = (q, v, x, λ, μ, η) at t becomes that at t + h; η, where the problem has none, is left out.
  // False where a value is not finite. Neither allocates nor branches on values.
  bool advance(double t, double h, std::span<double> y, Workspace& work) const noexcept;

  const Function& function() const { return function_; }
  int num_factorizations() const { return num_factorizations_; }
  std::size_t num_state() const { return size_; }  // of q, v, x, λ together

 private:
  EulerStep(const Descriptor& descriptor, const EulerTerms& terms);

  std::size_t size_;  // of the state: q, v, x, λ
  std::size_t num_eta_;
  std::vector<double> given_;  // u, p
  std::size_t num_u_;
  Function function_;
  int num_factorizations_;
};

// The compiled step of a problem that has a descriptor; made once for each set of options.
std::shared_ptr<const EulerStep> euler_step_of(const Problem& problem, const EulerOptions& options);

}  // namespace koppel
