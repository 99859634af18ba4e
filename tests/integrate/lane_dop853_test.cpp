// dop853 in lanes: each lane has the bits that runtime/dop853.h gives it alone, whatever the others
// do: other steps, rejections, an end that is reached before, failures.
#include <koppel/integrate/lane_dop853.hpp>

#include <cmath>

#include <gtest/gtest.h>

#include <koppel/runtime/step.h>
#include <koppel/expr/graph/graph.hpp>

#include "tests/near.hpp"
#include "tests/temporary_folder.hpp"

namespace koppel {
namespace {

using testing::same_bits;
using testing::ScopedEnvironment;

// A pendulum (x, y) of length l with a spring of stiffness k, whose rates end where y < -limit; the
// projection moves (x, y) onto the circle.
struct System {
  System() {
    const auto s = graph.symbols("t", "h", "x", "y", "u", "v");
    const auto p = graph.symbols("k", "l", "limit");
    layout = {s.begin(), s.end()};
    layout.insert(layout.end(), p.begin(), p.end());
    const Expr &t = s[0], &x = s[2], &y = s[3], &u = s[4], &v = s[5];
    const Expr lambda = (u * u + v * v - 9.81 * y - p[0] * sin(3 * t) * x) / (p[1] * p[1]);
    const Expr rates[] = {u, v, -lambda * x - p[0] * sin(3 * t),
                          -lambda * y - 9.81 + 1e-3 * sqrt(p[2] + y)};
    const Expr r = sqrt(x * x + y * y) / p[1];
    const Expr along = (u * x + v * y) / (x * x + y * y);
    const Expr moved[] = {x / r, y / r, u - along * x, v - along * y};
    rate = lower(layout, rates, true);
    project = lower(layout, moved, true);
  }
  Graph graph;
  std::vector<Expr> layout;
  Program rate, project;
};

constexpr std::size_t kY = 4, kLayout = 9;
constexpr double kTolerance = 1e-9;

// runtime/accurate.h on the tape.
class Alone {
 public:
  explicit Alone(const System& system)
      : rates_(system.rate, Native::Off), project_(system.project, Native::Off) {}

  int advance(std::vector<double>& in, double t_end) {
    in_ = in;
    koppel_dop853 s{};
    double memory[KOPPEL_DOP853_ALL_STAGES + 3][kY];
    s.y0 = memory[0], s.y1 = memory[1], s.stage = memory[2];
    for (int i = 0; i < KOPPEL_DOP853_ALL_STAGES; ++i) s.k[i] = memory[3 + i];
    koppel_dop853_init(&s, in[0], in[1], kTolerance, 1);
    std::copy_n(in.begin() + 2, kY, s.y1);
    const koppel_ode ode{kY, rate, arrive, this};
    int reason = rate(this, in[0], s.y1, s.k[KOPPEL_DOP853_STAGES]);
    while (reason == 0 && s.t1 < t_end) reason = koppel_dop853_step(&s, &ode, t_end, 0);
    num_rejected += s.num_rejected;
    in[0] = s.t1, in[1] = s.h;
    std::copy_n(s.y1, kY, in.begin() + 2);
    return reason;
  }
  long num_rejected = 0;

 private:
  // By the tape, all of whose points are the same.
  void evaluate(const LaneFunction& f, double t, const double* y, double* out) {
    in_[0] = t;
    std::copy_n(y, kY, in_.begin() + 2);
    std::vector<double> x, all(f.num_outputs() * f.lanes()), work = f.make_work();
    for (const double value : in_) x.insert(x.end(), f.lanes(), value);
    f.evaluate(x.data(), all.data(), work.data());
    for (std::size_t i = 0; i < f.num_outputs(); ++i) out[i] = all[i * f.lanes()];
  }
  static int rate(void* self, double t, const double* y, double* out) {
    auto* const a = static_cast<Alone*>(self);
    a->evaluate(a->rates_, t, y, out);
    return koppel_all_finite(out, kY) ? 0 : KOPPEL_NO_RATES;
  }
  static int arrive(void* self, double t, double* y, double* out) {
    auto* const a = static_cast<Alone*>(self);
    double moved[kY];
    a->evaluate(a->project_, t, y, moved);
    if (!koppel_all_finite(moved, kY)) return KOPPEL_NOT_PROJECTED;
    std::copy_n(moved, kY, y);
    return rate(self, t, y, out);
  }

