#include <koppel/study/varied_equations.hpp>

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include <koppel/analysis/structure/dae.hpp>
#include <koppel/expr/algebra/sparse_entries.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {

std::string name_of_change(std::string_view name) { return fmt::format("d({})", name); }

namespace {

// Where rows of [g; a] stand in the varied equations: those of Dg, g, Da, a; all of them, those
// that were left out included, by their numbers.
class VariedRows {
 public:
  explicit VariedRows(const Equations& e) {
    for (const Equations::Row& row : e.rows) ++(is_position(row) ? num_g_ : num_a_);
    for (const Equations::LeftOut& left : e.left_out) ++(is_position(left.row) ? num_g_ : num_a_);
  }

  Equations::Row varied(Equations::Row row, bool is_change) const {
    const int first =
        is_position(row) ? (is_change ? 0 : num_g_) : num_g_ + (is_change ? 0 : num_a_);
    row.number += first;
    row.pulls = false;
    if (is_change) row.name = name_of_change(row.name);
    return row;
  }
  std::vector<Equations::Row> varied(const std::vector<Equations::Row>& rows) const {
    std::vector<Equations::Row> out;
    for (const bool of_g : {true, false}) {
      for (const bool is_change : {true, false}) {
        for (const Equations::Row& row : rows) {
          if (is_position(row) == of_g) out.push_back(varied(row, is_change));
        }
      }
    }
    return out;
  }

 private:
  static bool is_position(const Equations::Row& row) {
    return row.level == Equations::Row::Level::Position;
  }
  int num_g_ = 0, num_a_ = 0;
};

class Variation {
 public:
  explicit Variation(const Equations& e) : e_(e), multipliers_(multiplier_symbols(e)) {
    const VariedRows rows(e);
    Exprs changes;
    for (const Equations::Row& row : e.rows) {
      renamed_.push_back(multiplier_symbol(e, rows.varied(row, true)));
      changes.push_back(multiplier_symbol(e, rows.varied(row, false)));
    }
    symbols_ = join({e.q, e.v, e.x, e.p, multipliers_});
    changes_ = join({changed(e.q), changed(e.v), changed(e.x), changed(e.p), changes});
  }

  Exprs D(const Exprs& f) const { return jacobian_times_vector(f, symbols_, changes_); }
  // Multipliers have the symbols of their rows in the varied equations.
  Exprs renamed(const Exprs& f) const { return substitute(f, multipliers_, renamed_); }
  SparseExpr D(const SparseExpr& A) const {
    SparseEntries entries;
    const SparseExpr changed{A.pattern, D(A.values)};
    add(changed, 0, 0, entries);
    return entries.make(A.pattern.num_rows, A.pattern.num_columns);
  }
  // [DA A; A 0], and [A 0; DA A].
  SparseExpr dual(const SparseExpr& A) const {
    if (A.pattern.num_columns == 0) return A;
    const int m = A.pattern.num_rows, n = A.pattern.num_columns;
    SparseEntries entries;
    entries.add(D(A), 0, 0);
    entries.add(A, 0, n);
    entries.add(A, m, 0);
    return entries.make(2 * m, 2 * n);
  }
  SparseExpr lower(const SparseExpr& A) const {
    const int m = A.pattern.num_rows, n = A.pattern.num_columns;
    SparseEntries entries;
    entries.add(A, 0, 0);
    entries.add(D(A), m, 0);
    entries.add(A, m, n);
    return entries.make(2 * m, 2 * n);
  }
  Exprs first_varied(const Exprs& f) const { return join({D(f), f}); }
  Exprs then_varied(const Exprs& f) const { return join({f, D(f)}); }

  Exprs changed(const Exprs& of) const {
    Exprs out;
    for (const Expr& symbol : of) {
      out.push_back(e_.graph->symbol("change." + std::string(symbol.name())));
    }
    return out;
  }

