// Live inputs over a bad line.
#include <koppel/live/faulty_inputs.hpp>

#include <cmath>
#include <functional>

#include <gtest/gtest.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

// What steps of 0.01 s get of a signal that channels hold between its samples.
std::vector<double> received(const SignalFaults& faults, int num_steps,
                             const std::function<double(int)>& signal) {
  FaultyInputs line(faults);
  line.open({{"u", "v"}, {}});
  std::vector<double> u(2, 0.0), out;
  double before = NAN;
  for (int k = 0; k < num_steps; ++k) {
    const double now = signal(k);
    if (now != before) u = {now, -now};  // else channels leave them as they are
    before = now;
    line.read(0.01 * k, u);
    EXPECT_TRUE(faults.noise > 0 || u[0] == -u[1]) << k;
    out.push_back(u[0]);
  }
  return out;
}

TEST(FaultyInputs, ArriveLate) {
  const auto u = received({.latency = 0.1}, 100, [](int k) { return k < 50 ? 1.0 : 2.0; });
  for (std::size_t k = 0; k < u.size(); ++k) EXPECT_EQ(u[k], k < 60 ? 1 : 2) << k;
}

TEST(FaultyInputs, AreHeldBetweenNoisySamples) {
  const auto u = received({.noise = 0.1}, 20000, [](int k) { return k / 10; });
  double squares = 0;
  for (std::size_t k = 10; k < u.size(); ++k) {
    const double noise = u[k] - static_cast<double>(k / 10);
    EXPECT_TRUE(k % 10 == 0 || u[k] == u[k - 1]) << k;
    squares += noise * noise / static_cast<double>(u.size());
  }
  EXPECT_NEAR(std::sqrt(squares), 0.1, 0.1 * 3 / std::sqrt(2 * 2000.0));  // three deviations
}

TEST(FaultyInputs, AreMissingWhileTheLineIsDown) {
  const auto u = received({.drop_every = 1, .drop_for = 0.195}, 300, [](int k) { return k; });
  for (std::size_t k = 1; k < u.size(); ++k) {
    const bool is_down = k % 100 > 80;
    EXPECT_EQ(u[k], static_cast<double>(is_down ? k / 100 * 100 + 80 : k)) << k;
  }
}

TEST(FaultyInputs, DoNotGoBackInTime) {
  const auto u = received({.jitter = 0.1}, 500, [](int k) { return k; });
  for (std::size_t k = 1; k < u.size(); ++k) {
    EXPECT_GE(u[k], u[k - 1]);
    EXPECT_LE(u[k], static_cast<double>(k));
  }
}

TEST(FaultyInputs, AreReadFromText) {
  const SignalFaults faults = parse_faults("noise=0.01,latency=5e-2,drop_every=1,drop_for=0.1");
  EXPECT_EQ(faults.noise, 0.01);
  EXPECT_EQ(faults.latency, 0.05);
  EXPECT_EQ(faults.drop_for, 0.1);
  for (const char* text :
       {"", "noise", "noise=x", "noise=-1", "nois=1", "noise=1,", "drop_every=1,drop_for=2"}) {
    EXPECT_THROW(parse_faults(text), Error) << text;
  }
}

}  // namespace
}  // namespace koppel
