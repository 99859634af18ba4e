#include <koppel/expr/algebra/polynomial.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace koppel::algebra {
namespace {

constexpr int kMaxSharedSums = 16;             // shared sums taken apart in one sum
constexpr std::size_t kMaxFactors = 32;    // of monomials that are looked into
constexpr std::size_t kMaxSumTerms = 8;    // of a sum that is multiplied out …
constexpr std::size_t kMaxMonomials = 64;  // … and of the result

struct Pythagoras {
  Op op, partner;
  double sign, partner_sign;  // sign op² + partner_sign partner² = 1
};

const Pythagoras* find_pythagoras(Op op) {
  static constexpr std::array<Pythagoras, 4> kRelations = {{{Op::Sin, Op::Cos, 1, 1},
                                                            {Op::Cos, Op::Sin, 1, 1},
                                                            {Op::Sinh, Op::Cosh, -1, 1},
                                                            {Op::Cosh, Op::Sinh, 1, -1}}};
  const auto it = std::ranges::find(kRelations, op, &Pythagoras::op);
  return it == kRelations.end() ? nullptr : &*it;
}

// Equal for monomials that may meet, be it after sin² + cos² = 1: with the exponents of these
// functions modulo 2.
std::uint64_t meeting_key(const Monomial& m) {
  std::uint64_t key = 0;
  for (const Factor& f : m.factors) {
    if (!is_integer(f.exponent) || find_pythagoras(f.base.op()) == nullptr) {
      key += hash_of(f);
    } else if (std::fmod(f.exponent.value(), 2) != 0) {
      key += hash_of({f.base, 1});
    }
  }
  return key;
}

}  // namespace

void Polynomial::add(Term term) {
  const auto [it, is_new] = index_.try_emplace(term.monomial.hash, terms_.size());
  if (!is_new && terms_[it->second].monomial.has_factors_of(term.monomial)) {
    terms_[it->second].monomial.coefficient += term.monomial.coefficient;
    changed_ = true;
  } else {
    terms_.push_back(std::move(term));
  }
}

const Polynomial::Term* Polynomial::find(const Monomial& factors) const {
  const auto it = index_.find(factors.hash);
  if (it == index_.end() || !terms_[it->second].monomial.has_factors_of(factors)) return nullptr;
  return &terms_[it->second];
}

double Polynomial::coefficient_of(const Monomial& factors) const {
  const Term* term = find(factors);
  return term == nullptr ? 0 : term->monomial.coefficient;
}

std::size_t Polynomial::set_coefficient(const Monomial& factors, double coefficient) {
  if (const Term* term = find(factors)) {
    const auto i = static_cast<std::size_t>(term - terms_.data());
    terms_[i].monomial.coefficient = coefficient;
    return i;
  }
  add({{coefficient, factors.factors, factors.hash}, {}, 0});
  return terms_.size() - 1;
}

bool Polynomial::is_shared_product(const Term& term) const {
  return term.inner != 0 && term.monomial.factors.size() > 1 && usage_->is_shared(term.source);
}

bool Polynomial::read(Expr e, std::size_t max_terms) {
  struct Open {
    Expr e;
    double number;
  };
  int budget = kMaxSharedSums;
  const auto opens = [&](Expr x) {
    if (x == e || !usage_->is_shared(x)) return true;
    if (reach_ == Reach::Unshared || budget == 0) return false;
    --budget;
    has_shared_ = true;
    return true;
  };
  std::vector<Open> stack{{e, 1}};
  while (!stack.empty()) {
    const auto [x, number] = stack.back();
    stack.pop_back();
    if (x.is(Op::Neg)) {
      stack.push_back({x.operand(0), -number});
    } else if (x.is(Op::Mul) && x.operand(0).is_constant()) {
      stack.push_back({x.operand(1), checked(number * x.operand(0).value())});
    } else if ((x.is(Op::Add) || x.is(Op::Sub)) && opens(x)) {
      stack.push_back({x.operand(1), x.is(Op::Sub) ? -number : number});
      stack.push_back({x.operand(0), number});
    } else {
      MonomialOf read = read_monomial(x, reach_, *usage_);
      changed_ |= read.merged;
      Term term{std::move(read.monomial), x, 0};
      if (!read.merged) term.inner = term.monomial.coefficient;
      term.monomial.coefficient = checked(term.monomial.coefficient * number);
      has_shared_ |= read.opened_shared || is_shared_product(term);
      add(std::move(term));
      if (terms_.size() > max_terms) return false;
    }
  }
  return true;
}

