#include <koppel/integrate/euler_step.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/runtime/step.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/integrate/rattle_step.hpp>
#include <koppel/integrate/rosenbrock_step.hpp>
#include <koppel/integrate/step_builder.hpp>
#include <koppel/integrate/stiff_parts.hpp>
#include <koppel/integrate/variant.hpp>

namespace koppel {
namespace {

using Jacobian = EulerOptions::Jacobian;
using Order = EulerOptions::Order;
using Level = Descriptor::Level;
constexpr std::string_view kStiff = "stiff=";

class EulerBuilder : public StepBuilder {
 public:
  EulerBuilder(const Descriptor& descriptor, const EulerOptions& options)
      : StepBuilder(descriptor),
        options_(options),
        stiff_(stiff_forces(descriptor, f_, options.stiff)),
        t1_(e_.t + h_) {
    for (std::size_t i = 0; i < d_.kept.size(); ++i) {
      before_.push_back(e_.graph->symbol(fmt::format("step.lambda[{}]", i)));
    }
  }

  EulerTerms make() {
    out_.inputs = {e_.t, h_};
    for (const Exprs* part :
         std::initializer_list<const Exprs*>{&e_.q, &e_.v, &e_.x, &before_, &e_.u, &e_.p}) {
      out_.inputs.insert(out_.inputs.end(), part->begin(), part->end());
    }
    advance_x();
    if (options_.order == Order::NewPositions) {
      step_new_positions();
    } else if (options_.order == Order::PositionsFirst && d_.level == Level::Velocity &&
               options_.jacobian != Jacobian::Exact) {
      step_positions_first();
    } else {
      step_velocities_then_positions();
    }
    for (Expr& eta : out_.eta) eta /= h_;
    out_.pivots = pivots_;
    out_.check = check_;
    out_.num_factorizations = num_factorizations();
    return std::move(out_);
  }

 private:
  bool has_J_v() const {
    return options_.jacobian != Jacobian::None && options_.jacobian != Jacobian::J3;
  }

  // − h J_v of (1).
  void add_stiffness(ExprMatrix& matrix, const Place& place) const override {
    if (!has_J_v()) return;
    matrix.add(at(place, jacobian(stiff_.by_v, e_.v)), 0, 0, -h_);
    if (options_.jacobian == Jacobian::J1) return;
    matrix.add(at(place, product(jacobian(stiff_.by_q, e_.q), e_.K)), 0, 0, -h_ * h_);
  }

  // f + h J_q; J_q only where forces are those of the old positions.
  Exprs forces(const Place& place) const {
    if (options_.jacobian == Jacobian::None || options_.order != Order::PositionsFirst) {
      return at(place, f_);
    }
    Exprs moving = e_.q, rates = Kv_;
    moving.push_back(e_.t);
    rates.push_back(1);
    return plus(f_, h_, time_derivative(stiff_.by_q, moving, rates));
  }

  // The linear-implicit Euler method itself.
  bool is_euler() const {
    return options_.jacobian == Jacobian::Exact && options_.order == Order::PositionsFirst;
  }

  // The lower right-hand side of (1).
  Exprs stated(const Place& place) const {
    const Exprs g = at(place, g_), rate = at(place, rate_);
    Exprs s(d_.kept.size());
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (d_.level == Level::Acceleration) {
        s[i] = is_euler() ? (next_rate(i) - rate[i]) / h_ : -feedback(i, g[i], rate[i]);
        continue;
      }
      s[i] = -((rate[i] + d_.alpha * g[i]) / h_);
      if (is_euler() && d_.alpha != 0) s[i] /= 1 + d_.alpha * h_;  // (4)
      if (d_.epsilon > 0) s[i] -= d_.epsilon / h_ * before_[i];
    }
    if (d_.level == Level::Acceleration && !is_euler()) s = plus(s, -1, at(place, gamma_));
    return s;
  }

  // 2α and β² of a row.
  double first(std::size_t i) const { return i < num_g_ ? 2 * d_.alpha : d_.alpha; }
  double second(std::size_t i) const { return i < num_g_ ? d_.beta * d_.beta : 0; }
  // ġ₁ of (5).
  Expr next_rate(std::size_t i) const {
    return (rate_[i] - second(i) * h_ * g_[i]) / (1 + first(i) * h_ + second(i) * (h_ * h_));
  }
  // −γ − C w: of (2), and of (6) where that is.
  Expr feedback(std::size_t i, Expr g, Expr rate) const {
    if (d_.alpha == 0 || options_.order == Order::PositionsFirst) {
      return first(i) * rate + second(i) * g;
    }
    return (first(i) * rate + second(i) * (g + h_ * rate)) /
           (1 + first(i) * h_ + second(i) * (h_ * h_));
  }

