#include <koppel/integrate/euler_step.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/runtime/step.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/elimination.hpp>
#include <koppel/expr/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;
using Jacobian = EulerOptions::Jacobian;
using Order = EulerOptions::Order;
using Level = Descriptor::Level;

// A·B of sparse matrices.
SparseExpr product(const SparseExpr& A, const SparseExpr& B) {
  SparseExpr out{{A.pattern.num_rows, B.pattern.num_columns, {0}, {}}, {}};
  for (int j = 0; j < B.pattern.num_columns; ++j) {
    std::map<int, Expr> column;
    const auto c = static_cast<std::size_t>(j);
    for (int k = B.pattern.column_start[c]; k < B.pattern.column_start[c + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const auto middle = static_cast<std::size_t>(B.pattern.row[at]);
      for (int l = A.pattern.column_start[middle]; l < A.pattern.column_start[middle + 1]; ++l) {
        const auto left = static_cast<std::size_t>(l);
        column[A.pattern.row[left]] += A.values[left] * B.values[at];
      }
    }
    for (const auto& [row, value] : column) {
      if (value.is_constant(0)) continue;
      out.pattern.row.push_back(row);
      out.values.push_back(value);
    }
    out.pattern.column_start.push_back(out.pattern.num_entries());
  }
  return out;
}

Exprs plus(const Exprs& a, Expr scale, const Exprs& b) {
  Exprs out = a;
  for (std::size_t i = 0; i < b.size(); ++i) out[i] += scale * b[i];
  return out;
}

// Where expressions are evaluated: q and t are replaced.
struct Place {
  Exprs q;
  Expr t;
};

class Builder {
 public:
  Builder(const Descriptor& descriptor, const EulerOptions& options)
      : d_(descriptor),
        e_(descriptor.equations),
        options_(options),
        n_(static_cast<int>(e_.num_v())),
        m_(static_cast<int>(d_.kept.size())),
        h_(e_.graph->symbol("step.h")),
        t1_(e_.t + h_),
        C_(kept_rows(e_, d_.kept)),
        Kv_(multiply(e_.K, e_.v)) {
    while (num_g_ < d_.kept.size() && d_.kept[num_g_] < static_cast<int>(e_.num_g())) ++num_g_;
    for (std::size_t i = 0; i < d_.kept.size(); ++i) {
      before_.push_back(e_.graph->symbol(fmt::format("step.lambda[{}]", i)));
    }
    find_rows();
    find_forces();
    find_augmentation();
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
    return std::move(out_);
  }

 private:
  // Rows of [g; a] that are kept, of the vectors over all rows.
  Exprs keep(const Exprs& of_g, const Exprs& of_a) const {
    Exprs out;
    for (const int row : d_.kept) {
      const auto i = static_cast<std::size_t>(row);
      out.push_back(i < e_.num_g() ? of_g[i] : of_a[i - e_.num_g()]);
    }
    return out;
  }

  void find_rows() {
    const Exprs none(e_.mu.size());
    g_ = keep(e_.g, none);
    const Exprs av = plus(multiply(e_.a, e_.v), 1, e_.b);
    rate_ = keep(plus(multiply(e_.G, e_.v), 1, e_.g_t), av);
    gamma_ = keep(e_.gamma, rate_of(e_, av));
  }

  // f = f₀ + F λ: forces that depend on reactions.
  void find_forces() {
    f_ = e_.f;
    if (!depends_on(e_.f, d_.lambda)) return;
    auto form = linear_form(e_.f, d_.lambda);
    if (!form) {
      throw Error("integrate.not-linear",
                  "forces depend on reactions in a way that is not linear; a step of fixed cost "
                  "cannot solve that.",
                  "Use --integrator radau5 with --formulation index3 or ggl.");
    }
    F_ = std::move(form->A);
    f_ = std::move(form->b);
  }

  // M alone may be singular (bodies without mass) as long as the whole matrix is not. Then κ Cᵀ
  // times the lower rows of (1) is added to the upper ones, which changes no solution and makes
  // M + κ CᵀC regular. κ in the size of the masses.
  void find_augmentation() {
    if (n_ == 0 || m_ == 0) return;
    const MatrixFunction mass(e_, e_.M);
    Matrix M = mass(d_.state);
    double largest = 0;
    for (int i = 0; i < n_; ++i) largest = std::max(largest, M(i, i));
    for (int k = 0; k < n_; ++k) {
      constexpr double kSingular = 1e-9;  // of the mass that eliminations leave
      if (!(M(k, k) > kSingular * largest)) {
        out_.is_augmented = true;
        break;
      }
      for (int i = k + 1; i < n_; ++i) {
        for (int j = k + 1; j < n_; ++j) M(i, j) -= M(i, k) * M(k, j) / M(k, k);
      }
    }
    if (!out_.is_augmented) return;
    const Matrix C = MatrixFunction(e_, C_)(d_.state);
    for (int i = 0; i < m_; ++i) {
      double squares = 0;
      for (int j = 0; j < n_; ++j) squares += C(i, j) * C(i, j);
      kappa_.push_back(squares > 0 ? largest / squares : 0);
    }
  }

  bool is_here(const Place& place) const { return place.q == e_.q && place.t == e_.t; }
  Place here() const { return {e_.q, e_.t}; }

  Exprs at(const Place& place, const Exprs& values) const {
    if (is_here(place)) return values;
    Exprs from = e_.q, to = place.q;
    from.push_back(e_.t);
    to.push_back(place.t);
    return substitute(values, from, to);
  }
  SparseExpr at(const Place& place, const SparseExpr& A) const {
    return {A.pattern, at(place, A.values)};
  }
  // The same with other velocities.
  Exprs at(const Place& place, const Exprs& v, const Exprs& values) const {
    Exprs from = e_.q, to = place.q;
    from.push_back(e_.t);
    to.push_back(place.t);
    from.insert(from.end(), e_.v.begin(), e_.v.end());
    to.insert(to.end(), v.begin(), v.end());
    return substitute(values, from, to);
  }

  bool has_J_v() const {
    return options_.jacobian != Jacobian::None && options_.jacobian != Jacobian::J3;
  }

  // M − h J_v of (1).
  void add_mass(ExprMatrix& matrix, const Place& place) const {
    matrix.add(at(place, e_.M), 0, 0);
    if (!has_J_v()) return;
    matrix.add(at(place, jacobian(f_, e_.v)), 0, 0, -h_);
    if (options_.jacobian == Jacobian::J1) return;
    matrix.add(at(place, product(jacobian(f_, e_.q), e_.K)), 0, 0, -h_ * h_);
  }

  struct Saddle {
    ExprMatrix matrix;
    SparseExpr columns, rows;
    std::vector<double> kappa;
  };

  // The matrix of (1) with forces and columns at one place and rows at another.
  Saddle make_saddle(const Place& place, const SparseExpr& rows, bool with_forces) const {
    Saddle s{ExprMatrix(n_ + m_), at(place, C_), rows, kappa_};
    if (with_forces) {
      add_mass(s.matrix, place);
    } else {
      s.matrix.add(at(place, e_.M), 0, 0);
    }
    s.matrix.add_transposed(s.columns, 0, n_);
    if (with_forces && !F_.values.empty()) s.matrix.add(at(place, F_), 0, n_, -1);
    s.matrix.add(rows, n_, 0);
    if (with_forces && d_.epsilon > 0) {
      for (int i = 0; i < m_; ++i) s.matrix.add(n_ + i, n_ + i, -(d_.epsilon / h_));
    }
    augment(s);
    return s;
  }

  void augment(Saddle& s) const {
    for (std::size_t i = 0; i < s.kappa.size(); ++i) {
      const int row = n_ + static_cast<int>(i);
      const auto lower = s.matrix.row(row);
      for (int k = 0; k < n_; ++k) {
        const Expr c = s.columns.at(static_cast<int>(i), k);
        if (c.is_constant(0)) continue;
        for (const auto& [j, value] : lower) s.matrix.add(k, j, s.kappa[i] * (c * value));
      }
    }
  }

  Exprs solve(const Elimination& elimination, const Saddle& s, const Exprs& upper,
              const Exprs& lower) const {
    Exprs b = upper;
    b.insert(b.end(), lower.begin(), lower.end());
    for (std::size_t i = 0; i < s.kappa.size(); ++i) {
      for (int k = 0; k < n_; ++k) {
        b[static_cast<std::size_t>(k)] +=
            s.kappa[i] * (s.columns.at(static_cast<int>(i), k) * lower[i]);
      }
    }
    return elimination.solve(b);
  }

  Elimination eliminate(const Saddle& s) {
    if (order_.empty()) order_ = saddle_point_order(s.matrix, n_);
    ++out_.num_factorizations;
    Elimination elimination(s.matrix, order_);
    if (out_.pivots.empty()) out_.pivots = elimination.pivots();
    return elimination;
  }

  // f + h J_q; J_q only where forces are those of the old positions.
  Exprs forces(const Place& place) const {
    if (options_.jacobian == Jacobian::None || options_.order != Order::PositionsFirst) {
      return at(place, f_);
    }
    Exprs moving = e_.q, rates = Kv_;
    moving.push_back(e_.t);
    rates.push_back(1);
    return plus(f_, h_, time_derivative(f_, moving, rates));
  }

  // The lower right-hand side of (1).
  Exprs stated(const Place& place) const {
    Exprs s(d_.kept.size());
    const Exprs g = at(place, g_), rate = at(place, rate_);
    for (std::size_t i = 0; i < s.size(); ++i) {
      if (d_.level == Level::Velocity) {
        s[i] = -((rate[i] + d_.alpha * g[i]) / h_);
        if (d_.epsilon > 0) s[i] -= d_.epsilon / h_ * before_[i];
      }
    }
    if (d_.level == Level::Velocity) return s;
    const Exprs gamma = at(place, gamma_);
    for (std::size_t i = 0; i < s.size(); ++i) {
      const double first = i < num_g_ ? 2 * d_.alpha : d_.alpha;
      s[i] = -gamma[i] - first * rate[i] - d_.beta * d_.beta * g[i];
    }
    return s;
  }

  bool projects() const {
    const bool drifts = d_.alpha == 0 && d_.epsilon == 0;
    return m_ > 0 && (d_.closes_positions || (options_.projects && drifts));
  }

  // One Newton step for invariants: q ← q − h_qᵀ (h_q h_qᵀ)⁻¹ h.
  Exprs restore_invariants(const Exprs& q) const {
    if (e_.h.empty()) return q;
    const Place place{q, t1_};
    const SparseExpr h_q = at(place, jacobian(e_.h, e_.q));
    const int count = static_cast<int>(e_.h.size());
    ExprMatrix normal(count);
    std::vector<int> order;
    for (int i = 0; i < count; ++i) order.push_back(i);
    for (int k = 0; k < h_q.pattern.num_columns; ++k) {
      const auto c = static_cast<std::size_t>(k);
      for (int a = h_q.pattern.column_start[c]; a < h_q.pattern.column_start[c + 1]; ++a) {
        for (int b = h_q.pattern.column_start[c]; b < h_q.pattern.column_start[c + 1]; ++b) {
          const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
          normal.add(h_q.pattern.row[x], h_q.pattern.row[y], h_q.values[x] * h_q.values[y]);
        }
      }
    }
    const Exprs by = Elimination(normal, order).solve(at(place, e_.h));
    return plus(q, -1, multiply_transposed(h_q, by));
  }

  // (3), left: with a matrix that is factorised already.
  Exprs close_positions(const Elimination& elimination, const Saddle& s, const Exprs& q) {
    const Exprs g = at({q, t1_}, g_);
    Exprs lower(g.size());
    for (std::size_t i = 0; i < g.size(); ++i) lower[i] = -g[i];
    const Exprs solution = solve(elimination, s, Exprs(static_cast<std::size_t>(n_)), lower);
    for (std::size_t i = 0; i < num_g_; ++i) {
      out_.eta.push_back(solution[static_cast<std::size_t>(n_) + i] / h_);
    }
    return plus(q, 1, multiply(e_.K, std::span(solution).first(static_cast<std::size_t>(n_))));
  }

  // (3), right.
  Exprs project_velocities(const Exprs& q, const Exprs& v) {
    const Place place{q, t1_};
    const Saddle s = make_saddle(place, at(place, C_), false);
    const Elimination elimination = eliminate(s);
    Exprs lower = at(place, v, rate_);
    for (Expr& x : lower) x = -x;
    const Exprs solution = solve(elimination, s, Exprs(static_cast<std::size_t>(n_)), lower);
    return plus(v, 1, Exprs(solution.begin(), solution.begin() + n_));
  }

  // v₁ and λ from the solution of (1).
  void take(const Exprs& solution) {
    out_.v = plus(e_.v, h_, Exprs(solution.begin(), solution.begin() + n_));
    out_.lambda.assign(solution.begin() + n_, solution.end());
  }

  // Eq. (6), and GGL where positions are projected: q₁, then v₁ with C at q₁.
  void step_positions_first() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_));
    if (projects()) {
      const Saddle s = make_saddle(here(), C_, true);
      out_.q = close_positions(eliminate(s), s, out_.q);
    }
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(here(), at(there, C_), true);
    take(solve(eliminate(s), s, forces(here()), stated(there)));
  }

  // All at the old positions, or with rows of (2) at the predicted ones.
  void step_velocities_then_positions() {
    const bool predicts = options_.order == Order::PositionsFirst && d_.level == Level::Velocity;
    const Place rows = predicts ? Place{plus(e_.q, h_, Kv_), t1_} : here();
    const Saddle s = make_saddle(here(), at(rows, C_), true);
    const Elimination elimination = eliminate(s);
    take(solve(elimination, s, forces(here()), stated(rows)));
    const bool uses_new =
        options_.order == Order::VelocitiesFirst || options_.jacobian == Jacobian::Exact;
    out_.q = restore_invariants(plus(e_.q, h_, uses_new ? multiply(e_.K, out_.v) : Kv_));
    if (!projects()) return;
    out_.q = close_positions(elimination, s, out_.q);
    out_.v = project_velocities(out_.q, out_.v);
  }

  void step_new_positions() {
    out_.q = restore_invariants(plus(e_.q, h_, Kv_));
    const Place there{out_.q, t1_};
    const Saddle s = make_saddle(there, at(there, C_), true);
    const Elimination elimination = eliminate(s);
    take(solve(elimination, s, forces(there), stated(there)));
    if (!projects()) return;
    out_.q = close_positions(elimination, s, out_.q);
    out_.v = project_velocities(out_.q, out_.v);
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

  const Descriptor& d_;
  const Equations& e_;
  EulerOptions options_;
  int n_, m_;
  Expr h_, t1_;
  SparseExpr C_;
  Exprs Kv_, before_, g_, rate_, gamma_, f_;
  SparseExpr F_;
  std::vector<double> kappa_;
  std::size_t num_g_ = 0;
  std::vector<int> order_;
  EulerTerms out_;
};

