#include <koppel/simulate/stay_watch.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/equations/switch_events.hpp>
#include <koppel/simulate/problem_state.hpp>

namespace koppel {
namespace {

// Steps where friction sticks change velocities by 1 (cvode), 10 (dop853) or 600 tolerances
// (taylor).
constexpr double kShort = 1000, kLongest = 1e-4;
constexpr double kBackAndForth = 50;  // ranges

// a + s (b − a).
std::vector<double> on_line(const std::vector<double>& a, const std::vector<double>& b, double s) {
  std::vector<double> out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] + s * (b[i] - a[i]);
  return out;
}

State on_line(const State& a, const State& b, double s) {
  State out = a;
  out.t = a.t + s * (b.t - a.t);
  out.q = on_line(a.q, b.q, s);
  out.v = on_line(a.v, b.v, s);
  out.x = on_line(a.x, b.x, s);
  return out;
}

bool differ(const std::vector<double>& f, const std::vector<double>& g) {
  constexpr double kJump = 1e-9;  // of the largest: more than round-off
  double size = 0, change = 0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    size = std::max({size, std::abs(f[i]), std::abs(g[i])});
    change = std::max(change, std::abs(f[i] - g[i]));
  }
  return change > kJump * size;
}

}  // namespace

void StayWatch::find_arguments() {
  has_looked_ = true;
  const Equations& e = evaluator_.equations;
  const std::vector<Expr> arguments = switch_functions(e);
  if (arguments.empty()) return;
  arguments_.emplace(e, arguments);
  for (const Expr argument : arguments) names_.push_back(name_of_switch(argument));
}

State StayWatch::at(const Step& step, double t, const Problem& problem) {
  step.evaluate(t, y_);
  take_motion(problem, t, y_, state_);
  return state_;
}

bool StayWatch::is_short(const State& before, const State& after) const {
  const double most = std::min(kShort * tolerance_, kLongest);
  const auto moves_little = [&](const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!(std::abs(b[i] - a[i]) < most * std::max(std::abs(a[i]), scale_))) return false;
    }
    return true;
  };
  return moves_little(before.q, after.q) && moves_little(before.v, after.v) &&
         moves_little(before.x, after.x);
}

void StayWatch::note(const Step& step, const Problem& problem, std::span<const double> p) {
  if (!has_looked_) find_arguments();
  if (!arguments_) return;
  y_.resize(static_cast<std::size_t>(problem.size()));
  state_.p.assign(p.begin(), p.end());
  const State before = at(step, step.t0, problem), after = at(step, step.t1, problem);
  are_short_ = are_short_ && is_short(before, after);
  if (!are_short_) return;
  const std::vector<double> from = (*arguments_)(before), to = (*arguments_)(after);
  if (courses_.empty()) {
    for (const double sigma : from) courses_.push_back({0, sigma, sigma, before, before});
  }
  for (std::size_t k = 0; k < to.size(); ++k) {
    Course& course = courses_[k];
    course.path += std::abs(to[k] - from[k]);
    if (to[k] < course.low) {
      course.low = to[k];
      course.lowest = after;
    } else if (to[k] > course.high) {
      course.high = to[k];
      course.highest = after;
    }
  }
}

std::string StayWatch::end_span() {
  std::string found;
  for (std::size_t k = 0; are_short_ && k < courses_.size() && found.empty(); ++k) {
    const auto& [path, low, high, lowest, highest] = courses_[k];
    const double range = high - low;
    const bool is_near = low <= range && high >= -range;
    if (is_near && path > kBackAndForth * range && jumps_at_zero(k)) found = names_[k];
  }
  courses_.clear();
  are_short_ = true;
  return found;
}

// Whether forces, or rates of further states, jump where σ passes through zero, which may belong to
// the law of either side.
bool StayWatch::jumps_at_zero(std::size_t k) const {
  const State &low = courses_[k].lowest, &high = courses_[k].highest;
  const auto sigma = [&](double s) { return (*arguments_)(on_line(low, high, s))[k]; };
  constexpr double kBeyond = 2;  // ranges: zero is within one
  for (const bool is_zero_above : {false, true}) {
    const auto is_above = [&](double s) {
      const double value = sigma(s);
      return is_zero_above ? value >= 0 : value > 0;
    };
    double below = -kBeyond, above = 1 + kBeyond;
    if (is_above(below) || !is_above(above)) continue;
    while (true) {
      const double middle = 0.5 * (below + above);
      if (!(below < middle && middle < above)) break;
      (is_above(middle) ? above : below) = middle;
    }
    const State a = on_line(low, high, below), b = on_line(low, high, above);
    if (differ(evaluator_.f(a), evaluator_.f(b)) || differ(evaluator_.r(a), evaluator_.r(b))) {
      return true;
    }
  }
  return false;
}

}  // namespace koppel