 private:
  static void add(const SparseExpr& A, int row, int column, SparseEntries& to) {
    for (int j = 0; j < A.pattern.num_columns; ++j) {
      const auto at = static_cast<std::size_t>(j);
      for (int k = A.pattern.column_start[at]; k < A.pattern.column_start[at + 1]; ++k) {
        const Expr value = A.values[static_cast<std::size_t>(k)];
        if (value.is_constant(0)) continue;
        to.add(row + A.pattern.row[static_cast<std::size_t>(k)], column + j, value);
      }
    }
  }

  const Equations& e_;
  Exprs multipliers_, renamed_, symbols_, changes_;
};

std::vector<Equations::Unknown> twice(std::vector<Equations::Unknown> about) {
  const std::vector<Equations::Unknown> once = about;
  about.insert(about.end(), once.begin(), once.end());
  return about;
}

std::vector<double> with_zeros(std::vector<double> values) {
  values.resize(2 * values.size(), 0.0);
  return values;
}

}  // namespace

Shared<Equations> vary(const Shared<Equations>& equations) {
  const Equations& e = equations;
  assert(e.tracking.empty());  // sensitivity.cpp refuses it
  const Variation with(e);
  Equations out;
  out.graph = e.graph;
  out.model = e.model;
  out.coordinates = e.coordinates;
  out.t = e.t;
  out.q = join({e.q, with.changed(e.q)});
  out.v = join({e.v, with.changed(e.v)});
  out.x = join({e.x, with.changed(e.x)});
  out.p = join({e.p, with.changed(e.p)});
  out.u = e.u;
  out.about = {twice(e.about.q), twice(e.about.v), twice(e.about.x), e.about.u};
  const VariedRows rows(e);
  out.rows = rows.varied(e.rows);
  for (const Equations::LeftOut& left : e.left_out) {
    const Exprs changes = with.D(Exprs{left.position, left.velocity});
    out.left_out.push_back({rows.varied(left.row, true), changes[0], changes[1]});
    out.left_out.push_back({rows.varied(left.row, false), left.position, left.velocity});
  }
  out.K = with.lower(e.K);
  out.M = Lazy<SparseExpr>([equations] { return Variation(*equations).dual(*equations->M); });
  out.f = with.renamed(with.first_varied(e.f));
  out.g = with.first_varied(e.g);
  out.G = with.dual(e.G);
  out.a = with.dual(e.a);
  out.b = with.first_varied(e.b);
  out.h = e.h;
  out.counted = e.counted;
  out.r = with.renamed(with.then_varied(e.r));
  out.g_t = with.first_varied(e.g_t);
  out.gamma = with.first_varied(e.gamma);
  if (!e.v_rate.empty()) out.v_rate = with.then_varied(e.v_rate);
  for (const Equations::Event& event : e.events) {
    Equations::Event kept;
    kept.name = event.name;
    kept.when = event.when;
    kept.when_rate = event.when_rate;
    kept.direction = event.direction;
    kept.is_switch = event.is_switch;
    if (event.is_switch) kept.changes = event.changes;
    out.events.push_back(std::move(kept));
  }
  out.kinetic = e.kinetic;
  out.potential = e.potential;
  out.outputs = e.outputs;
  for (Equations::Output& output : out.outputs) output.value = with.renamed({output.value})[0];
  for (const Equations::Output& output : e.outputs) {
    const Expr change = with.renamed(with.D(Exprs{output.value}))[0];
    out.outputs.push_back({{name_of_change(output.name), change}, ""});
  }
  out.p_value = with_zeros(e.p_value);
  out.q_guess = with_zeros(e.q_guess);
  out.v_guess = with_zeros(e.v_guess);
  out.x_start = with_zeros(e.x_start);
  return out;
}

State varied_state(const State& state, std::span<const double> changes,
                   std::span<const double> of_parameters) {
  State out = state;
  std::size_t next = 0;
  for (std::vector<double>* part : {&out.q, &out.v, &out.x}) {
    const std::span<const double> of = changes.subspan(next, part->size());
    next += of.size();
    part->insert(part->end(), of.begin(), of.end());
  }
  out.p.insert(out.p.end(), of_parameters.begin(), of_parameters.end());
  return out;
}

}  // namespace koppel