Exprs outputs_of(const EulerTerms& terms) {
  Exprs out;
  for (const Exprs* part : {&terms.q, &terms.v, &terms.x, &terms.lambda, &terms.eta}) {
    out.insert(out.end(), part->begin(), part->end());
  }
  return out;
}

std::string key_of(const EulerOptions& options) {
  return fmt::format("euler {} {} {}", static_cast<int>(options.jacobian),
                     static_cast<int>(options.order), options.projects);
}

}  // namespace

EulerOptions EulerOptions::read(std::string_view variant, bool has_jacobian) {
  EulerOptions out;
  if (!has_jacobian) out.jacobian = Jacobian::None;
  while (!variant.empty()) {
    const std::size_t colon = std::min(variant.find(':'), variant.size());
    const std::string_view part = variant.substr(0, colon);
    variant.remove_prefix(std::min(colon + 1, variant.size()));
    if (has_jacobian && part == "exact") {
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
                  fmt::format("{}orders: positions-first, velocities-first, new-positions.",
                              has_jacobian ? "Jacobians: exact, J1, J2, J3; " : ""));
    }
  }
  return out;
}

EulerTerms make_euler_step(const Descriptor& descriptor, const EulerOptions& options) {
  return Builder(descriptor, options).make();
}

EulerStep::EulerStep(const Descriptor& descriptor, const EulerOptions& options)
    : EulerStep(descriptor, make_euler_step(descriptor, options)) {}

EulerStep::EulerStep(const Descriptor& descriptor, const EulerTerms& terms)
    : size_(terms.q.size() + terms.v.size() + terms.x.size() + terms.lambda.size()),
      num_eta_(terms.eta.size()),
      given_(descriptor.state.u),
      function_(terms.inputs, outputs_of(terms), descriptor.compile),
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
