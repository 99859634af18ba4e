#include <koppel/expr/algebra/monomial.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <optional>

namespace koppel::algebra {
namespace {

constexpr int kMaxSharedProducts = 24;         // shared products taken apart in one monomial
constexpr std::size_t kMaxPairs = 12;  // factors among which known products are looked for

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

bool is_whole(double x) { return x == std::floor(x) && std::abs(x) < 1e9; }
bool is_odd(double integer) { return std::fmod(integer, 2) != 0; }

// Arithmetic of exponents. A number may become infinite: normalise() marks the monomial then.
Expr scaled(Expr exponent, double n) {
  if (exponent.is_constant()) return n * exponent.value();
  return n * exponent;
}

Expr added(Expr a, Expr b) {
  if (a.is_constant() && b.is_constant()) return a.value() + b.value();
  return a + b;
}

// Whether two bases have one integer exponent beyond ±1.
bool has_equal_powers(const Monomial& m) {
  std::vector<double> exponents;
  for (const Factor& f : m.factors) {
    if (algebra::is_integer(f.exponent) && std::abs(f.exponent.value()) > 1) {
      exponents.push_back(f.exponent.value());
    }
  }
  std::ranges::sort(exponents);
  return std::ranges::adjacent_find(exponents) != exponents.end();
}

class Reader {
 public:
  Reader(Expr e, Reach reach, const Usage& usage) : root_(e), reach_(reach), usage_(usage) {}

  MonomialOf read() {
    stack_.push_back({root_, 1});
    while (!stack_.empty()) {
      const Open open = stack_.back();
      stack_.pop_back();
      if (!take_apart(open.e, open.n)) add(open.e, open.n);
    }
    Monomial& m = result_.monomial;
    m.coefficient = checked(sign_ * checked(numerator_) / checked(denominator_));
    result_.merged = m.normalise() || numbers_ > 1;
    result_.is_shorter = result_.merged || has_equal_powers(m);
    return std::move(result_);
  }

 private:
  struct Open {
    Expr e;
    double n;
  };

  void add(Expr base, Expr exponent) { result_.monomial.factors.push_back({base, exponent}); }

  bool opens(Expr e) {
    if (e == root_ || !usage_.is_shared(e)) return true;
    if (reach_ == Reach::Unshared || budget_ == 0) return false;
    --budget_;
    result_.opened_shared = true;
    return true;
  }

  // e^n for an integer n as a product of others, if it is one.
  bool take_apart(Expr e, double n) {
    switch (e.op()) {
      case Op::Constant: return take_number(e.value(), n);
      case Op::Neg:
        if (is_odd(n)) sign_ = -sign_;
        stack_.push_back({e.operand(0), n});
        return true;
      case Op::Mul:
        if (e.operand(0) == e.operand(1) && is_whole(2 * n)) {
          stack_.push_back({e.operand(0), 2 * n});
          return true;
        }
        if (!opens(e)) return false;
        stack_.push_back({e.operand(1), n});
        stack_.push_back({e.operand(0), n});
        return true;
      case Op::Div:
        if (e.operand(1).is_constant(0) || !opens(e)) return false;
        stack_.push_back({e.operand(1), -n});
        stack_.push_back({e.operand(0), n});
        return true;
      case Op::Pow: return take_power(e.operand(0), e.operand(1), n);
      case Op::Sqrt:
        if (e.operand(0).is_constant()) return false;
        add(e.operand(0), n / 2);
        return true;
      case Op::Exp: add(std::numbers::e, scaled(e.operand(0), n)); return true;
      case Op::Sub:
        if (e.operand(0).is_constant() || e.operand(0).id() < e.operand(1).id()) return false;
        if (is_odd(n)) sign_ = -sign_;
        add(e.operand(1) - e.operand(0), n);
        return true;
      default: return false;
    }
  }

  bool take_number(double number, double n) {
    const double power = std::pow(number, std::abs(n));
    if (!std::isnormal(power)) return false;
    (n > 0 ? numerator_ : denominator_) *= power;
    ++numbers_;
    return true;
  }

  bool take_power(Expr base, Expr exponent, double n) {
    if (base.is_constant() && exponent.is_constant()) return false;
    if (algebra::is_integer(exponent) && is_whole(n * exponent.value())) {
      stack_.push_back({base, n * exponent.value()});
    } else {
      add(base, scaled(exponent, n));
    }
    return true;
  }