  bool projects() const {
    const bool drifts = d_.alpha == 0 && d_.epsilon == 0;
    return m_ > 0 && (d_.closes_positions || (options_.projects && drifts));
  }

  // (3), left.
  Exprs close(const Elimination& elimination, const Saddle& s, const Exprs& q) {
    const auto n = static_cast<std::size_t>(n_);
    for (std::size_t k = 0; options_.with_projector && k < num_g_; ++k) {
      Exprs unit(d_.kept.size());
      unit[k] = 1;
      const Exprs solution = solve(elimination, s, Exprs(n), unit);
      const Exprs column = multiply(e_.K, std::span(solution).first(n));
      out_.projector.insert(out_.projector.end(), column.begin(), column.end());
    }
    return close_positions(elimination, s, q, t1_, out_.eta);
  }

  // v₁ and λ from the solution of (1).
  void take(const Exprs& solution) {
    out_.v = plus(e_.v, h_, Exprs(solution.begin(), solution.begin() + n_));
    out_.lambda.assign(solution.begin() + n_, solution.end());
  }

  // Eq. (6), and GGL where positions are projected: q₁, then v₁ with C at q₁.
  void step_positions_first() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_), t1_);
    if (projects()) {
      const Saddle s = make_saddle(here(), C_, true);
      out_.q = close(eliminate(s), s, out_.q);
    }
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(here(), at(there, C_), true);
    take(solve(eliminate(s), s, forces(here()), stated(there)));
  }

  // All at the old positions, or with constraints at the predicted ones.
  void step_velocities_then_positions() {
    const Place rows = is_euler() ? Place{plus(e_.q, h_, Kv_), t1_} : here();
    const SparseExpr C = at(rows, C_);
    const Saddle s = make_saddle(here(), C, C, true);
    const Elimination elimination = eliminate(s);
    take(solve(elimination, s, forces(here()), stated(rows)));
    const bool uses_new = options_.order == Order::VelocitiesFirst || is_euler();
    out_.q = restore_invariants(plus(e_.q, h_, uses_new ? multiply(e_.K, out_.v) : Kv_), t1_);
    if (!projects()) return;
    out_.q = close(elimination, s, out_.q);
    out_.v = project_velocities(out_.q, t1_, out_.v);
  }

  void step_new_positions() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_), t1_);
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(there, at(there, C_), true);
    const Elimination elimination = eliminate(s);
    take(solve(elimination, s, forces(there), stated(there)));
    if (!projects()) return;
    out_.q = close(elimination, s, out_.q);
    out_.v = project_velocities(out_.q, t1_, out_.v);
  }

  void advance_x() {
    if (e_.x.empty()) return;
    Exprs rates = e_.r;
    if (has_J_v()) {
      ExprMatrix matrix(static_cast<int>(e_.x.size()));
      std::vector<int> order;
      for (int i = 0; i < matrix.size(); ++i) {
        matrix.add(i, i, 1);
        order.push_back(i);
      }
      matrix.add(jacobian(e_.r, e_.x), 0, 0, -h_);
      rates = Elimination(matrix, order).solve(e_.r);
    }
    out_.x = plus(e_.x, h_, rates);
  }

  EulerOptions options_;
  StiffForces stiff_;
  Expr t1_;
  Exprs before_;
  EulerTerms out_;
};

EulerTerms make_terms(const Descriptor& descriptor, const EulerOptions& options) {
  switch (options.rule) {
    case EulerOptions::Rule::Rosenbrock: return make_rosenbrock_step(descriptor, options);
    case EulerOptions::Rule::Rattle: return make_rattle_step(descriptor);
    case EulerOptions::Rule::Euler: break;
  }
  return EulerBuilder(descriptor, options).make();
}

