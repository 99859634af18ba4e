#include <koppel/simulate/angle_jumps.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <koppel/base/largest.hpp>
#include <koppel/base/quoted.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <koppel/simulate/problem_state.hpp>

namespace koppel {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kParts = 8;            // of a step, for samples
constexpr double kNearTheCut = 0.1;  // rad, of samples' maxima that are worth a search

}  // namespace

AngleJumps::AngleJumps(const Evaluator& evaluator, const State& start)
    : evaluator_(evaluator), state_(start) {
  const Equations& e = evaluator.equations;
  Postorder order(*e.graph);
  for (const auto* part : {&e.f, &e.r}) order.visit(*part);
  std::vector<Expr> arguments, moving = e.q;
  moving.insert(moving.end(), e.v.begin(), e.v.end());
  moving.insert(moving.end(), e.x.begin(), e.x.end());
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!order[i].is(Op::Atan2) || !depends_on(order[i], moving)) continue;
    arguments.push_back(order[i].operand(0));
    arguments.push_back(order[i].operand(1));
  }
  num_angles_ = arguments.size() / 2;
  if (num_angles_ > 0) arguments_.emplace(e, arguments);
}

State AngleJumps::at(double t) {
  step_->evaluate(t, y_);
  take_motion(*problem_, t, y_, state_);
  return state_;
}

// The states before or after t in the step.
AngleJumps::Side AngleJumps::side(double t, double sign) {
  Side out;
  const double h = step_->t1 - step_->t0;
  std::transform(kAway.begin(), kAway.end(), out.begin(), [&](double away) {
    return at(std::clamp(t + sign * away * h, step_->t0, step_->t1));
  });
  return out;
}

AngleJumps::Sample AngleJumps::sample(double t) { return sample(at(t)); }

AngleJumps::Sample AngleJumps::sample(const State& state) const {
  const std::vector<double> values = (*arguments_)(state);
  Sample out{state.t, {}};
  for (std::size_t k = 0; k < num_angles_; ++k) {
    out.angles.push_back(std::atan2(values[2 * k], values[2 * k + 1]));
  }
  return out;
}

void AngleJumps::note(const Step& step, const Problem& problem, std::span<const double> p) {
  if (num_angles_ == 0 || found_ || !(step.t1 > step.t0)) return;
  step_ = &step;
  problem_ = &problem;
  y_.resize(static_cast<std::size_t>(problem.size()));
  state_.p.assign(p.begin(), p.end());
  longest_ = std::max(longest_, step.t1 - step.t0);
  look_at_start();
  std::vector<Sample> samples;
  for (int i = 0; i <= kParts; ++i) {
    samples.push_back(sample(step.t0 + (step.t1 - step.t0) * i / kParts));
  }
  for (std::size_t k = 0; k < num_angles_ && !found_; ++k) {
    for (std::size_t i = 0; i + 1 < samples.size() && !found_; ++i) {
      look_between(k, samples[i], samples[i + 1]);
    }
    const auto height = [&](std::size_t i) { return std::abs(samples[i].angles[k]); };
    for (std::size_t i = 0; i < samples.size() && !found_; ++i) {
      const std::size_t left = i == 0 ? 0 : i - 1, right = std::min(i + 1, samples.size() - 1);
      if (height(i) < kPi / 2 || height(i) < height(left) || height(i) < height(right)) continue;
      look_around(k, samples[left].t, samples[right].t);
    }
  }
  last_ = side(step.t1, -1);
  last_end_ = at(step.t1);
}

// Where the motion goes on as it was: no event has changed it.
void AngleJumps::look_at_start() {
  if (!last_end_) return;
  const State start = at(step_->t0);
  constexpr double kOn = 1e-6;
  const auto goes_on = [](const std::vector<double>& a, const std::vector<double>& b) {
    if (a.size() != b.size()) return false;
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
    return most <= kOn * std::max(1.0, largest(a));
  };
  if (start.t != last_end_->t || start.p != last_end_->p || !goes_on(start.q, last_end_->q) ||
      !goes_on(start.v, last_end_->v)) {
    return;
  }
  const Side after = side(step_->t0, 1);
  const Sample a = sample(last_->back()), b = sample(after.back());
  for (std::size_t k = 0; k < num_angles_ && !found_; ++k) {
    if (std::abs(b.angles[k] - a.angles[k]) > kPi / 2) judge(start.t, *last_, after);
  }
}

// Halves, towards the larger change, until it is a jump or none.
void AngleJumps::look_between(std::size_t k, const Sample& a, const Sample& b) {
  Sample left = a, right = b;
  constexpr int kMost = 40;
  for (int i = 0; i < kMost; ++i) {
    if (!(std::abs(right.angles[k] - left.angles[k]) > kPi / 2)) return;
    const double middle = (left.t + right.t) / 2;
    if (!(middle > left.t && middle < right.t)) break;
    Sample between = sample(middle);
    const bool is_left = std::abs(between.angles[k] - left.angles[k]) >
                         std::abs(right.angles[k] - between.angles[k]);
    (is_left ? right : left) = std::move(between);
  }
  judge(left.t, side(left.t, -1), side(left.t, 1));
}

