#include <problems/runge_kutta.hpp>

namespace koppel::problems {
namespace {

using Weight = koppel_weight;

std::span<const Weight> row(const koppel_weights& weights) {
  return {weights.weights, static_cast<std::size_t>(weights.count)};
}

// [Hairer, Nørsett & Wanner 1993, table II.5.2]
constexpr Weight kA1[] = {{0, 1.0 / 5}};
constexpr Weight kA2[] = {{0, 3.0 / 40}, {1, 9.0 / 40}};
constexpr Weight kA3[] = {{0, 44.0 / 45}, {1, -56.0 / 15}, {2, 32.0 / 9}};
constexpr Weight kA4[] = {
    {0, 19372.0 / 6561}, {1, -25360.0 / 2187}, {2, 64448.0 / 6561}, {3, -212.0 / 729}};
constexpr Weight kA5[] = {{0, 9017.0 / 3168},
                          {1, -355.0 / 33},
                          {2, 46732.0 / 5247},
                          {3, 49.0 / 176},
                          {4, -5103.0 / 18656}};
constexpr Weight kB[] = {
    {0, 35.0 / 384}, {2, 500.0 / 1113}, {3, 125.0 / 192}, {4, -2187.0 / 6784}, {5, 11.0 / 84}};
constexpr Weight kError[] = {{0, 71.0 / 57600},      {2, -71.0 / 16695}, {3, 71.0 / 1920},
                             {4, -17253.0 / 339200}, {5, 22.0 / 525},    {6, -1.0 / 40}};

}  // namespace

const Embedded& dopri5() {
  static const Embedded method{{{}, kA1, kA2, kA3, kA4, kA5, kB}, kB, kError, 5, true};
  return method;
}

const Embedded& dop853_method() {
  static const Embedded method = [] {
    Embedded out{{}, koppel_dop853_b, koppel_dop853_error5, 6, false};
    for (int s = 0; s < KOPPEL_DOP853_STAGES; ++s) out.a.push_back(row(koppel_dop853_a[s]));
    return out;
  }();
  return method;
}

}  // namespace koppel::problems