// With C any cofactor, x = (x₁, x₂, x₃) the coefficients of C f², C g² and C, and
//   r = (±1, ±1, −1),  r₁ f² + r₂ g² + r₃ = 0,                                       (1)
// x may be replaced by x − (xᵢ/rᵢ) r, which makes xᵢ vanish. The best i leaves fewest terms, and
// among those fewest squares: each step lowers (number of terms, total degree).
bool Polynomial::reduce(const Monomial& term, std::size_t factor,
                        std::vector<std::size_t>& touched) {
  const Factor f = term.factors[factor];
  const Pythagoras* relation = find_pythagoras(f.base.op());
  if (relation == nullptr || !is_integer(f.exponent) || f.exponent.value() < 2) return false;
  const Expr g = apply(relation->partner, f.base.operand(0));
  if (!g.is(relation->partner)) return false;  // cos(asin x), say

  const Monomial squared{1, term.factors, term.hash};
  const Monomial cofactor = squared * Monomial{1, {{f.base, -2}}};
  const Monomial partner = cofactor * Monomial{1, {{g, 2}}};
  const std::array<const Monomial*, 3> monomials{&squared, &partner, &cofactor};
  const std::array<double, 3> r{relation->sign, relation->partner_sign, -1};
  std::array<double, 3> x;
  for (std::size_t k = 0; k < 3; ++k) x[k] = coefficient_of(*monomials[k]);

  const auto weight = [](const std::array<double, 3>& y) {
    return 3 * ((y[0] != 0) + (y[1] != 0) + (y[2] != 0)) + (y[0] != 0) + (y[1] != 0);
  };
  std::array<double, 3> best = x;
  for (std::size_t i = 0; i < 3; ++i) {
    std::array<double, 3> y = x;
    for (std::size_t k = 0; k < 3; ++k) y[k] = k == i ? 0 : x[k] - x[i] / r[i] * r[k];
    if (weight(y) < weight(best)) best = y;
  }
  if (weight(best) == weight(x)) return false;
  for (std::size_t k = 0; k < 3; ++k) {
    if (best[k] != x[k]) touched.push_back(set_coefficient(*monomials[k], best[k]));
  }
  return changed_ = true;
}

void Polynomial::apply_pythagoras() {
  std::vector<std::size_t> todo(terms_.size());
  for (std::size_t i = 0; i < todo.size(); ++i) todo[i] = todo.size() - 1 - i;
  while (!todo.empty()) {
    const std::size_t i = todo.back();
    todo.pop_back();
    const Monomial term = terms_[i].monomial;
    if (term.coefficient == 0 || term.factors.size() > kMaxFactors) continue;
    for (std::size_t k = 0; k < term.factors.size(); ++k) {
      if (reduce(term, k, todo)) break;
    }
  }
}

// m with its sums multiplied out, if it has some and all is small.
std::optional<std::vector<Monomial>> Polynomial::multiplied_out(const Monomial& m) const {
  if (m.factors.size() > kMaxFactors) return std::nullopt;
  Monomial rest{m.coefficient, {}};
  std::vector<std::pair<Polynomial, int>> sums;  // with their exponents
  std::size_t num_monomials = 1;
  for (const Factor& f : m.factors) {
    const bool is_power_of_sum = (f.base.is(Op::Add) || f.base.is(Op::Sub)) &&
                                 is_integer(f.exponent) && f.exponent.value() > 0 &&
                                 f.exponent.value() < 8;
    Polynomial sum(reach_, *usage_, *graph_);
    if (!is_power_of_sum || !sum.read(f.base, kMaxSumTerms)) {
      rest.factors.push_back(f);
      continue;
    }
    const int n = static_cast<int>(f.exponent.value());
    for (int k = 0; k < n; ++k) {
      num_monomials *= sum.terms_.size();
      if (num_monomials > kMaxMonomials) return std::nullopt;
    }
    sums.emplace_back(std::move(sum), n);
  }
  if (sums.empty()) return std::nullopt;
  rest.normalise();
  std::vector<Monomial> result{std::move(rest)};
  const auto multiply = [&](const Polynomial& sum) {
    std::vector<Monomial> next;
    for (const Monomial& a : result) {
      for (const Term& b : sum.terms_) {
        if (b.monomial.coefficient != 0) next.push_back(a * b.monomial);
      }
    }
    result = std::move(next);
  };
  for (const auto& [sum, n] : sums) {
    for (int k = 0; k < n; ++k) multiply(sum);
  }
  return result;
}

std::optional<Polynomial> Polynomial::expanded() const {
  std::vector<std::optional<std::vector<Monomial>>> parts(terms_.size());
  std::vector<bool> meets(terms_.size());
  std::unordered_map<std::uint64_t, std::size_t> owner;  // of a key: the first term with it
  const auto note = [&](const Monomial& m, std::size_t i) {
    const auto [it, is_new] = owner.try_emplace(meeting_key(m), i);
    if (!is_new && it->second != i) meets[it->second] = meets[i] = true;
  };
  bool any = false;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    parts[i] = multiplied_out(terms_[i].monomial);
    any |= parts[i].has_value();
  }
  if (!any) return std::nullopt;
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (parts[i]) {
      for (const Monomial& m : *parts[i]) note(m, i);
    } else {
      note(terms_[i].monomial, i);
    }
  }
  Polynomial result(reach_, *usage_, *graph_);
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    if (!parts[i] || !meets[i]) {
      result.add(terms_[i]);
    } else {
      for (Monomial& m : *parts[i]) result.add({std::move(m), {}, 0});
      result.changed_ = true;
    }
  }
  return result.changed_ ? std::optional(std::move(result)) : std::nullopt;
}

}  // namespace koppel::algebra
