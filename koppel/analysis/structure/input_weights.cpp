#include <koppel/analysis/structure/input_weights.hpp>

#include <algorithm>
#include <cmath>

namespace koppel {

std::vector<double> input_weights(const Equations& e) {
  std::vector<double> weight(e.u.size(), 0.0);
  double largest = 0;
  for (std::size_t i = 0; i < weight.size(); ++i) {
    for (const double limit : {e.about.u[i].min, e.about.u[i].max}) {
      if (std::isfinite(limit)) weight[i] = std::max(weight[i], std::abs(limit));
    }
    largest = std::max(largest, weight[i]);
  }
  for (double& w : weight) {
    if (w == 0) w = largest > 0 ? largest : 1;
  }
  return weight;
}

}  // namespace koppel
