#include <koppel/export/start_code.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/equations/evaluator.hpp>
#include <koppel/export/step_model.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/fixed_cost/rate_terms.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

// Each in terms of those that are not derived.
Exprs definitions_of(const Model& model, std::span<const ParameterOrigin> origins) {
  Exprs symbols, definitions;
  for (const Parameter& parameter : model.parameters) symbols.push_back(parameter.symbol);
  definitions = symbols;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].definition) definitions[i] = *origins[i].definition;
  }
  // A definition needs at most as many others as there are.
  for (std::size_t i = 0; i < symbols.size(); ++i) {
    Exprs next = substitute(definitions, symbols, definitions);
    const bool is_done = std::equal(next.begin(), next.end(), definitions.begin());
    definitions = std::move(next);
    if (is_done) break;
  }
  return definitions;
}

class StartWriter {
 public:
  explicit StartWriter(const StepModel& model)
      : m_(model), e_(model.prepared.equations), start_(model.start.expected) {}

  StartCode write() {
    sizes();
    add("start_derived", m_.start.parameters);
    Exprs guess = start_.q;
    append(guess, start_.v);
    append(guess, start_.x);
    append(guess, start_.target);
    guess.push_back(start_.weight);
    add("start_guess", guess);
    positions();
    velocities();
    Exprs masses;
    if (num_free_ > 0) masses = (*e_.M).values;
    entries("start_masses_at", "START_MASSES_COUNT", num_free_ > 0 ? (*e_.M).pattern : Sparsity{});
    add("start_masses", masses);
    const bool has_multipliers = !m_.multipliers.empty();
    add("start_multipliers",
        has_multipliers ? make_rate_terms(m_.prepared.descriptor).multipliers : Exprs{});
    define("START_OUT", most_);
    count();
    return std::move(out_);
  }

