#include <koppel/study/weight_sums.hpp>

#include <map>
#include <utility>

namespace koppel {
namespace {

// c and e of an expression c e with a number c.
std::pair<double, Expr> split_factor(Expr expression) {
  double factor = 1;
  const auto take = [&](int number, int other) {
    if (!expression.operand(number).is_constant()) return false;
    factor *= expression.operand(number).value();
    expression = expression.operand(other);
    return true;
  };
  while (true) {
    if (expression.is(Op::Neg)) {
      factor = -factor;
      expression = expression.operand(0);
    } else if (!expression.is(Op::Mul) || !(take(0, 1) || take(1, 0))) {
      return {factor, expression};
    }
  }
}

}  // namespace

// Expressions that are the same are one node: known by it, without its constant factor.
WeightSums::WeightSums(std::span<const Expr> weights) {
  std::map<NodeId, std::size_t> places;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i].is_constant(0)) continue;
    const auto [factor, rest] = split_factor(weights[i]);
    const auto [it, is_new] = places.try_emplace(rest.id(), places.size());
    if (is_new) sums_.push_back(rest);
    spread_.push_back({i, it->second, factor});
  }
}

void WeightSums::spread(std::span<const double> sums, std::span<double> weights) const {
  for (const Spread& to : spread_) weights[to.parameter] += to.factor * sums[to.sum];
}

}  // namespace koppel
