#include "benchmarks/validation/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numbers>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <koppel/base/csv.hpp>
#include <koppel/base/read_text.hpp>
#include <koppel/model/following_ways.hpp>
#include <koppel/model/mechanism.hpp>
#include <koppel/model/signal_faults.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/simulate/following.hpp>
#include <koppel/simulate/simulate.hpp>
#include <problems/validation.hpp>

#include "benchmarks/validation/figure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

constexpr std::size_t kLargest = 1 << 20;  // bytes of a file

Simulation run(const Model& model, const char* integrator, const char* formulation, double step,
               double end) {
  SimulateOptions options = options_of(model);
  options.end = end;
  options.integrator = integrator;
  options.formulation = formulation;
  options.projection = Projection::None;
  options.step = step;
  options.sampling.every_step = true;
  options.health.is_watched = false;  // what oscillates is shown
  return simulate(model, options);
}

// The samples of the hand, and velocities by central differences of them.
struct Hand {
  std::vector<double> t;
  std::vector<double> p[3], v[3];
};

Hand read_hand() {
  const std::string file = std::string(KOPPEL_SOURCE) + "/tests/reference/tracking/hand.csv";
  const CsvColumns csv = parse_csv(read_text(file, kLargest, "validation.no-file"), file);
  Hand hand{csv.values[0], {}, {}};
  for (std::size_t i = 0; i < 3; ++i) {
    hand.p[i] = csv.values[i + 1];
    for (std::size_t j = 0; j < hand.t.size(); ++j) {
      const std::size_t a = j > 0 ? j - 1 : 0, b = std::min(j + 1, hand.t.size() - 1);
      hand.v[i].push_back((hand.p[i][b] - hand.p[i][a]) / (hand.t[b] - hand.t[a]));
    }
  }
  return hand;
}

// A unit sphere at the first sample, and what makes it follow the hand.
struct Ball {
  TrackingElement law = {};
  bool is_constrained = false;  // by velocities, with the feedback `alpha` of positions
  double alpha = 0;
  double gravity = 0;
};

Simulation follow(const Hand& hand, const Ball& ball, double step, double end) {
  Mechanism m("ball");
  m.gravity(0, 0, ball.gravity);
  const BodyHandle body = m.add_body("ball", {.mass = 1, .inertia = {0.4, 0.4, 0.4}});
  body.place(hand.p[0][0], hand.p[1][0], hand.p[2][0]);
  const QuantityHandle x[] = {body.x(), body.y(), body.z()};
  TrackingElement law = ball.law;
  law.point = body;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string axis(1, "xyz"[i]);
    const Expr p = m.table("p" + axis, TableData::held(hand.t, hand.p[i]))(m.time());
    const Expr v = m.table("v" + axis, TableData::held(hand.t, hand.v[i]))(m.time());
    law.follows.values.push_back(p);
    if (ball.is_constrained) {
      m.constrain_rates("c" + axis, x[i].rate() - v + ball.alpha * (x[i].value() - p));
      x[i].start_rate(hand.v[i][0]);
    }
    m.output(axis, x[i]);
    m.output(axis + "'", x[i].rate());
    m.output("hand." + axis, p);
  }
  if (!ball.is_constrained) m.add("hold", law);
  return run(m.model(), "linear-implicit:exact:new-positions",
             ball.is_constrained ? "index2" : "minimal", step, end);
}

std::vector<double> vector_of(std::span<const double> x) { return {x.begin(), x.end()}; }

Line line_of(const Simulation& s, const std::string& column, const std::string& name) {
  return {name, vector_of(s.trajectory.time()), vector_of(s.trajectory[column])};
}

Line hand_line(const Simulation& s, const std::string& axis) {
  Line line = line_of(s, "hand." + axis, "hand");
  line.is_dotted = true;
  return line;
}

// In a row: distance to the samples (root of mean squares, largest), and how rough the velocity is.
struct Quality {
  double mean = 0, largest = 0, roughest = 0;
};

