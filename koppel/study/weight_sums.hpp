// Weights of many parameters as few sums. For sources of this folder only.
//
// Of many parameters some do not matter, and others act alike (springs beside each other): a sum is
// made once for all that have the same, but for a constant factor, and spread over them at the end.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/graph/graph.hpp>

namespace koppel {

class WeightSums {
 public:
  WeightSums() = default;
  // Of the weights of all parameters.
  explicit WeightSums(std::span<const Expr> weights);

  const std::vector<Expr>& sums() const { return sums_; }
  std::size_t size() const { return sums_.size(); }
  // Adds values of the sums to the weights that they are sums for.
  void spread(std::span<const double> sums, std::span<double> weights) const;

 private:
  struct Spread {
    std::size_t parameter, sum;
    double factor;
  };
  std::vector<Expr> sums_;
  std::vector<Spread> spread_;  // for each that matters
};

}  // namespace koppel
