// A step with linear dense output, for methods of order 1.
#pragma once

#include <span>
#include <vector>

#include <koppel/integrate/integrator.hpp>

namespace koppel {

class LinearStep : public Step {
 public:
  explicit LinearStep(std::size_t n) : Step(0, 0), y0(n), y1(n) {}
  void evaluate(double t, std::span<double> y) const override {
    const double x = t == t1 ? 1 : (t - t0) / (t1 - t0);
    for (std::size_t i = 0; i < y0.size(); ++i) y[i] = (1 - x) * y0[i] + x * y1[i];
  }
  int order() const override { return 1; }

  std::vector<double> y0, y1;
};

}  // namespace koppel
