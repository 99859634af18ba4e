// Inverse simulation of model files, for tests.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <koppel/control/inverse.hpp>
#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

inline Model model_file(const std::string& name, const Settings& set = {}) {
  return read_model(KOPPEL_MODELS + name + ".yaml", {.set = set});
}

inline double largest(std::span<const double> x) {
  double out = 0;
  for (const double value : x) out = std::max(out, std::abs(value));
  return out;
}

// The largest |a − b| from row `first` on.
inline double distance(std::span<const double> a, std::span<const double> b,
                       std::size_t first = 0) {
  double out = 0;
  for (std::size_t i = first; i < std::min(a.size(), b.size()); ++i) {
    if (!(std::abs(a[i] - b[i]) <= out)) out = std::abs(a[i] - b[i]);
  }
  return out;
}

}  // namespace koppel::testing
