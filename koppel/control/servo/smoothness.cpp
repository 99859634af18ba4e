#include <koppel/control/servo/smoothness.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/expr/series/series.hpp>

namespace koppel {
namespace {

// Derivatives of all references at a time, by reference and order.
class References {
 public:
  References(const Equations& e, std::span<const double> p, int order)
      : order_(order),
        count_(e.reference.size()),
        series_(std::vector<Expr>{e.t}, e.p, e.reference, order),
        work_(series_.make_workspace()) {
    for (std::size_t i = 0; i < p.size(); ++i) work_.parameter(i) = p[i];
  }

  std::vector<std::vector<double>> operator()(double t) {
    work_.variable(0)[0] = t;
    if (order_ > 0) work_.variable(0)[1] = 1;
    for (int k = 0; k <= order_; ++k) series_.evaluate(k, work_);
    std::vector<std::vector<double>> out(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      double factorial = 1;
      for (int k = 0; k <= order_; ++k) {
        if (k > 1) factorial *= k;
        out[i].push_back(factorial * work_.output(i)[static_cast<std::size_t>(k)]);
      }
    }
    return out;
  }

 private:
  int order_;
  std::size_t count_;
  Series series_;
  SeriesWorkspace work_;
};

using Values = std::vector<std::vector<double>>;  // by reference and order

// Derivatives on one side of a breakpoint, and how far they scatter at times close by, where they
// should hardly differ: their round-off, which grows with the order and with what cancels in a
// polynomial. Next to the breakpoint itself what switches there may be 0, and neither side.
struct Side {
  Values value, noise;
};
Side look_beside(References& derivatives, double b, double towards) {
  constexpr int kTimes = 8;
  constexpr double kApart = 1e-13;  // of the time to the other end
  const auto look = [&](int n) {
    return derivatives(std::nextafter(b, towards) + n * kApart * (towards - b));
  };
  Side out{look(1), {}};
  Values least = out.value, most = out.value;
  for (int n = 2; n <= kTimes; ++n) {
    const Values at = look(n);
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t k = 0; k < at[i].size(); ++k) {
        least[i][k] = std::min(least[i][k], at[i][k]);
        most[i][k] = std::max(most[i][k], at[i][k]);
      }
    }
  }
  out.noise = std::move(most);
  for (std::size_t i = 0; i < least.size(); ++i) {
    for (std::size_t k = 0; k < least[i].size(); ++k) out.noise[i][k] -= least[i][k];
  }
  return out;
}

}  // namespace

std::vector<ReferenceJump> find_jumps(const Equations& e, std::span<const double> p,
                                      std::span<const double> breakpoints,
                                      std::span<const int> order, double from, double to) {
  std::vector<ReferenceJump> jumps;
  if (order.empty()) return jumps;
  References derivatives(e, p, *std::max_element(order.begin(), order.end()));
  // The size that each derivative has on the way: what is far below it is round-off.
  constexpr int kPoints = 64;
  auto scale = derivatives(from);
  for (auto& of : scale) std::fill(of.begin(), of.end(), 0.0);
  for (int n = 0; n < kPoints; ++n) {
    const auto at = derivatives(from + (to - from) * (n + 0.5) / kPoints);
    for (std::size_t i = 0; i < at.size(); ++i) {
      for (std::size_t k = 0; k < at[i].size(); ++k) {
        scale[i][k] = std::max(scale[i][k], std::abs(at[i][k]));
      }
    }
  }
  // Rounded coefficients shift all times alike, which no scatter shows: some more than it.
  constexpr double kRoundOff = 1e-8, kNoise = 30;
  for (const double b : breakpoints) {
    if (!(b > from && b < to)) continue;
    const Side left = look_beside(derivatives, b, from), right = look_beside(derivatives, b, to);
    for (std::size_t i = 0; i < left.value.size(); ++i) {
      for (int k = 0; k <= order[i]; ++k) {
        const auto l = static_cast<std::size_t>(k);
        const double a = left.value[i][l], c = right.value[i][l], size = c - a;
        const double largest = std::max({scale[i][l], std::abs(a), std::abs(c)});
        const double noise = left.noise[i][l] + right.noise[i][l];
        if (std::abs(size) <= std::max(kRoundOff * largest, kNoise * noise)) continue;
        jumps.push_back({b, i, k, size});
        break;
      }
    }
  }
  return jumps;
}

std::string describe(const ReferenceJump& jump, const std::string& output, int needed, int index) {
  if (jump.order == needed) {
    return fmt::format(
        "the inputs jump at t = {:.6g} s: derivative {} of the reference of '{}', which they "
        "depend "
        "on, does.",
        jump.t, jump.order, output);
  }
  return fmt::format(
      "the reference of '{}' is not smooth enough at t = {:.6g} s: {} jumps by {:.3g}. At index {} "
      "its derivatives up to order {} must be continuous; to follow it the inputs would need an "
      "impulse.",
      output, jump.t,
      jump.order == 0 ? std::string("it") : fmt::format("its derivative {}", jump.order), jump.size,
      index, needed - 1);
}

}  // namespace koppel