// The largest |θ|, by golden section.
void AngleJumps::look_around(std::size_t k, double from, double to) {
  constexpr double kGolden = 0.6180339887498949;
  const auto height = [&](double t) { return std::abs(sample(t).angles[k]); };
  double a = to - kGolden * (to - from), b = from + kGolden * (to - from);
  double at_a = height(a), at_b = height(b);
  constexpr int kMost = 50;
  for (int i = 0; i < kMost; ++i) {
    if (at_a > at_b) {
      to = b;
      b = a;
      at_b = at_a;
      a = to - kGolden * (to - from);
      at_a = height(a);
    } else {
      from = a;
      a = b;
      at_a = at_b;
      b = from + kGolden * (to - from);
      at_b = height(b);
    }
  }
  if (kPi - std::max(at_a, at_b) >= kNearTheCut) return;
  const double t = (from + to) / 2;
  judge(t, side(t, -1), side(t, 1));
}

// Whether forces differ on the two sides of t by as much when looked at from half as far, half of
// that, and much nearer: what is smooth differs by half, but for waves on its way.
void AngleJumps::judge(double t, const Side& before, const Side& after) {
  std::vector<double> size;
  const auto difference = [&](std::size_t away) {
    std::vector<double> change = forces(before[away]), beyond = forces(after[away]);
    size.resize(change.size());
    for (std::size_t i = 0; i < change.size(); ++i) {
      size[i] = std::abs(change[i]) + std::abs(beyond[i]);
      change[i] = std::abs(beyond[i] - change[i]);
    }
    return change;
  };
  constexpr std::size_t kNear = 2;
  const std::vector<double> far = difference(0), half = difference(1), nearest = difference(3),
                            near = difference(kNear);
  constexpr double kAsMuch = 0.7;
  // A jump, relative to the force; to all of them, and to what would stop the motion in a step.
  constexpr double kLeast = 1e-5, kOfAll = 1e-9;
  const Matrix M = (*evaluator_.M)(after.back());
  double stopping = 0;
  for (int k = 0; k < M.rows; ++k) stopping = std::max(stopping, std::abs(M(k, k)));
  stopping *= largest(after.back().v) / longest_;
  const double least = kOfAll * std::max(largest(size), stopping);
  for (std::size_t i = 0; i < far.size(); ++i) {
    const bool is_jump = near[i] > kAsMuch * half[i] && half[i] > kAsMuch * far[i] &&
                         nearest[i] > kAsMuch * near[i] && near[i] > kLeast * size[i] &&
                         near[i] > least;
    if (!is_jump) continue;
    const std::vector<std::string> names = forces_that_jump(before[kNear], after[kNear], least);
    const std::string of = names.empty() ? "a force" : quoted(names);
    found_ = Health::Reason{
        Health::What::Jump, t, near[i] / size[i], 0,
        fmt::format(
            "at t = {:.6g} s an angle that {} uses jumps, and the force with it: the motion "
            "from there on depends on how it is stepped over. Roll and yaw jump where pitch "
            "passes 90 deg and, as atan2, at ±180 deg: use the angle of a joint, or the sine and "
            "cosine of the angle.",
            t, of)};
    return;
  }
}

// f and the rates of further states.
std::vector<double> AngleJumps::forces(const State& state) const {
  std::vector<double> all = evaluator_.f(state);
  const std::vector<double> more = evaluator_.r(state);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::vector<std::string> AngleJumps::forces_that_jump(const State& before, const State& after,
                                                      double least) const {
  constexpr double kLeast = 0.1;  // of the force: not what changes on the way
  const Equations& e = evaluator_.equations;
  std::vector<std::string> names;
  for (const Equations::ForcePart& part : *e.parts) {
    const VectorFunction f(e, part.f);
    const std::vector<double> a = f(before), b = f(after);
    for (std::size_t i = 0; i < a.size(); ++i) {
      const double change = std::abs(b[i] - a[i]);
      if (!(change > kLeast * (std::abs(a[i]) + std::abs(b[i]))) || !(change > least)) continue;
      names.push_back(part.name);
      break;
    }
  }
  return names;
}

std::optional<Health::Reason> reason_of_jumping_event(const Equations& e,
                                                      const Equations::Event& event,
                                                      const State& at) {
  Postorder order(*e.graph);
  order.visit(std::span<const Expr>(&event.when, 1));
  std::vector<Expr> values = {event.when};
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i].is(Op::Atan2)) values.push_back(order[i]);
  }
  if (values.size() == 1) return {};
  const std::vector<double> now = VectorFunction(e, values)(at);
  constexpr double kZero = 1e-6, kAtTheCut = 1e-6;  // rad: the state is that just after the event
  if (std::abs(now[0]) < kZero) return {};
  const bool is_at_cut = std::any_of(
      now.begin() + 1, now.end(), [](double angle) { return kPi - std::abs(angle) < kAtTheCut; });
  if (!is_at_cut) return {};
  return Health::Reason{
      Health::What::Jump, at.t, std::abs(now[0]), 0,
      fmt::format(
          "event '{}' happened at t = {:.6g} s because its function jumps with an angle, at ±180 "
          "deg, "
          "to {:.3g}, and does not pass through zero. Use the angle of a joint, or the sine and "
          "cosine of the angle.",
          event.name, at.t, now[0])};
}

}  // namespace koppel