Exprs outputs_of(const EulerTerms& terms) {
  Exprs out;
  for (const Exprs* part : {&terms.q, &terms.v, &terms.x, &terms.lambda, &terms.eta}) {
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

std::string key_of(const EulerOptions& options) {
  return fmt::format("euler {} {} {} {} {}", static_cast<int>(options.rule),
                     static_cast<int>(options.jacobian), static_cast<int>(options.order),
                     options.projects, options.stiff);
}

CompileOptions of_fixed_cost(CompileOptions options) {
  options.fixed_cost = true;
  return options;
}

}  // namespace

EulerOptions EulerOptions::read(std::string_view variant, bool has_jacobian) {
  EulerOptions out;
  if (!has_jacobian) out.jacobian = Jacobian::None;
  while (!variant.empty()) {
    const std::size_t end = std::min(variant.find_first_of(":+"), variant.size());
    const std::string_view part = variant.substr(0, end);
    variant.remove_prefix(std::min(end + 1, variant.size()));
    if (has_jacobian && part.starts_with(kStiff)) {
      out.stiff = part.substr(kStiff.size());
    } else if (has_jacobian && part == "exact") {
      out.jacobian = Jacobian::Exact;
    } else if (has_jacobian && part == "J1") {
      out.jacobian = Jacobian::J1;
    } else if (has_jacobian && part == "J2") {
      out.jacobian = Jacobian::J2;
    } else if (has_jacobian && part == "J3") {
      out.jacobian = Jacobian::J3;
    } else if (part == "positions-first") {
      out.order = Order::PositionsFirst;
    } else if (part == "velocities-first") {
      out.order = Order::VelocitiesFirst;
    } else if (part == "new-positions") {
      out.order = Order::NewPositions;
    } else {
      throw Error("integrate.unknown-variant",
                  fmt::format("'{}' is not {}an order of updates", part,
                              has_jacobian ? "a Jacobian or " : ""),
                  fmt::format("{}orders: positions-first, velocities-first, new-positions{}.",
                              has_jacobian ? "Jacobians: exact, J1, J2, J3; " : "",
                              has_jacobian ? "; and stiff=NAMES" : ""));
    }
  }
  return out;
}

EulerOptions EulerOptions::of(std::string_view integrator, Projection projection) {
  const std::string_view name = integrator.substr(0, integrator.find(':'));
  const std::string_view variant = variant_of(integrator);
  EulerOptions out;
  if (name == "rattle") {
    if (!variant.empty()) {
      throw Error("integrate.unknown-variant", fmt::format("'{}' is no variant of rattle", variant),
                  "It has none.");
    }
    out.rule = Rule::Rattle;
  } else if (name == "rosenbrock") {
    if (!variant.empty() && !variant.starts_with(kStiff)) {
      throw Error("integrate.unknown-variant",
                  fmt::format("'{}' is no variant of rosenbrock", variant),
                  "It has stiff=NAMES only.");
    }
    out.rule = Rule::Rosenbrock;
    if (!variant.empty()) out.stiff = variant.substr(kStiff.size());
  } else {
    out = read(variant, name == "linear-implicit");
  }
  out.projects = projection != Projection::None;
  return out;
}

EulerTerms make_euler_step(const Descriptor& descriptor, const EulerOptions& options) {
  EulerTerms terms = make_terms(descriptor, options);
  // Of all that a step computes together, so that a step without η has the same bits.
  Exprs* const parts[] = {&terms.q, &terms.v, &terms.x, &terms.lambda, &terms.eta};
  Exprs all;
  for (const Exprs* part : parts) all.insert(all.end(), part->begin(), part->end());
  all = share_reciprocals(all);
  auto next = all.begin();
  for (Exprs* part : parts) {
    for (Expr& e : *part) e = *next++;
  }
  return terms;
}

EulerStep::EulerStep(const Descriptor& descriptor, const EulerOptions& options)
    : EulerStep(descriptor, make_euler_step(descriptor, options)) {}

EulerStep::EulerStep(const Descriptor& descriptor, const EulerTerms& terms)
    : size_(terms.q.size() + terms.v.size() + terms.x.size() + terms.lambda.size()),
      num_eta_(terms.eta.size()),
      given_(descriptor.state.u),
      num_u_(given_.size()),
      function_(terms.inputs, outputs_of(terms), of_fixed_cost(descriptor.compile)),
      num_factorizations_(terms.num_factorizations) {
  given_.insert(given_.end(), descriptor.state.p.begin(), descriptor.state.p.end());
}

EulerStep::Workspace EulerStep::make_workspace() const {
  Workspace work{std::vector<double>(function_.num_inputs()),
                 std::vector<double>(function_.num_outputs()), function_.make_workspace()};
  std::copy(given_.begin(), given_.end(),
            work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
  return work;
}

void EulerStep::set_inputs(std::span<const double> u, Workspace& work) const noexcept {
  std::copy_n(u.begin(), num_u_, work.in.end() - static_cast<std::ptrdiff_t>(given_.size()));
}

bool EulerStep::advance(double t, double h, std::span<double> y, Workspace& work) const noexcept {
  work.in[0] = t;
  work.in[1] = h;
  std::copy_n(y.begin(), size_, work.in.begin() + 2);
  function_.evaluate(work.in, work.out, work.function);
  std::copy_n(work.out.begin(), std::min(y.size(), work.out.size()), y.begin());
  return koppel_all_finite(work.out.data(), static_cast<int>(size_)) != 0;
}

std::shared_ptr<const EulerStep> euler_step_of(const Problem& problem,
                                               const EulerOptions& options) {
  const Descriptor& descriptor = *problem.descriptor;
  return descriptor.cached<EulerStep>(key_of(options),
                                      [&] { return EulerStep(descriptor, options); });
}

}  // namespace koppel
