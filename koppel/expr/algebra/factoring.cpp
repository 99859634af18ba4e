// Writing a polynomial with common factors pulled out.
#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include <koppel/expr/algebra/polynomial.hpp>

namespace koppel::algebra {
namespace {

constexpr int kMaxNesting = 16;  // of factors pulled out of what others leave

// What a factor is counted under: its base and the sign of its exponent.
std::uint64_t tally_key(const Factor& f) {
  if (!f.exponent.is_constant()) return hash_of(f);
  return hash_of({f.base, f.exponent.value() < 0 ? -1 : 1});
}

// What a and b have in common, as the factor of least exponents; where one is symbolic, both must
// be equal. Coefficients: the magnitude, where it is the same.
Monomial common_of(const Monomial& a, const Monomial& b) {
  Monomial common;
  const double magnitude = std::abs(a.coefficient);
  if (magnitude == std::abs(b.coefficient)) common.coefficient = magnitude;
  auto i = a.factors.begin(), j = b.factors.begin();
  while (i != a.factors.end() && j != b.factors.end()) {
    const auto p = key_of(i->base), q = key_of(j->base);
    if (p == q && i->base == j->base) {
      if (i->exponent == j->exponent) {
        common.factors.push_back(*i);
      } else if (i->exponent.is_constant() && j->exponent.is_constant()) {
        const double m = i->exponent.value(), n = j->exponent.value();
        if (m * n > 0) common.factors.push_back({i->base, std::abs(m) < std::abs(n) ? m : n});
      }
    }
    if (p <= q) ++i;
    if (q <= p) ++j;
  }
  return common;
}

// Powers count as two: x² − x is x (x − 1) at the same cost, and x may cancel then.
std::size_t num_multiplicands(const Monomial& m) {
  std::size_t count = std::abs(m.coefficient) != 1;
  for (const Factor& f : m.factors) {
    count += is_integer(f.exponent) && std::abs(f.exponent.value()) > 1 ? 2 : 1;
  }
  return count;
}

}  // namespace

Polynomial::Weighted Polynomial::weighted(const Term& term) const {
  const double c = term.monomial.coefficient;
  if (term.inner != 0 && (term.inner == 1 || std::abs(term.inner) == std::abs(c))) {
    return {c / term.inner, term.source};
  }
  if (term.monomial.factors.empty()) return {c, 1};
  const Monomial positive{std::abs(c), term.monomial.factors, term.monomial.hash};
  return {c < 0 ? -1.0 : 1.0, algebra::make_expr(positive, *usage_, *graph_)};
}

// Starts with a positive term where there is one. The number comes last, outermost.
Expr Polynomial::sum_of(const std::vector<Weighted>& terms) const {
  double number = 0;
  std::size_t first = terms.size();
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i].e.is_constant()) {
      number += terms[i].number * terms[i].e.value();
    } else if (first == terms.size() && terms[i].number > 0) {
      first = i;
    }
  }
  const auto value = [&](double c, Expr e) { return graph_->constant(c) * e; };
  Expr sum = graph_->constant(0);
  if (first < terms.size()) {
    sum = value(terms[first].number, terms[first].e);
  } else if (number > 0) {
    sum = graph_->constant(std::exchange(number, 0));
  }
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const auto& [c, e] = terms[i];
    if (i == first || e.is_constant()) continue;
    sum = c < 0 ? sum - value(-c, e) : sum + value(c, e);
  }
  return {*graph_, graph_->adopt(sum + graph_->constant(number))};
}

// common · (sum of what is left of the terms)
Expr Polynomial::pulled_out(const Monomial& common, const std::vector<Term>& terms,
                            const std::vector<std::size_t>& group, int depth) const {
  Monomial inverse{1, common.factors};
  for (Factor& f : inverse.factors) f.exponent = -f.exponent;
  std::vector<Term> left;
  for (const std::size_t i : group) {
    left.push_back({terms[i].monomial * inverse, {}, 0});
    left.back().monomial.coefficient /= common.coefficient;
  }
  bool changed = false;
  const Expr sum = sum_of(factored(left, depth + 1, changed));
  Monomial product = common;
  product.factors.push_back({sum, 1});
  return algebra::make_expr(product, *usage_, *graph_);
}

// Greedily: the factor that occurs in most terms is pulled out of them, with all else that these
// have in common; then the next. Numbers count as factors. O(n log n) in the number of factors.
std::vector<Polynomial::Weighted> Polynomial::factored(const std::vector<Term>& terms, int depth,
                                                       bool& changed) const {
  std::vector<std::vector<std::size_t>> tallies;  // of each factor, the terms that have it
  std::unordered_map<std::uint64_t, std::size_t> tally_of;
  const auto count = [&](std::uint64_t key, std::size_t i) {
    const auto [it, is_new] = tally_of.try_emplace(key, tallies.size());
    if (is_new) tallies.emplace_back();
    tallies[it->second].push_back(i);
  };
  for (std::size_t i = 0; i < terms.size() && depth < kMaxNesting; ++i) {
    if (reach_ == Reach::Unshared && is_shared_product(terms[i])) continue;
    const Monomial& monomial = terms[i].monomial;
    for (const Factor& f : monomial.factors) count(tally_key(f), i);
    const double magnitude = std::abs(monomial.coefficient);
    if (magnitude != 1) count(key_of(magnitude), i);
  }

  using Entry = std::pair<std::size_t, std::size_t>;  // occurrences, tally
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> queue(later);
  for (std::size_t t = 0; t < tallies.size(); ++t) {
    if (tallies[t].size() > 1) queue.push({tallies[t].size(), t});
  }
  std::vector<bool> done(terms.size());
  std::vector<std::optional<Expr>> group_at(terms.size());
  while (!queue.empty()) {
    const auto [occurrences, t] = queue.top();
    queue.pop();
    auto& group = tallies[t];
    std::erase_if(group, [&](std::size_t i) { return done[i]; });
    if (group.size() < 2) continue;
    if (group.size() < occurrences) {
      queue.push({group.size(), t});
      continue;
    }
    Monomial common = terms[group[0]].monomial;
    common.coefficient = std::abs(common.coefficient);
    for (const std::size_t i : group) common = common_of(common, terms[i].monomial);
    // Multiplications saved: Σ (mᵢ − 1) − Σ (mᵢ − g − 1)⁺ − g with mᵢ factors, g of them common.
    const std::size_t g = num_multiplicands(common);
    std::size_t before = 0, after = g;
    for (const std::size_t i : group) {
      const std::size_t m = num_multiplicands(terms[i].monomial);
      before += m - 1;
      after += m > g ? m - g - 1 : 0;
    }
    if (g == 0 || before < after || (before == after && common.factors.empty())) continue;
    group_at[group[0]] = pulled_out(common, terms, group, depth);
    for (const std::size_t i : group) done[i] = true;
    changed = true;
  }

  std::vector<Weighted> result;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (group_at[i]) {
      result.push_back({1, *group_at[i]});
    } else if (!done[i]) {
      result.push_back(weighted(terms[i]));
    }
  }
  return result;
}

std::optional<Expr> Polynomial::make_expr() const {
  std::vector<Term> terms;
  for (const Term& term : terms_) {
    if (!term.monomial.is_valid()) return std::nullopt;
    if (term.monomial.coefficient != 0) terms.push_back(term);
  }
  bool changed = changed_;
  const std::vector<Weighted> sum = factored(terms, 0, changed);
  return changed ? std::optional(sum_of(sum)) : std::nullopt;
}

}  // namespace koppel::algebra
