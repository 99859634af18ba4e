#include <koppel/integrate/event_watch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <koppel/integrate/dip.hpp>

namespace koppel {
namespace {

// Equal parts of a step at whose ends one looks.
constexpr int kParts = 8;
// After a start, which may be an impact, a function can return very soon: the first part is looked
// at in parts that shrink by this factor towards the start, so many times.
constexpr int kFirstParts = 16;
constexpr double kShrink = 0.25;
constexpr double kNearEnd = 1e-3;  // of a part
// Events happen together where they are no further apart than this part of the step, which dense
// output does not resolve, or so many roundings of t.
constexpr double kSimultaneous = 1e-9, kUlps = 16;

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

EventWatch::EventWatch(const Problem& problem, const Start& start, bool follows)
    : problem_(&problem),
      work_(problem.events->make_workspace()),
      values_(problem.events->size()),
      sides_(start.sides),
      follows_(follows) {
  times_.reserve(kParts + kFirstParts);
  if (sides_.empty()) {
    problem.events->evaluate(start.t, start.y, values_, work_);
    for (const double value : values_) sides_.push_back(sign(value));
    round_off_.resize(values_.size());
  } else {
    find_round_off(start);
  }
  for (std::size_t i = 0; i < values_.size(); ++i) {
    is_leaving_.push_back(side_now(i) != sides_[i]);
  }
  for (const double value : values_) is_defined_.push_back(!std::isnan(value));
  left_at_.assign(values_.size(), -std::numeric_limits<double>::infinity());
}

// An event that has just happened leaves its function at zero, and the first values after it may
// have any sign: what some roundings of y, each by itself and of the largest, make of the function
// does not count. Any two of them have different signs in one of the trials, so that differences
// show. Bodies that touch at rest drift by the round-off of their velocities, and a projection
// moves them by its own: what is behind zero by so little counts from twice as far.
void EventWatch::find_round_off(const Start& start) {
  constexpr double kEps = std::numeric_limits<double>::epsilon(), kRoundings = 16;
  constexpr double kWider = 2, kMost = 1e6;
  const std::size_t size = start.y.size();
  double largest = 0;
  for (const double value : start.y) largest = std::max(largest, std::abs(value));
  std::vector<double> at_start(values_.size()), beside(size);
  problem_->events->evaluate(start.t, start.y, at_start, work_);
  round_off_.assign(values_.size(), 0.0);
  for (std::size_t bit = 1; bit == 1 || bit < size; bit *= 2) {
    for (std::size_t i = 0; i < size; ++i) {
      const double noise = kRoundings * kEps * std::abs(start.y[i]) + kEps * largest;
      beside[i] = start.y[i] + ((i & bit) == 0 ? noise : -noise);
    }
    problem_->events->evaluate(start.t, beside, values_, work_);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      round_off_[i] = std::max(round_off_[i], std::abs(values_[i] - at_start[i]));
    }
  }
  values_ = std::move(at_start);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const double value = std::abs(values_[i]), noise = round_off_[i];
    const bool is_behind = sides_[i] * values_[i] < 0 && value <= kMost * noise;
    round_off_[i] = is_behind ? std::max(noise, kWider * value) : value > noise ? 0 : noise;
  }
}

int EventWatch::side_now(std::size_t i) const {
  return std::abs(values_[i]) <= round_off_[i] ? 0 : sign(values_[i]);
}

void EventWatch::note_leaving(double t) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (!is_leaving_[i] || side_now(i) != sides_[i]) continue;
    is_leaving_[i] = false;
    left_at_[i] = t;
  }
}

void EventWatch::evaluate(const Step& step, double t, std::span<double> y) {
  step.evaluate(t, y);
  problem_->events->evaluate(t, y, values_, work_);
}

bool EventWatch::passes(std::size_t i, double t) const {
  const int now = side_now(i);
  if (now == 0 || sides_[i] == 0 || now == sides_[i] || is_leaving_[i]) return false;
  if (t < left_at_[i]) return false;
  const EventDirection direction = problem_->event_directions[i];
  return direction == EventDirection::Both || (direction == EventDirection::Falling) == (now < 0);
}

bool EventWatch::any_passes(double t) const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (passes(i, t)) return true;
  }
  return false;
}

void EventWatch::take_sides(double t) {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const int now = side_now(i);
    if (now == 0 || t < left_at_[i]) continue;
    round_off_[i] = 0;
    if (!is_leaving_[i]) sides_[i] = now;
  }
}

