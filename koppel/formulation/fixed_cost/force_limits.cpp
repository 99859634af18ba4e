#include <koppel/formulation/fixed_cost/force_limits.hpp>

#include <algorithm>
#include <span>

#include <koppel/expr/algebra/elimination.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

constexpr double kNothing = 1e-12;     // N: where a force has no direction
constexpr double kBlocked = 1e-6;      // of the diagonal of E, added to it: joints may block
constexpr std::size_t kMaxRounds = 4;  // of settling who is at the limit
constexpr int kSweeps = 3;
constexpr int kNewtonSteps = 4;  // for κ

class Limiter {
 public:
  Limiter(const std::vector<Exprs>& E, const Exprs& wanted, const std::vector<LimitedForce>& forces)
      : E_(E), wanted_(wanted), forces_(forces), mu_(wanted) {}

  Exprs make() {
    const bool is_alone = forces_.size() < 2;
    const bool is_unlimited =
        std::ranges::all_of(forces_, [](const LimitedForce& f) { return f.limit.is_constant(0); });
    if (is_alone || is_unlimited) {
      for (const LimitedForce& f : forces_) shorten(f);
      return mu_;
    }
    settle();
    for (int k = 0; k < kSweeps; ++k) sweep();
    return mu_;
  }

 private:
  static Expr squares_of(const Exprs& x) {
    Expr sum = 0;
    for (const Expr& value : x) sum += value * value;
    return sum;
  }
  static Expr length_of(const Exprs& x) { return sqrt(squares_of(x) + kNothing * kNothing); }
  Exprs of(const LimitedForce& f) const {
    const auto first = mu_.begin() + static_cast<std::ptrdiff_t>(f.first);
    return {first, first + static_cast<std::ptrdiff_t>(f.size)};
  }

  // Within its limit; says whether it was beyond it.
  Expr shorten(const LimitedForce& f) {
    if (f.limit.is_constant(0)) return 0;
    const Exprs wanted = of(f);
    const Expr is_over = select(length_of(wanted) > f.limit, 1, 0);
    Exprs taken = wanted;
    if (f.basis.values.size() > 1) {
      const Exprs by_mobility = from_basis(f.basis, solve_limited(f, to_basis(f.basis, wanted)));
      for (std::size_t i = 0; i < f.size; ++i) {
        taken[i] = select(is_over > 0, by_mobility[i], wanted[i]);
      }
    }
    const Expr by = min(1, f.limit / length_of(taken));
    for (std::size_t i = 0; i < f.size; ++i) mu_[f.first + i] = by * taken[i];
    return is_over;
  }

  // (2), from the lower bound κ = |E μ*|/F − max e: Newton's steps for 1/|μ| come from below.
  static Exprs solve_limited(const LimitedForce& f, const Exprs& wanted) {
    const Exprs& e = f.basis.values;
    const Expr limit = f.limit + kNothing, least = kNothing * f.mobility;
    Expr largest = e[0];
    Exprs effect, mu(e.size());
    for (std::size_t i = 0; i < e.size(); ++i) {
      largest = max(largest, e[i]);
      effect.push_back(e[i] * wanted[i]);
    }
    Expr kappa = max(sqrt(squares_of(effect)) / limit - largest, 0);
    for (int step = 0;; ++step) {
      Expr slope = 0;  // −½ d|μ|²/dκ
      for (std::size_t i = 0; i < e.size(); ++i) {
        const Expr inertia = 1 / (e[i] + kappa + least);
        mu[i] = effect[i] * inertia;
        slope += mu[i] * mu[i] * inertia;
      }
      if (step == kNewtonSteps) return mu;
      const Expr squares = squares_of(mu), size = length_of(mu);
      kappa = max(kappa + (size / limit - 1) * squares / (slope + kNothing * kNothing), 0);
    }
  }

  void settle() {
    Exprs is_held(wanted_.size());  // 1: at the limit
    const auto hold = [&] {
      for (const LimitedForce& f : forces_) {
        const Expr is_over = shorten(f);  // what is held already is at its limit
        for (std::size_t i = f.first; i < f.first + f.size; ++i) {
          is_held[i] = max(is_held[i], is_over);
        }
      }
    };
    hold();
    const std::size_t rounds = std::min(forces_.size() - 1, kMaxRounds);
    for (std::size_t k = 0; k < rounds; ++k) {
      solve_rest(is_held);
      hold();
    }
  }

  // μ_u for the held μ_l.
  void solve_rest(const Exprs& is_held) {
    const std::size_t n = mu_.size();
    ExprMatrix matrix(static_cast<int>(n));
    std::vector<int> order;
    Exprs right(n);
    for (const LimitedForce& f : forces_) {
      for (std::size_t i = f.first; i < f.first + f.size; ++i) {
        order.push_back(static_cast<int>(i));
        const Expr is_free = 1 - is_held[i];
        for (std::size_t j = 0; j < n; ++j) {
          const Expr e = is_free * E_[j][i];
          right[i] += e * (is_held[j] * (wanted_[j] - mu_[j]));
          matrix.add(static_cast<int>(i), static_cast<int>(j), e * (1 - is_held[j]));
        }
        matrix.add(static_cast<int>(i), static_cast<int>(i), (kBlocked + is_held[i]) * f.mobility);
      }
    }
    const Exprs more = Elimination(matrix, order).solve(right);
    for (std::size_t i = 0; i < n; ++i) {
      mu_[i] = is_held[i] * mu_[i] + (1 - is_held[i]) * (wanted_[i] + more[i]);
    }
  }

  void sweep() {
    for (const LimitedForce& f : forces_) {
      ExprMatrix block(static_cast<int>(f.size));
      std::vector<int> order;
      Exprs right(f.size);
      for (std::size_t i = 0; i < f.size; ++i) {
        const int row = static_cast<int>(i);
        order.push_back(row);
        for (std::size_t j = 0; j < mu_.size(); ++j) {
          right[i] += E_[j][f.first + i] * (wanted_[j] - mu_[j]);
        }
        for (std::size_t j = 0; j < f.size; ++j) {
          block.add(row, static_cast<int>(j), E_[f.first + j][f.first + i]);
        }
        block.add(row, row, kBlocked * f.mobility);
      }
      const Exprs more = Elimination(block, order).solve(right);
      for (std::size_t i = 0; i < f.size; ++i) mu_[f.first + i] += more[i];
      shorten(f);
    }
  }

  const std::vector<Exprs>& E_;
  const Exprs& wanted_;
  const std::vector<LimitedForce>& forces_;
  Exprs mu_;
};

}  // namespace

std::vector<Expr> limit_forces(const std::vector<std::vector<Expr>>& E,
                               const std::vector<Expr>& wanted,
                               const std::vector<LimitedForce>& forces) {
  return Limiter(E, wanted, forces).make();
}

}  // namespace koppel