  Expr root_;
  Reach reach_;
  const Usage& usage_;
  MonomialOf result_;
  std::vector<Open> stack_;
  double sign_ = 1, numerator_ = 1, denominator_ = 1;
  int numbers_ = 0;
  int budget_ = kMaxSharedProducts;
};

// The product of some factors, none of them a number. Products in use are taken up first.
Expr product(std::vector<Expr> factors, const Usage& usage, Graph& graph) {
  const auto take_known = [&] {
    for (std::size_t j = 1; j < factors.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (const NodeId* known = usage.find_product(factors[i], factors[j])) {
          factors[i] = Expr(graph, *known);
          factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(j));
          return true;
        }
      }
    }
    return false;
  };
  while (factors.size() <= kMaxPairs) {
    if (!take_known()) break;
  }
  Expr result = factors[0];
  for (std::size_t i = 1; i < factors.size(); ++i) result *= factors[i];
  return result;
}

}  // namespace

double checked(double x) { return std::isnormal(x) ? x : kNaN; }

bool is_integer(Expr e) { return e.is_constant() && is_whole(e.value()); }

std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  std::uint64_t h = (a + 0x9E3779B97F4A7C15u) * 0xBF58476D1CE4E5B9u;
  h = (h ^ h >> 31 ^ b) * 0x94D049BB133111EBu;
  return (h ^ h >> 29) * 0x9E3779B97F4A7C15u;
}

std::uint64_t key_of(Expr e) {
  return e.is_constant() ? mix(0, std::bit_cast<std::uint64_t>(e.value() + 0.0)) : e.id();
}

std::uint64_t hash_of(const Factor& factor) {
  return mix(key_of(factor.base), key_of(factor.exponent));
}

bool Monomial::is_valid() const { return coefficient == 0 || std::isnormal(coefficient); }

bool Monomial::normalise() {
  bool merged = false;
  std::ranges::sort(factors, {}, [](const Factor& f) { return key_of(f.base); });
  std::size_t n = 0;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    if (n > 0 && factors[n - 1].base == factors[i].base) {
      factors[n - 1].exponent = added(factors[n - 1].exponent, factors[i].exponent);
      merged = true;
    } else {
      if (n > 0 && factors[n - 1].exponent.is_constant(0)) --n;
      factors[n++] = factors[i];
    }
  }
  if (n > 0 && factors[n - 1].exponent.is_constant(0)) --n;
  factors.resize(n);
  hash = 0;
  for (const Factor& f : factors) {
    hash += hash_of(f);
    if (!f.exponent.is_constant()) continue;
    const double exponent = f.exponent.value();
    const bool is_exp = f.base.graph() == nullptr;
    if (is_exp ? !std::isnormal(std::exp(exponent)) : !std::isfinite(exponent)) coefficient = kNaN;
  }
  return merged;
}

Monomial operator*(const Monomial& a, const Monomial& b) {
  Monomial c{checked(a.coefficient * b.coefficient), a.factors};
  c.factors.insert(c.factors.end(), b.factors.begin(), b.factors.end());
  c.normalise();
  return c;
}

MonomialOf read_monomial(Expr e, Reach reach, const Usage& usage) {
  return Reader(e, reach, usage).read();
}

Expr make_expr(const Monomial& monomial, const Usage& usage, Graph& graph) {
  std::vector<Expr> side[2];                     // numerator and denominator
  std::map<double, std::vector<Expr>> group[2];  // integer exponent → its bases
  for (const auto& [base, exponent] : monomial.factors) {
    if (base.graph() == nullptr) {
      side[0].push_back(exp({graph, graph.adopt(exponent)}));
    } else if (!exponent.is_constant()) {
      side[0].push_back(pow(base, exponent));
    } else {
      const double n = exponent.value();
      auto& bases = is_whole(n) ? group[n < 0][std::abs(n)] : side[n < 0];
      bases.push_back(is_whole(n) ? base : pow(base, std::abs(n)));
    }
  }
  std::optional<Expr> fraction[2];
  for (int i = 0; i < 2; ++i) {
    for (auto& [n, bases] : group[i]) {
      if (n == 1) {
        side[i].insert(side[i].begin(), bases.begin(), bases.end());
      } else {
        side[i].push_back(pow(product(std::move(bases), usage, graph), n));
      }
    }
    if (!side[i].empty()) fraction[i] = product(std::move(side[i]), usage, graph);
  }
  const Expr c = graph.constant(monomial.coefficient);
  if (!fraction[1]) return fraction[0] ? c * *fraction[0] : c;
  return fraction[0] ? c * (*fraction[0] / *fraction[1]) : c / *fraction[1];
}

}  // namespace koppel::algebra