Quality judge(const Simulation& s, const std::string& axis) {
  const auto x = s.trajectory[axis], h = s.trajectory["hand." + axis], v = s.trajectory[axis + "'"];
  Quality q;
  for (std::size_t i = 1; i < x.size(); ++i) {
    q.mean += (x[i] - h[i]) * (x[i] - h[i]) / static_cast<double>(x.size());
    q.largest = std::max(q.largest, std::abs(x[i] - h[i]));
    if (i > 1) q.roughest = std::max(q.roughest, std::abs(v[i] - v[i - 1]));
  }
  q.mean = std::sqrt(q.mean);
  return q;
}

void print_quality(const std::string& figure, const std::string& law, double h, const Simulation& s,
                   const std::string& axis) {
  const Quality q = judge(s, axis);
  print_row({figure, law, fmt::format("{:g}", 1e3 * h), axis, fmt::format("{:.2f}", 1e3 * q.mean),
             fmt::format("{:.2f}", 1e3 * q.largest), fmt::format("{:.3f}", q.roughest)});
}

// Figures, which come after the table that is being printed.
using Figures = std::vector<std::pair<std::string, Figure>>;

constexpr double kStep = 1e-3, kEnd = 0.5;

// The numbers of a law, for legends.
std::string short_name(std::string name) {
  if (name.find("ρ0 = ") == name.npos) return name;
  for (const char* word : {"Neumann, ", "mixed, ", "L2, ", "ρ0 = ", "ρ1 = "}) {
    if (const std::size_t at = name.find(word); at != name.npos)
      name.erase(at, std::string(word).size());
  }
  return name;
}

TrackingElement l2(double rho0) { return {.method = Word{1}, .rho0 = Expr(rho0)}; }
TrackingElement h1(bool is_mixed, double rho0, double rho1) {
  return {.method = Word{is_mixed ? 3 : 2}, .rho0 = Expr(rho0), .rho1 = Expr(rho1)};
}

// Section 3.2.1: order 1 of positions, velocities that are exact.
void smooth_actuation() {
  const Model model = read_mechanism("driven_sphere");
  print_head({"step, ms", "error of x, m", "error of x', m/s"}, 0);
  const double w = std::numbers::pi / 4;
  for (const double h : {1e-3, 5e-4, 2.5e-4}) {
    const Simulation s = run(model, "linear-implicit:exact:new-positions", "index2", h, 4);
    double x = 0, v = 0;
    for (std::size_t i = 1; i < s.trajectory.num_rows(); ++i) {
      const double t = s.trajectory.time()[i];
      x = std::max(x, std::abs(s.trajectory["x"][i] - std::cos(w * t)));
      v = std::max(v, std::abs(s.trajectory["x'"][i] + w * std::sin(w * t)));
    }
    print_row({fmt::format("{:g}", 1e3 * h), fmt::format("{:.2e}", x), fmt::format("{:.1e}", v)});
  }
}

// Sections 3.2.2 and 3.2.3, figures 3.3 to 3.12.
void constraints(const Hand& hand, Figures& figures) {
  Figure x{"A ball constrained to a hand that is held: position", "t, s", "x, m", {}};
  Figure v{"A ball constrained to a hand that is held: velocity", "t, s", "x', m/s", {}};
  for (const double epsilon : {0.0, 0.2, 0.5, 0.8}) {
    const double h = 5e-4;
    const Simulation s = follow(hand, {.is_constrained = true, .alpha = epsilon / h}, h, kEnd);
    const std::string name = epsilon == 0 ? "no feedback" : fmt::format("ε = {:g}", epsilon);
    if (x.lines.empty()) x.lines.push_back(hand_line(s, "x"));
    x.lines.push_back(line_of(s, "x", name));
    v.lines.push_back(line_of(s, "x'", name));
    print_quality("3.4 to 3.7", "constraint, " + name, h, s, "x");
  }
  figures.emplace_back("hand_constraint_position", x);
  figures.emplace_back("hand_constraint_velocity", v);
  // On the grid of the steps the velocity of a held signal is zero almost everywhere: the samples
  // alone are left.
  Hand without = hand;
  for (auto& column : without.v) std::fill(column.begin(), column.end(), 0.0);
  for (const double epsilon : {0.2, 0.5, 0.8}) {
    const double h = 5e-4;
    const Simulation s = follow(without, {.is_constrained = true, .alpha = epsilon / h}, h, kEnd);
    print_quality("3.9 to 3.12", fmt::format("the same without velocities, ε = {:g}", epsilon), h,
                  s, "x");
  }
}