// Several events may pass between the two times: what passes first is kept, as long as the interval
// can be halved. The end that is kept is after the event; so are those that pass within the
// resolution of the dense output, and count as simultaneous.
EventWatch::Found EventWatch::locate(const Step& step, double before, double after,
                                     std::span<double> y) {
  for (;;) {
    const double middle = before + 0.5 * (after - before);
    if (!(before < middle && middle < after)) break;
    evaluate(step, middle, y);
    (any_passes(middle) ? after : before) = middle;
  }
  Found found{{}, after};
  const double soon = std::max(kSimultaneous * (step.t1 - step.t0),
                               kUlps * (std::nextafter(after, HUGE_VAL) - after));
  for (const double t : {std::min(after + soon, step.t1), after}) {
    evaluate(step, t, y);
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const int event = static_cast<int>(i);
      if (!passes(i, t)) continue;
      if (std::find(found.events.begin(), found.events.end(), event) == found.events.end()) {
        found.events.push_back(event);
      }
    }
  }
  std::sort(found.events.begin(), found.events.end());
  // What passes a moment later has passed, too.
  const std::vector<int> from = sides_;
  take_sides(after);
  for (const int event : found.events) {
    const auto i = static_cast<std::size_t>(event);
    sides_[i] = -from[i];
  }
  return found;
}

bool EventWatch::has_ended() const {
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (is_defined_[i] && std::isnan(values_[i])) return true;
  }
  return false;
}

double EventWatch::last_defined(const Step& step, double before, double after,
                                std::span<double> y) {
  for (;;) {
    const double middle = before + 0.5 * (after - before);
    if (!(before < middle && middle < after)) break;
    evaluate(step, middle, y);
    (has_ended() ? after : before) = middle;
  }
  evaluate(step, before, y);
  return before;
}

std::optional<double> EventWatch::find_dip_now(const Step& step, std::span<double> y) {
  const auto& [a, b, c] = seen_;
  if (a.values.empty()) return {};
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const EventDirection direction = problem_->event_directions[i];
    const int side = sides_[i];
    if (side == 0 || is_leaving_[i] || round_off_[i] > 0 || a.t < left_at_[i]) continue;
    if (direction != EventDirection::Both && (direction == EventDirection::Falling) != (side > 0)) {
      continue;
    }
    const Bracket bracket{
        a.t, b.t, c.t, side * a.values[i], side * b.values[i], side * c.values[i]};
    if (!(bracket.f_b > 0 && bracket.f_b <= bracket.f_a && bracket.f_b <= bracket.f_c)) continue;
    const auto found = find_dip(bracket, [&](double t) {
      evaluate(step, t, y);
      return side * values_[i];
    });
    if (found) return found;
  }
  return {};
}

std::optional<EventWatch::Found> EventWatch::look(const Step& step, std::span<double> y) {
  const double part = (step.t1 - step.t0) / kParts;
  times_.clear();
  if (is_first_) {
    for (int k = kFirstParts; k > 0; --k) times_.push_back(step.t0 + part * std::pow(kShrink, k));
  }
  // An impact leaves its function at zero, which may be on the wrong side by round-off; but not for
  // long.
  const std::size_t num_first = times_.size();
  // Shortly behind the beginning and before the end the slopes there are seen.
  if (follows_ && num_first == 0) times_.push_back(step.t0 + kNearEnd * part);
  for (int k = 1; k < kParts; ++k) times_.push_back(step.t0 + part * k);
  if (follows_) times_.push_back(step.t1 - kNearEnd * part);
  times_.push_back(step.t1);
  if (follows_) {
    evaluate(step, step.t0, y);
    seen_ = {};
    seen_[2] = {step.t0, values_};
  }
  is_first_ = false;
  double before = step.t0;
  for (std::size_t k = 0; k < times_.size(); ++k) {
    evaluate(step, times_[k], y);
    if (has_ended()) {
      const double last = last_defined(step, before, times_[k], y);
      if (last > before && any_passes(last)) return locate(step, before, last, y);
      evaluate(step, times_[k], y);
    }
    if (k < num_first) note_leaving(times_[k]);
    if (k + 1 >= num_first) std::fill(is_leaving_.begin(), is_leaving_.end(), false);
    if (any_passes(times_[k])) return locate(step, before, times_[k], y);
    if (follows_) {
      std::rotate(seen_.begin(), seen_.begin() + 1, seen_.end());
      seen_[2].t = times_[k];
      seen_[2].values = values_;
      if (const auto t = find_dip_now(step, y)) {
        evaluate(step, *t, y);
        if (any_passes(*t)) return locate(step, seen_[0].t, *t, y);
      }
      values_ = seen_[2].values;
    }
    take_sides(times_[k]);
    for (std::size_t i = 0; i < values_.size(); ++i) is_defined_[i] = !std::isnan(values_[i]);
    // What has not left yet may turn out to have passed from the start.
    const bool all_left = std::find(is_leaving_.begin(), is_leaving_.end(), 1) == is_leaving_.end();
    if (all_left) before = times_[k];
  }
  return {};
}

}  // namespace koppel
