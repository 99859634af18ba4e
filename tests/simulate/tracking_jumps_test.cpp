// Jumps of a metre (or of what the mechanism allows), noise of a thousandth of them, and nothing
// for 100 ms in every second: a free body, a slider crank, a suspension of five links and an arm of
// six axes follow within their limits, without overshoot. docs/data/validation.json has the numbers.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include <koppel/model/elements/tracking.hpp>
#include <koppel/model/mechanism.hpp>
#include <koppel/model/signal_faults.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

constexpr double kLevels[] = {0, 1, 0.3, 1, 0}, kHold = 0.8, kEnd = 4;  // parts of the jump, s

struct Signal {
  std::vector<double> t, z;
};
Signal make_signal(double from, double jump) {
  Signal out;
  for (int i = 0; i < 200; ++i) {  // every 20 ms
    out.t.push_back(0.02 * i);
    out.z.push_back(from + jump * kLevels[i / 40]);
  }
  std::vector<std::vector<double>> columns = {out.z};
  add_faults({.noise = 1e-3 * std::abs(jump), .drop_every = 1, .drop_for = 0.1}, out.t, columns);
  out.z = columns[0];
  return out;
}

struct Followed {
  double overshoot = 0, rest = 0;  // parts of the jump: beyond the levels, and at the ends of holds
  double force = 0, violation = 0;
};

// Of the columns s… and F…, after the first hold, in which it comes to where the signal starts.
Followed judge(const Simulation& s, double from, double jump, std::size_t size) {
  Followed out{.violation = s.summary.max_position_violation};
  const auto row = [](double t) { return static_cast<std::size_t>(std::lround(t / 1e-3)); };
  for (std::size_t k = 0; k < size; ++k) {
    const auto y = s.trajectory["s" + std::to_string(k)];
    for (std::size_t i = row(kHold); i < y.size(); ++i) {
      const double part = (y[i] - from) / jump;
      out.overshoot = std::max({out.overshoot, part - 1, -part});
    }
    for (std::size_t hold = 1; hold < 5; ++hold) {
      const double part = (y[row(kHold * static_cast<double>(hold + 1)) - 10] - from) / jump;
      out.rest = std::max(out.rest, std::abs(part - kLevels[hold]));
    }
  }
  for (std::size_t i = 0; i < s.trajectory.num_rows(); ++i) {
    double squares = 0;
    for (std::size_t k = 0; k < size; ++k) {
      const double f = s.trajectory["F" + std::to_string(k)][i];
      squares += f * f;
    }
    out.force = std::max(out.force, std::sqrt(squares));
  }
  return out;
}

Followed follow(Mechanism& m, const std::vector<Expr>& outputs, double from, double jump,
                double force) {
  const Signal signal = make_signal(from, jump);
  const Expr z = m.table("z", TableData::held(signal.t, signal.z))(m.time());
  TrackingElement law{.force = Expr(force), .response = Expr(0.02)};
  law.output.values = outputs;
  law.follows.values.assign(outputs.size(), z);
  m.add("hold", law);
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string name =
        outputs.size() == 1 ? "hold.force" : "hold.force_" + std::to_string(k + 1);
    m.output("s" + std::to_string(k), outputs[k]);
    m.output("F" + std::to_string(k), m.symbol(name));
  }
  SimulateOptions options = options_of(m.model());
  options.integrator = "linear-implicit";
  options.formulation = {};
  options.coordinates.clear();
  options.step = 1e-3;
  options.end = kEnd;
  options.sampling.every_step = true;
  options.health = {.is_watched = false};
  const Simulation s = simulate(m.model(), options);
  EXPECT_EQ(s.status, Outcome::Status::Done) << s.text;
  return judge(s, from, jump, outputs.size());
}

void expect_followed(const Followed& f, double jump, double force) {
  EXPECT_LT(f.overshoot, 0.05);
  EXPECT_LT(f.rest * std::abs(jump), 1e-3);  // m or rad
  EXPECT_LE(f.force, force * (1 + 1e-12));
  EXPECT_LT(f.violation, 1e-8);
}

TEST(TrackingJumps, AFreeBody) {
  Mechanism m("free");
  m.gravity(0, 0, -9.81);
  const BodyHandle body = m.add_body("body", {.mass = 2, .inertia = {0.1, 0.1, 0.1}});
  expect_followed(follow(m, {body.x().value(), body.y().value(), body.z().value()}, 0, 1, 400), 1,
                  400);
}

TEST(TrackingJumps, MechanismsWithJointsAndLoops) {
  const struct {
    const char *model, *output;
    double from, jump, force;
  } kFollowed[] = {{"slider_crank", "rod.B.x", 1.24, -0.3, 200},
                   {"five_link", "carrier.B.z", 0.02, -0.05, 8000},
                   {"robot", "arm.joint_2.angle", 0, 1, 5000}};
  for (const auto& what : kFollowed) {
    SCOPED_TRACE(what.model);
    Mechanism m(read_model(std::string(KOPPEL_MODELS) + what.model + ".yaml"));
    expect_followed(follow(m, {m[what.output]}, what.from, what.jump, what.force), what.jump,
                    what.force);
  }
}

}  // namespace
}  // namespace koppel