// Sections 4.1.2 to 4.3, figures 4.1 to 4.13.
void optimal_control(const Hand& hand, Figures& figures) {
  const auto study = [&](const char* file, const char* title, const char* number,
                         const std::string& axis,
                         const std::vector<std::pair<std::string, Ball>>& laws, double step) {
    Figure x{title, "t, s", axis + ", m", {}};
    for (const auto& [name, ball] : laws) {
      const Simulation s = follow(hand, ball, step, kEnd);
      if (x.lines.empty()) x.lines.push_back(hand_line(s, axis));
      x.lines.push_back(line_of(s, axis, short_name(name)));
      print_quality(number, name, step, s, axis);
    }
    figures.emplace_back(file, x);
  };
  Figure x{"L2, ρ0 = 1e-5: finer steps", "t, s", "x, m", {}},
      v{"L2, ρ0 = 1e-5: velocity", "t, s", "x', m/s", {}};
  for (const int n : {0, 1, 2}) {
    const double h = kStep * std::pow(2, -n);
    const Simulation s = follow(hand, {.law = l2(1e-5)}, h, kEnd);
    if (x.lines.empty()) x.lines.push_back(hand_line(s, "x"));
    x.lines.push_back(line_of(s, "x", fmt::format("n = {}", n)));
    v.lines.push_back(line_of(s, "x'", fmt::format("n = {}", n)));
    print_quality("4.1, 4.2", "L2, ρ0 = 1e-5", h, s, "x");
  }
  figures.emplace_back("hand_l2_position", x);
  figures.emplace_back("hand_l2_velocity", v);
  const auto heavy = [](TrackingElement law, bool is_compensated) {
    law.uncompensated = !is_compensated;
    return Ball{.law = law, .gravity = -9.81};
  };
  study("hand_l2_gravity", "L2 against gravity, by ρ0", "4.3, 4.4", "z",
        {{"L2, ρ0 = 1e-5", heavy(l2(1e-5), false)},
         {"L2, ρ0 = 1e-6", heavy(l2(1e-6), false)},
         {"L2, ρ0 = 3e-7", heavy(l2(3e-7), false)}},
        kStep);
  study("hand_neumann", "Neumann ends, by ρ0 and ρ1", "4.5 to 4.8", "x",
        {{"Neumann, ρ0 = 1e-6, ρ1 = 5e-13", {.law = h1(false, 1e-6, 5e-13)}},
         {"Neumann, ρ0 = 1e-6, ρ1 = 5e-12", {.law = h1(false, 1e-6, 5e-12)}},
         {"Neumann, ρ0 = 1e-5, ρ1 = 5e-13", {.law = h1(false, 1e-5, 5e-13)}},
         {"Neumann, ρ0 = 5e-7, ρ1 = 1e-13", {.law = h1(false, 5e-7, 1e-13)}}},
        kStep);
  study("hand_mixed", "Mixed ends, by ρ0 and ρ1", "4.9 to 4.11", "x",
        {{"mixed, ρ0 = 5e-6, ρ1 = 6e-12", {.law = h1(true, 5e-6, 6e-12)}},
         {"mixed, ρ0 = 5e-6, ρ1 = 6e-11", {.law = h1(true, 5e-6, 6e-11)}},
         {"mixed, ρ0 = 5e-5, ρ1 = 6e-12", {.law = h1(true, 5e-5, 6e-12)}}},
        kStep);
  study("hand_gravity", "Gravity, left alone and compensated", "4.12, 4.13", "z",
        {{"Neumann, left alone", heavy(h1(false, 5e-7, 1e-13), false)},
         {"Neumann, compensated", heavy(h1(false, 5e-7, 1e-13), true)},
         {"mixed, left alone", heavy(h1(true, 5e-6, 6e-12), false)},
         {"mixed, compensated", heavy(h1(true, 5e-6, 6e-12), true)}},
        kStep);
  study("hand_automatic", "The automatic choice", "", "x",
        {{"auto", {.law = {}}}, {"auto, response 10 ms", {.law = {.response = Expr(0.01)}}}},
        kStep);
}