 private:
  void define(const char* name, std::size_t value) {
    out_.tables += fmt::format("#define {} {}\n", name, value);
  }
  // C has no empty arrays.
  void list(const char* name, const std::vector<std::size_t>& values) {
    out_.tables += fmt::format("static const int {}[] = {{", name);
    for (const std::size_t value : values) out_.tables += std::to_string(value) + ", ";
    out_.tables += "0};\n";
  }
  void entries(const char* name, const char* count, const Sparsity& pattern) {
    define(count, pattern.row.size());
    out_.tables += fmt::format("static const int {}[][2] = {{", name);
    for (int j = 0; j < pattern.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
        out_.tables += fmt::format("{{{}, {}}}, ", pattern.row[static_cast<std::size_t>(k)], j);
      }
    }
    out_.tables += "{0, 0}};\n";
  }
  void add(const char* name, const Exprs& values) {
    out_.functions.emplace_back(name, lower(m_.layout, share_reciprocals(values)));
    most_ = std::max(most_, values.size());
  }

  void sizes() {
    define("START_Q", e_.q.size());
    define("START_V", e_.v.size());
    define("START_X", e_.x.size());
    define("START_MULTIPLIERS", m_.multipliers.size());
    define("START_PARAMETERS", e_.p.size());
    define("START_FIRST_PARAMETER", 2 + m_.state_size() + m_.inputs.size());
    define("START_ROWS", start_.rows.size());
    define("START_RANK", m_.prepared.independent->num_rows());
    std::vector<std::size_t> free_q, free_v;
    for (std::size_t i = 0; i < e_.q.size(); ++i) {
      if (!start_.is_free[i]) continue;
      const std::optional<std::size_t> v = velocity_of(i);
      if (!v) continue;
      free_q.push_back(i);
      free_v.push_back(*v);
    }
    num_free_ = free_q.size();
    define("START_FREE", num_free_);
    list("start_free_q", free_q);
    list("start_free_v", free_v);
  }

  // What koppel_start holds, and some room between.
  void count() {
    const std::size_t n = std::max(e_.q.size(), e_.v.size());
    const std::size_t metric = start_.rows.size() + num_free_;
    const std::size_t m = std::max(num_equations_, num_rate_equations_), stack = m + metric + n;
    out_.num_numbers = 64 + most_ + n * (3 * m + 2 * metric + 2 * stack + 16) + 6 * m + 3 * metric +
                       2 * stack + num_free_ * num_free_;
  }

  // The velocity that is the rate of a coordinate.
  std::optional<std::size_t> velocity_of(std::size_t q) const {
    for (std::size_t j = 0; j < e_.v.size(); ++j) {
      if (e_.K.at(static_cast<int>(q), static_cast<int>(j)).is_constant(1)) return j;
    }
    return {};
  }

  struct Wishes {
    Exprs fixed, soft;
    std::vector<std::size_t> pulling;  // among the soft ones
  };
  Wishes wishes(bool are_rates) const {
    Wishes out;
    for (const Equations::Wish& wish : e_.wishes) {
      if (wish.is_rate != are_rates) continue;
      if (!wish.fixed && !is_guess(wish)) out.pulling.push_back(out.soft.size());
      (wish.fixed ? out.fixed : out.soft).push_back(wish.residual);
    }
    return out;
  }

  // Whether a wish is for a coordinate or a velocity that the distance is measured in.
  bool is_guess(const Equations::Wish& wish) const {
    Expr symbol;
    int occurring = 0;
    for (const Expr& s : symbols_of(wish.residual)) {
      if (!is_in(e_.q, s) && !is_in(e_.v, s)) continue;
      ++occurring;
      symbol = s;
    }
    return occurring == 1 && is_measured(symbol) && diff(wish.residual, symbol).is_constant(1);
  }
  bool is_measured(Expr symbol) const {
    if (start_.rows.empty()) return true;
    const std::vector<int> rate = find_rates(e_);
    for (std::size_t i = 0; i < e_.q.size(); ++i) {
      if (!start_.is_free[i]) continue;
      if (symbol == e_.q[i]) return true;
      if (rate[i] >= 0 && symbol == e_.v[static_cast<std::size_t>(rate[i])]) return true;
    }
    return false;
  }
  static bool is_in(const Exprs& all, Expr e) {
    return std::find(all.begin(), all.end(), e) != all.end();
  }

  void positions() {
    const SparseExpr by_q = jacobian(start_.rows, e_.q);
    entries("start_rows_at", "START_ROWS_COUNT", by_q.pattern);
    Exprs values = start_.rows;
    append(values, by_q.values);
    add("start_distance", values);

    const Wishes wished = wishes(false);
    define("START_CLOSED", e_.g.size() + e_.h.size());
    define("START_FIXED", wished.fixed.size());
    define("START_SOFT", wished.soft.size());
    define("START_PULL", wished.pulling.size());
    list("start_pull", wished.pulling);
    Exprs equations = e_.g;
    append(equations, e_.h);
    append(equations, wished.fixed);
    append(equations, wished.soft);
    const SparseExpr A = jacobian(equations, e_.q);
    num_equations_ = equations.size();
    entries("start_equations_at", "START_EQUATIONS_COUNT", A.pattern);
    append(equations, A.values);
    add("start_equations", equations);
  }

  void velocities() {
    const Wishes wished = wishes(true);
    Exprs equations = multiply(e_.G, e_.v);
    for (std::size_t i = 0; i < equations.size(); ++i) equations[i] += e_.g_t[i];
    const Exprs a = multiply(e_.a, e_.v);
    for (std::size_t i = 0; i < a.size(); ++i) equations.push_back(a[i] + e_.b[i]);
    define("START_RATE_CLOSED", equations.size());
    define("START_RATE_FIXED", wished.fixed.size());
    define("START_RATE_SOFT", wished.soft.size());
    define("START_RATE_PULL", wished.pulling.size());
    list("start_rate_pull", wished.pulling);
    append(equations, wished.fixed);
    append(equations, wished.soft);
    const SparseExpr A = jacobian(equations, e_.v);
    num_rate_equations_ = equations.size();
    const Exprs rates = rate_of(e_, start_.rows);
    const SparseExpr by_v = jacobian(rates, e_.v);
    entries("start_rates_at", "START_RATES_COUNT", A.pattern);
    entries("start_rows_rate_at", "START_ROWS_RATE_COUNT", by_v.pattern);
    Exprs values = equations;
    append(values, rates);
    append(values, start_.target_rate);
    append(values, A.values);
    append(values, by_v.values);
    add("start_rates", values);
  }

  const StepModel& m_;
  const Equations& e_;
  const ExpectedStart& start_;
  StartCode out_;
  std::size_t most_ = 0, num_free_ = 0, num_equations_ = 0, num_rate_equations_ = 0;
};

}  // namespace

StartTerms make_start_terms(const Model& model, std::span<const ParameterOrigin> origins,
                            const Equations& equations, bool can_change) {
  StartTerms out;
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    const bool is_built_in = model.parameters[i].is_built_in || !can_change;
    const bool is_derived = !origins.empty() && origins[i].definition;
    out.kinds.push_back(is_built_in  ? ParameterKind::BuiltIn
                        : is_derived ? ParameterKind::Derived
                                     : ParameterKind::Free);
  }
  out.parameters = definitions_of(model, origins);
  if (std::find(out.kinds.begin(), out.kinds.end(), ParameterKind::Free) != out.kinds.end()) {
    out.expected = make_expected_start(model, equations);
  }
  return out;
}

StartCode make_start_code(const StepModel& model) {
  const std::vector<ParameterKind>& kinds = model.start.kinds;
  if (std::find(kinds.begin(), kinds.end(), ParameterKind::Free) == kinds.end()) return {};
  return StartWriter(model).write();
}

}  // namespace koppel