  LaneFunction rates_, project_;
  std::vector<double> in_;
};

// Variants of all kinds; the third runs into a place without rates, the seventh has no length.
std::vector<double> variant(std::size_t i) {
  const double a = 0.3 * static_cast<double>(i);
  return {0,
          i % 3 == 1 ? 0.5 : 1e-3,
          std::sin(a),
          -std::cos(a),
          0,
          0,
          100.0 * static_cast<double>(i % 4),
          i == 6 ? 0.0 : 1.0,
          i == 2 ? 0.9 : 5.0};
}
double end_of(std::size_t i, int k) {
  return i == 3 ? 0 : (0.2 + 0.05 * static_cast<double>(i % 5)) * k;
}

void expect_bits_of_alone(const char* policy, const char* most) {
  const ScopedEnvironment native("KOPPEL_NATIVE", policy), width("KOPPEL_LANES", most);
  const System system;
  const LaneDop853 integrator(LaneFunction(system.rate), LaneFunction(system.project), kY, kY,
                              kTolerance);
  const std::size_t lanes = integrator.lanes();
  LaneDop853::Work work = integrator.make_work();
  Alone alone(system);
  int num_failed = 0;
  for (std::size_t first = 0; first < 16; first += lanes) {
    std::vector<double> in(kLayout * lanes), ends(lanes);
    std::vector<int> reasons(lanes);
    std::vector<std::vector<double>> expected;
    for (std::size_t l = 0; l < lanes; ++l) {
      expected.push_back(variant(first + l));
      for (std::size_t i = 0; i < kLayout; ++i) in[i * lanes + l] = expected[l][i];
    }
    for (int k = 1; k <= 4; ++k) {
      for (std::size_t l = 0; l < lanes; ++l) ends[l] = end_of(first + l, k);
      integrator.advance(in, ends, reasons, work);
      for (std::size_t l = 0; l < lanes; ++l) {
        const int reason = alone.advance(expected[l], ends[l]);
        ASSERT_EQ(reasons[l], reason) << "variant " << first + l << ", lanes " << lanes;
        num_failed += reason != 0;
        for (std::size_t i = 0; i < kLayout; ++i) {
          ASSERT_TRUE(same_bits(in[i * lanes + l], expected[l][i]))
              << "variant " << first + l << ", number " << i << ", lanes " << lanes << ", run "
              << k;
        }
      }
    }
  }
  EXPECT_GT(num_failed, 4);
  EXPECT_GT(alone.num_rejected, 10);
}

// Over all errors that step control meets, and to both of its exponents.
TEST(LaneKernels, PowersHaveTheBitsOfOneAlone) {
  std::vector<int> all = {1, 64};
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) all.push_back(4);
  if (__builtin_cpu_supports("avx512dq")) all.push_back(8);
#endif
  std::vector<double> errors;
  for (double e = 1e-12; e < 1.7e308; e *= 1.0137) errors.push_back(e);
  while (errors.size() % 64 != 0) errors.push_back(1);
  for (const int lanes : all) {
    std::vector<double> powers(errors.size());
    for (const double p : {KOPPEL_DOP853_EXPONENT, KOPPEL_DOP853_BETA}) {
      for (std::size_t i = 0; i < errors.size(); i += static_cast<std::size_t>(lanes)) {
        lane_kernels(lanes).power(&errors[i], p, &powers[i]);
      }
      for (std::size_t i = 0; i < errors.size(); ++i) {
        ASSERT_TRUE(same_bits(powers[i], koppel_power_of(errors[i], p)))
            << errors[i] << ' ' << lanes;
      }
    }
  }
}

TEST(LaneDop853, EachLaneHasTheBitsOfOneAlone) {
  for (const char* most : {"1", "4", "8"}) expect_bits_of_alone("auto", most);
  expect_bits_of_alone("off", "1");
}

}  // namespace
}  // namespace koppel
