#include <koppel/analysis/assembly/wishes.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {

std::vector<Equations::Wish> select_wishes(const Equations& e, bool rates, bool fixed) {
  std::vector<Equations::Wish> chosen;
  for (const Equations::Wish& wish : e.wishes) {
    if (wish.is_rate == rates && wish.fixed == fixed) chosen.push_back(wish);
  }
  return chosen;
}

std::vector<Equations::Wish> leave_out_guesses(const Equations& e, const StartDistance& distance,
                                               std::vector<Equations::Wish> wishes) {
  const auto is_guess = [&](const Equations::Wish& wish) {
    Expr symbol;
    int occurring = 0;
    for (const Expr& s : symbols_of(wish.residual)) {
      const bool is_q = std::find(e.q.begin(), e.q.end(), s) != e.q.end();
      const bool is_v = std::find(e.v.begin(), e.v.end(), s) != e.v.end();
      if (!is_q && !is_v) continue;
      ++occurring;
      symbol = s;
    }
    return occurring == 1 && distance.is_measured(symbol) &&
           diff(wish.residual, symbol).is_constant(1);
  };
  std::erase_if(wishes, is_guess);
  return wishes;
}

void note_missed(const Wishes& wishes, const State& state, double tolerance, Assembly& result) {
  const Eigen::VectorXd c = dense::view(wishes.residual(state));
  for (Eigen::Index i = 0; i < c.size(); ++i) {
    if (std::abs(c[i]) <= tolerance) continue;
    result.missed.push_back({wishes.names[static_cast<std::size_t>(i)], "wish", std::abs(c[i])});
  }
}

}  // namespace koppel
