// n over k, exact as long as it is below 2⁵³.
#pragma once

#include <cmath>

namespace koppel {

inline double binomial(int n, int k) {
  double b = 1;
  for (int i = 1; i <= k; ++i) b = std::round(b * (n - k + i) / i);
  return b;
}

}  // namespace koppel
