#include <koppel/formulation/step_forms.hpp>

#include <algorithm>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

Exprs means(const Exprs& a, const Exprs& b) {
  Exprs out;
  for (std::size_t i = 0; i < a.size(); ++i) out.push_back(0.5 * (a[i] + b[i]));
  return out;
}

std::vector<char> find_counted(const Equations& e) {
  std::vector<char> out(e.num_q(), false);
  for (const Equations::Counted& counted : e.counted) {
    out[static_cast<std::size_t>(counted.q)] = true;
  }
  return out;
}

}  // namespace

StepFrame::StepFrame(const InstantForm& form)
    : e(form.e),
      t(e.t),
      h(e.graph->symbol("step.h")),
      q0(new_symbols("q0", e.num_q())),
      v0(new_symbols("v0", e.num_v())),
      x0(new_symbols("x0", e.x.size())),
      q1(new_symbols("q1", e.num_q())),
      v1(new_symbols("v1", e.num_v())),
      x1(new_symbols("x1", e.x.size())),
      q_mean(means(q0, q1)),
      v_mean(means(v0, v1)),
      x_mean(means(x0, x1)),
      momentum_(multiply(*e.M, e.v)) {
  Exprs variable = e.q;
  variable.push_back(t);
  has_variable_mass_ = depends_on(e.M->values, variable);
}

Exprs StepFrame::new_symbols(const char* name, std::size_t count) const {
  Exprs out;
  for (std::size_t i = 0; i < count; ++i) {
    out.push_back(e.graph->symbol(std::string("step.") + name + '[' + std::to_string(i) + ']'));
  }
  return out;
}

Exprs StepFrame::replace(std::span<const Expr> f, std::span<const Expr> q, std::span<const Expr> v,
                         std::span<const Expr> x, Expr time) const {
  Exprs from = e.q, to(q.begin(), q.end());
  from.insert(from.end(), e.v.begin(), e.v.end());
  to.insert(to.end(), v.begin(), v.end());
  from.insert(from.end(), e.x.begin(), e.x.end());
  to.insert(to.end(), x.begin(), x.end());
  from.push_back(t);
  to.push_back(time);
  return substitute(f, from, to);
}

Exprs StepFrame::start(std::span<const Expr> f) const { return replace(f, q0, v0, x0, t); }
Exprs StepFrame::end(std::span<const Expr> f) const { return replace(f, q1, v1, x1, t + h); }
Exprs StepFrame::middle(std::span<const Expr> f) const { return middle(f, v_mean); }
Exprs StepFrame::middle(std::span<const Expr> f, std::span<const Expr> v) const {
  return replace(f, q_mean, v, x_mean, t + 0.5 * h);
}
SparseExpr StepFrame::middle(const SparseExpr& A) const { return {A.pattern, middle(A.values)}; }

std::vector<StepTerms::Row> StepFrame::kinematics(std::span<const Expr> w,
                                                  std::span<const Expr> less) const {
  const Exprs rate = multiply(middle(e.K), w), invariants = end(e.h);
  std::vector<StepTerms::Row> rows;
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    const Expr lost = less.empty() ? Expr(0) : less[i];
    rows.push_back(
        {"rate of " + std::string(e.q[i].name()), q1[i] - q0[i] - h * (rate[i] - lost), 0});
  }
  for (const Equations::Counted& counted : e.counted) {
    rows[static_cast<std::size_t>(counted.q)].value =
        invariants[static_cast<std::size_t>(counted.h)];
  }
  return rows;
}

Exprs StepFrame::guess_q(std::span<const Expr> w) const {
  Exprs out = multiply(SparseExpr{e.K.pattern, start(e.K.values)}, w);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = q0[i] + h * out[i];
  return out;
}

Exprs StepFrame::guess_x() const {
  Exprs out = start(e.r);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = x0[i] + h * out[i];
  return out;
}

Exprs StepFrame::momentum_rate() const {
  return has_variable_mass_ ? rate_of(e, momentum_) : Exprs(e.num_v());
}

StepBuilder::StepBuilder(const InstantForm& form, const StepFrame& frame) {
  terms_.t = frame.t;
  terms_.h = frame.h;
  terms_.given = form.given;
}

void StepBuilder::begin_stage(bool is_linear) {
  terms_.stages.emplace_back();
  terms_.stages.back().is_linear = is_linear;
}

void StepBuilder::add_unknowns(std::span<const Expr> at_start, std::span<const Expr> at_end,
                               std::span<const Expr> guess, int exponent, int first_y) {
  using Kind = StepTerms::Origin::Kind;
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    terms_.stages.back().unknowns.push_back({at_end[i], guess[i], exponent});
    terms_.s0.push_back(at_start[i]);
    terms_.origin.push_back(
        {first_y < 0 ? Kind::None : Kind::Y, first_y < 0 ? 0 : first_y + static_cast<int>(i)});
  }
}

void StepBuilder::add_rows(std::span<const Expr> values, const std::string& name, int exponent) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    terms_.stages.back().rows.push_back(
        {name + '[' + std::to_string(i) + ']', values[i], exponent});
  }
}

void StepBuilder::add_rows(std::vector<StepTerms::Row> rows) {
  auto& all = terms_.stages.back().rows;
  all.insert(all.end(), rows.begin(), rows.end());
}

void StepBuilder::carry(std::span<const Expr> at_start, std::span<const Expr> at_end,
                        StepTerms::Origin::Kind kind) {
  for (std::size_t i = 0; i < at_end.size(); ++i) {
    terms_.carried.push_back(at_end[i]);
    terms_.s0.push_back(at_start[i]);
    terms_.origin.push_back({kind, static_cast<int>(i)});
  }
}

bool has_linear_rates(const Equations& e) {
  const std::vector<char> is_counted = find_counted(e);
  for (std::size_t k = 0; k < e.K.values.size(); ++k) {
    if (is_counted[static_cast<std::size_t>(e.K.pattern.row[k])]) continue;
    if (!is_linear(e.K.values[k], e.q)) return false;
  }
  return true;
}

bool has_holonomic_velocities(const Equations& e) {
  const std::vector<char> is_counted = find_counted(e);
  std::vector<int> num_entries(e.num_q(), 0);
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    int own = 0;
    for (int k = e.K.pattern.column_start[j]; k < e.K.pattern.column_start[j + 1]; ++k) {
      const auto row = static_cast<std::size_t>(e.K.pattern.row[static_cast<std::size_t>(k)]);
      if (is_counted[row]) continue;
      ++num_entries[row];
      if (!e.K.values[static_cast<std::size_t>(k)].is_constant(1)) return false;
      ++own;
    }
    if (own != 1) return false;
  }
  for (std::size_t i = 0; i < e.num_q(); ++i) {
    if (!is_counted[i] && num_entries[i] != 1) return false;
  }
  return true;
}

}  // namespace koppel
