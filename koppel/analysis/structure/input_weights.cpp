#include <koppel/analysis/structure/input_weights.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {

std::vector<double> input_weights(const Equations& e) {
  std::vector<double> weight(e.u.size(), 0.0);
  double largest = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    for (const auto* of : {&e.u_min, &e.u_max}) {
      if (i < of->size() && std::isfinite((*of)[i])) {
        weight[i] = std::max(weight[i], std::abs((*of)[i]));
      }
    }
    largest = std::max(largest, weight[i]);
  }
  for (double& w : weight) {
    if (w == 0) w = largest > 0 ? largest : 1;
  }
  return weight;
}

}  // namespace koppel
