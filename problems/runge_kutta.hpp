// Runge–Kutta methods as one writes them by hand, for systems with
//
//   using State = …;                            // an array or a vector of doubles
//   void rate(const State& y, State& y_rate);   // autonomous
//   void project(State& y);                     // onto the constraints, where there are any
//   static constexpr bool kProjects;            // false: `project` does nothing
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <koppel/runtime/dop853.h>

namespace koppel::problems {

// The classical method of order 4 with `count` equal steps.
template <typename System>
void integrate_rk4(System& system, typename System::State& y, double end, long count) {
  using Scalar = typename System::State::value_type;
  const Scalar h = static_cast<Scalar>(end) / static_cast<Scalar>(count);
  typename System::State k1 = y, k2 = y, k3 = y, k4 = y, stage = y;
  const std::size_t n = y.size();
  for (long step = 0; step < count; ++step) {
    system.rate(y, k1);
    for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + h / 2 * k1[i];
    system.rate(stage, k2);
    for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + h / 2 * k2[i];
    system.rate(stage, k3);
    for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + h * k3[i];
    system.rate(stage, k4);
    for (std::size_t i = 0; i < n; ++i) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]);
    system.project(y);
  }
}

// A method with an embedded one of lower order, as stages a, weights b and weights of the error.
struct Embedded {
  std::vector<std::span<const koppel_weight>> a;  // a[s] for stage s; a[0] is empty
  std::span<const koppel_weight> b, error;
  double error_order;      // the error is O(h^error_order)
  bool last_stage_is_end;  // the last stage is the rate at the end of the step
};
const Embedded& dopri5();  // Dormand & Prince, order 5(4)
// Order 8; its error estimate here is that of order 5 alone.
const Embedded& dop853_method();

// Steps that keep the estimated error below tolerance · max(|y|, 1), in the root of mean squares.
// Returns their number; −1 where the step became too small.
template <typename System>
long integrate_adaptive(System& system, const Embedded& method, typename System::State& y,
                        double end, double tolerance, double first_step) {
  using State = typename System::State;
  using Scalar = typename State::value_type;
  const std::size_t n = y.size(), num_stages = method.a.size();
  std::vector<State> k(num_stages, y);
  State stage = y, next = y;
  const auto combine = [&](std::span<const koppel_weight> weights, Scalar h, const State& from,
                           State& out) {
    out = from;
    for (const auto& [s, weight] : weights) {
      const Scalar factor = h * static_cast<Scalar>(weight);
      const State& rate = k[static_cast<std::size_t>(s)];
      for (std::size_t i = 0; i < n; ++i) out[i] += factor * rate[i];
    }
  };
  Scalar t = 0, h = static_cast<Scalar>(first_step);
  const auto t_end = static_cast<Scalar>(end);
  long count = 0;
  system.rate(y, k[0]);
  while (t < t_end) {
    if (h < Scalar(1e-13) * t_end) return -1;
    h = std::min(h, t_end - t);
    for (std::size_t s = 1; s < num_stages; ++s) {
      combine(method.a[s], h, y, stage);
      system.rate(stage, k[s]);
    }
    combine(method.b, h, y, next);
    Scalar sum = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Scalar e = 0;
      for (const auto& [s, weight] : method.error) {
        e += static_cast<Scalar>(weight) * k[static_cast<std::size_t>(s)][i];
      }
      e *= h / std::max({Scalar(1), std::abs(y[i]), std::abs(next[i])});
      sum += e * e;
    }
    const Scalar error = std::sqrt(sum / static_cast<Scalar>(n)) / static_cast<Scalar>(tolerance);
    const Scalar factor =
        Scalar(0.9) * std::pow(std::max(error, Scalar(1e-12)), Scalar(-1 / method.error_order));
    if (error <= 1) {
      t = h == t_end - t ? t_end : t + h;
      std::swap(y, next);
      if constexpr (System::kProjects) {
        system.project(y);
        system.rate(y, k[0]);
      } else if (method.last_stage_is_end) {
        std::swap(k[0], k[num_stages - 1]);
      } else {
        system.rate(y, k[0]);
      }
      ++count;
    }
    // Not finite: far too long a step.
    h *= std::isfinite(error) ? std::clamp(factor, Scalar(0.2), Scalar(5)) : Scalar(0.1);
  }
  return count;
}

// The method of order 8 with the very steps of Koppel, runtime/dop853.h, for systems without
// projection that have also `void rate(const double* y, double* y_rate)`. Returns the number of
// steps; −1 where the step became too small.
template <typename System>
long integrate_dop853(System& system, std::vector<double>& y, double end, double tolerance,
                      double first_step) {
  static_assert(!System::kProjects);
  const std::size_t n = y.size();
  std::vector<double> memory((KOPPEL_DOP853_STAGES + 4) * n);
  koppel_dop853 now{};
  double* next = memory.data();
  const auto take = [&] { return std::exchange(next, next + n); };
  now.y0 = take();
  now.y1 = take();
  now.stage = take();
  for (int s = 0; s <= KOPPEL_DOP853_STAGES; ++s) now.k[s] = take();
  koppel_dop853_init(&now, 0, first_step, tolerance, 1);
  const koppel_ode ode{static_cast<int>(n),
                       [](void* context, double, const double* at, double* rate) {
                         static_cast<System*>(context)->rate(at, rate);
                         return 0;
                       },
                       [](void* context, double, double* at, double* rate) {
                         static_cast<System*>(context)->rate(at, rate);
                         return 0;
                       },
                       &system};
  std::copy(y.begin(), y.end(), now.y1);
  system.rate(now.y1, now.k[KOPPEL_DOP853_STAGES]);
  long count = 0;
  for (; now.t1 < end; ++count) {
    if (koppel_dop853_step(&now, &ode, end, 0) != 0) return -1;
  }
  std::copy_n(now.y1, n, y.begin());
  return count;
}

}  // namespace koppel::problems