// A mechanism, the output that follows, and how far the signal jumps.
struct Followed {
  const char *name, *model, *output;
  double from, jump, force;
};

constexpr double kLevels[] = {0, 1, 0.3, 1, 0};  // parts of the jump, each for 0.8 s

constexpr Followed kFollowed[] = {
    {"body on a guide", "", "cart.x", 0, 1, 200},
    {"slider crank", "slider_crank", "rod.B.x", 1.24, -0.3, 200},
    {"five-link suspension", "five_link", "carrier.B.z", 0.02, -0.05, 8000},
    {"six-axis arm", "robot", "arm.joint_2.angle", 0, 1, 5000},
};

// Jumps that last 0.8 s, noise of a thousandth of them, and nothing for 100 ms in every second.
struct Signal {
  std::vector<double> t, z;
};
Signal make_signal(const Followed& what) {
  std::vector<double> t, z;
  for (int i = 0; i < 200; ++i) {  // every 20 ms
    t.push_back(0.02 * i);
    z.push_back(what.from + what.jump * kLevels[i / 40]);
  }
  std::vector<std::vector<double>> columns = {z};
  add_faults({.noise = 1e-3 * std::abs(what.jump), .drop_every = 1, .drop_for = 0.1}, t, columns);
  return {t, columns[0]};
}

// The mechanism, with its tracking.
Model make_followed(const Followed& what) {
  const Signal signal = make_signal(what);
  std::string text =
      "dimension: 2\nbodies: {cart: {mass: 2, inertia: 1}}\njoints: {guide: {type: prismatic, "
      "between: [ground, cart], axis: [1, 0]}}\n";
  std::string file = "free.yaml";
  if (*what.model != '\0') {
    file = fmt::format("{}/models/{}.yaml", KOPPEL_SOURCE, what.model);
    text = read_text(file, kLargest, "validation.no-file");
    text.erase(text.find("\noutputs:") + 1);
    text.erase(std::min(text.find("\ninitial:") + 1, text.size()));
  }
  text += fmt::format(
      "tracking: {{hold: {{output: {0}, follows: z(t), force: {1}, response: 0.02}}}}\n"
      "tables: {{z: {{type: held, x: [{2}], y: [{3}]}}}}\noutputs: {{s: {0}, z: z(t)}}\n",
      what.output, what.force, fmt::join(signal.t, ", "), fmt::join(signal.z, ", "));
  return read_model_text(text, file);
}

// How far it is from a level, without its noise, at the end of its time.
double left_by(const Simulation& s, const Followed& what) {
  double largest = 0;
  for (std::size_t hold = 0; hold < std::size(kLevels); ++hold) {
    const double y = s.trajectory["s"][800 * (hold + 1) - 10];
    largest = std::max(largest, std::abs(y - what.from - what.jump * kLevels[hold]));
  }
  return largest;
}

void baselines(Figures& figures) {
  print_head({"mechanism", "way", "overshoot, %", "left at the end of holds, mm or mrad",
              "largest force, of the limit", "fastest, 1/s of the jump",
              "largest change of speed in a step"},
             2);
  for (const Followed& what : kFollowed) {
    const Model model = make_followed(what);
    const std::vector<double> masses = effective_masses(model, "");
    Figure x{std::string("Jumps of the signal: ") + what.name, "t, s", "", {}};
    const auto show = [&](Model way_of, const std::string& way) {
      show_following(way_of, model);
      const Simulation s = run(way_of, "linear-implicit", "", kStep, 4);
      if (s.status != Outcome::Status::Done) {
        print_row({what.name, way, fmt::format("stops at {:.2f} s", s.trajectory.time().back()), "",
                   "", "", ""});
        return;
      }
      const Following f = judge_following(s.trajectory, model.tracking[0]);
      const double jump = std::abs(what.jump), left = left_by(s, what);
      print_row({what.name, way, fmt::format("{:.2f}", 100 * f.overshoot.value_or(0)),
                 fmt::format("{:.2f}", 1e3 * left), fmt::format("{:.3g}", f.force / what.force),
                 fmt::format("{:.1f}", f.fastest / jump),
                 fmt::format("{:.3f}", f.roughest / jump)});
      if (x.lines.empty()) {
        x.lines.push_back(line_of(s, "z", "signal"));
        x.lines.back().is_dotted = true;
      }
      x.lines.push_back(line_of(s, "s", way));
    };
    show(model, "tracking");
    for (const FollowingWay way : kFollowingWays) {
      show(following_by(model, way, kStep, masses), name_of(way));
    }
    std::string name = what.name;
    std::replace(name.begin(), name.end(), ' ', '_');
    std::replace(name.begin(), name.end(), '-', '_');
    figures.emplace_back("hand_jumps_" + name, x);
  }
}

}  // namespace

void report_tracking(const std::string& figures) {
  std::puts(R"(
## A hand that jumps

[Lipovac 2020] moves bodies with a hand-held controller in a virtual scene. Each sample of the controller is held for
10 to 40 ms. The record is not published; the one used here has the same start, intervals and speeds
([tests/reference/tracking](../tests/reference/README.md)). A sphere of 1 kg follows it with `linear-implicit` steps with
new positions, the method of section 3.1.1 of the source. Made by `validation FOLDER tracking`.

If constraints prescribe a smooth motion (section 3.2.1, figure 3.2), positions have an error of order 1 and velocities
are exact:)");
  smooth_actuation();
  std::puts(R"(
The next table follows the held signal with velocity constraints and position feedback ε/h (figures 3.3 to 3.12), and
with single-stage optimal control of the force (figures 4.1 to 4.13). *Off* is the distance to the last sample, which no
smooth motion can avoid; *roughest* is the largest change of velocity in a step. Small is good in both. Without
feedback, velocity constraints never reduce the distance; with feedback, velocities jump at every sample. Finer steps
make L2 smoother; it oscillates if ρ0 is too small. Gravity causes an offset, which can be compensated. Mixed ends make
the force continuous.)");
  print_head({"figures", "law", "step, ms", "axis", "off, mm (mean)", "off, mm (largest)",
              "roughest, m/s"},
             2);
  const Hand hand = read_hand();
  Figures shown;
  constraints(hand, shown);
  optimal_control(hand, shown);
  for (const auto& [name, figure] : shown) write_figure(figures, name, figure);
  std::puts(R"(
Jumps of 1 m, or as large as the mechanism allows (0.3 m, 0.05 m, 1 rad), noise of a thousandth of them, and nothing for
100 ms in every second, on mechanisms with joints and loops: `tracking` with a `force` limit and `response: 0.02`, beside
the [other ways](comparison.md#ways-to-follow-a-signal) of `koppel compare`, none of which keeps a limit. Distances at the
end of holds are those to the signal without its noise. Small is good in every column.)");
  shown.clear();
  baselines(shown);
  for (const auto& [name, figure] : shown) write_figure(figures, name, figure);
}

}  // namespace koppel::problems
