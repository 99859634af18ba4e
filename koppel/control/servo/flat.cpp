#include <koppel/control/servo/flat.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace koppel {
namespace {

// The first term that the prediction lacks may be this large, relative to the unknown.
constexpr double kTruncation = 1e-3;
// A correction larger than this is taken for another branch, and the step is shortened.
constexpr double kJump = 0.1;

double before(double t) { return std::nextafter(t, -std::numeric_limits<double>::infinity()); }

double factorial(int n) {
  double f = 1;
  for (int i = 2; i <= n; ++i) f *= i;
  return f;
}

}  // namespace

FlatSolution::FlatSolution(const ServoProblem& servo, double end, int extra)
    : servo_(servo),
      system_(*servo.problem.series),
      end_(end),
      here_(system_, std::min(system_.max_d() + extra, Series::kMaxOrder)),
      there_(system_, here_.order()),
      predicted_(static_cast<std::size_t>(system_.num_unknowns())) {}

double FlatSolution::nudged(double t) const {
  const auto& breaks = servo_.problem.breakpoints;
  if (!std::binary_search(breaks.begin(), breaks.end(), t)) return t;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return std::nextafter(t, t < end_ ? kInfinity : -kInfinity);
}

// Whether t is a breakpoint, and the solution next to it: nothing but a jump lies between.
bool FlatSolution::crosses_breakpoint(double t) const {
  const auto& breaks = servo_.problem.breakpoints;
  return t_ >= before(t) && std::binary_search(breaks.begin(), breaks.end(), t);
}

FlatSolution::Status FlatSolution::try_start(const DaePoint& guess) {
  here_.set_time(nudged(guess.t));
  for (int j = 0; j < here_.num_unknowns(); ++j) {
    const auto& values = guess.unknowns[static_cast<std::size_t>(j)];
    for (int o = 0; o < std::max(1, here_.offset(j)); ++o) {
      const auto l = static_cast<std::size_t>(o);
      here_.set(j, o, l < values.size() ? values[l] / factorial(o) : 0);
    }
  }
  if (const Status status = here_.make_consistent(); status != Status::Ok) return status;
  if (const Status status = here_.expand(); status != Status::Ok) return status;
  t_ = guess.t;
  // A matrix that is singular but for round-off gives numbers, and they mean nothing. Where the
  // smallest pivot is above this, at least five digits of the solution are right.
  constexpr double kLeastPivot = 1e-10;
  const Regularity regularity =
      check_regularity(servo_.dae, servo_.structure, point(), kLeastPivot);
  return regularity.is_regular ? Status::Ok : Status::Singular;
}

FlatSolution::Status FlatSolution::start(const Evaluator& evaluator, const State& guess,
                                         double latest) {
  State state = guess;
  const Status status = try_multipliers(make_point(servo_.dae, evaluator, state));
  if (status == Status::Ok) return status;
  constexpr double kFirst = 1e-6, kGrowth = 1.25;
  for (double part = kFirst; part < 1; part *= kGrowth) {
    state.t = guess.t + part * (latest - guess.t);
    if (try_multipliers(make_point(servo_.dae, evaluator, state)) == Status::Ok) return Status::Ok;
  }
  return status;
}

// Where a multiplier is 0 the equations do not depend on the positions that its force depends on,
// and Newton's method has no first step. A small force in its place gives one.
FlatSolution::Status FlatSolution::try_multipliers(DaePoint guess) {
  const Status status = try_start(guess);
  if (status != Status::Singular) return status;
  // Those of g, in the order (q, v, x, λ, …) of the problem.
  std::vector<char> of_g(guess.unknowns.size(), false);
  const Problem& problem = servo_.problem;
  for (int i = 0; i < problem.num_lambda; ++i) {
    const auto place = static_cast<std::size_t>(problem.num_differential() + i);
    of_g[static_cast<std::size_t>(system_.terms().y[place].unknown)] = true;
  }
  const auto is_multiplier = [&](std::size_t j) { return of_g[j] != 0; };
  double largest = 0;
  for (std::size_t j = 0; j < guess.unknowns.size(); ++j) {
    if (is_multiplier(j)) largest = std::max(largest, std::abs(guess.unknowns[j][0]));
  }
  for (double part = 1e-7; part < 0.1; part *= 10) {
    DaePoint moved = guess;
    for (std::size_t j = 0; j < guess.unknowns.size(); ++j) {
      double& lambda = moved.unknowns[j][0];
      if (is_multiplier(j) && std::abs(lambda) < part * largest) lambda = part * largest;
    }
    if (try_start(moved) == Status::Ok) return Status::Ok;
  }
  return try_inputs(std::move(guess)) == Status::Ok ? Status::Ok : status;
}

// The same for inputs that enter as a square or a product: where they are 0, they do nothing.
FlatSolution::Status FlatSolution::try_inputs(DaePoint guess) {
  const auto& places = system_.terms().y;
  const auto first = places.size() - static_cast<std::size_t>(servo_.problem.num_u);
  for (std::size_t i = first; i < places.size(); ++i) {
    double& input = guess.unknowns[static_cast<std::size_t>(places[i].unknown)][0];
    if (input == 0) input = 1;
  }
  return try_start(guess);
}

// The step over which the last term of every series is small.
double FlatSolution::longest_step() const {
  double longest = std::numeric_limits<double>::infinity();
  for (int j = 0; j < here_.num_unknowns(); ++j) {
    const int degree = here_.degree(j);
    const double last = std::abs(here_.coefficient(j, degree));
    if (last == 0 || degree == 0) continue;
    const double size = std::max(1.0, std::abs(here_.coefficient(j, 0)));
    longest = std::min(longest, std::pow(kTruncation * size / last, 1.0 / degree));
  }
  return longest;
}

// Whether a step is no longer than that; without roots.
bool FlatSolution::is_short(double h) const {
  double power[Series::kMaxOrder + 1];
  power[0] = 1;
  for (int k = 1; k <= here_.order(); ++k) power[k] = power[k - 1] * h;
  for (int j = 0; j < here_.num_unknowns(); ++j) {
    const int degree = here_.degree(j);
    const double size = std::max(1.0, std::abs(here_.coefficient(j, 0)));
    if (std::abs(here_.coefficient(j, degree)) * power[degree] > kTruncation * size) return false;
  }
  return true;
}

bool FlatSolution::is_continuous() const {
  for (int j = 0; j < there_.num_unknowns(); ++j) {
    // Inputs and the like may jump with a derivative of the reference.
    if (there_.offset(j) == 0) continue;
    const double predicted = predicted_[static_cast<std::size_t>(j)];
    const double size = std::max(1.0, std::abs(predicted));
    if (!(std::abs(there_.coefficient(j, 0) - predicted) <= kJump * size)) return false;
  }
  return true;
}

// What the prediction for the end of a step misses of a place in y.
double FlatSolution::missed(std::size_t place, double h) const {
  const auto [j, order] = system_.terms().y[place];
  return factorial(order) * (there_.coefficient(j, order) - here_.evaluate(j, order, h));
}

// The largest miss that is more than the last terms explain.
std::optional<FlatSolution::MotionJump> FlatSolution::find_jump(double t) const {
  constexpr double kSeen = 1e-6;   // of values, or of 1
  constexpr double kTerms = 20.0;  // a series of the least radius that a step suits
  const double h = t - t_;
  const auto count = static_cast<std::size_t>(servo_.problem.num_differential());
  std::optional<MotionJump> out;
  for (std::size_t i = 0; i < count; ++i) {
    const auto [j, order] = system_.terms().y[i];
    if (order >= here_.offset(j)) continue;  // it follows from inputs or multipliers
    const double size = missed(i, h), predicted = factorial(order) * here_.evaluate(j, order, h);
    double last = 0;
    for (int k = std::max(order, here_.degree(j) - 1); k <= here_.degree(j); ++k) {
      const double falling = factorial(k) / factorial(k - order);
      last = std::max(last, std::abs(falling * here_.coefficient(j, k) * std::pow(h, k - order)));
    }
    const double allowed = kTerms * last + kSeen * std::max(1.0, std::abs(predicted));
    if (std::abs(size) > allowed && (!out || std::abs(size) > std::abs(out->size))) {
      out = {t, i, size};
    }
  }
  return out;
}

// Whether some of it is missed again over as short a step: round-off, which grows with the index.
bool FlatSolution::is_noise(const MotionJump& jump, double h) {
  constexpr double kPart = 0.01;
  if (try_step(t_ + h) != Status::Ok) return false;
  return std::abs(missed(jump.place, h)) > kPart * std::abs(jump.size);
}

FlatSolution::Status FlatSolution::try_step(double t) {
  const double h = t - t_;
  there_.set_time(nudged(t));
  for (int j = 0; j < here_.num_unknowns(); ++j) {
    for (int o = 0; o < std::max(1, here_.offset(j)); ++o) {
      there_.set(j, o, here_.evaluate(j, o, h));
    }
    predicted_[static_cast<std::size_t>(j)] = there_.coefficient(j, 0);
  }
  if (const Status status = there_.make_consistent(); status != Status::Ok) return status;
  if (!crosses_breakpoint(t) && !is_continuous()) return Status::NotConverged;
  return there_.expand();
}

void FlatSolution::take_step(double t) {
  std::swap(here_, there_);
  t_ = t;
  ++num_steps_;
}

FlatSolution::Status FlatSolution::move_to(double t) {
  const double shortest = 1e-9 * std::max(end_ - t_, std::abs(t - t_));
  const auto& breaks = servo_.problem.breakpoints;
  while (t_ < t) {
    double to = is_short(t - t_) ? t : std::min(t, t_ + std::max(longest_step(), shortest));
    // The series knows nothing of what comes after a breakpoint; it is approached from below, so
    // that a jump is seen by itself.
    const auto next = std::upper_bound(breaks.begin(), breaks.end(), t_);
    if (next != breaks.end() && to >= *next) to = t_ < before(*next) ? before(*next) : *next;
    std::optional<MotionJump> found;
    for (;;) {
      const Status status = try_step(to);
      found.reset();
      if (status == Status::Ok && watches_jumps_) found = find_jump(to);
      if (status == Status::Ok && !found) break;
      const double h = 0.5 * (to - t_);
      if (h < shortest && status != Status::Ok) return status;
      if (h < shortest) break;
      to = t_ + h;
    }
    const double h = to - t_;
    take_step(to);
    if (found) {
      if (!is_noise(*found, h)) jump_ = found;
      watches_jumps_ = false;  // one is enough, and what round-off makes is none
    }
  }
  return Status::Ok;
}

void FlatSolution::get(std::span<double> y) const {
  const auto& places = system_.terms().y;
  for (std::size_t i = 0; i < places.size(); ++i) y[i] = value(places[i]);
}

int FlatSolution::num_input_coefficients() const { return here_.last_stage() + 1; }

double FlatSolution::input_coefficient(int i, int k) const {
  const auto& places = system_.terms().y;
  const auto first = places.size() - static_cast<std::size_t>(servo_.problem.num_u);
  return here_.coefficient(places[first + static_cast<std::size_t>(i)].unknown, k);
}

double FlatSolution::value(const SeriesTerms::Place& place) const {
  if (place.unknown < 0) return 0;
  return factorial(place.order) * here_.coefficient(place.unknown, place.order);
}

DaePoint FlatSolution::point() const {
  DaePoint out;
  out.t = nudged(t_);
  out.given = system_.terms().given;
  for (int j = 0; j < here_.num_unknowns(); ++j) {
    auto& values = out.unknowns.emplace_back();
    const std::size_t count = servo_.dae.unknowns[static_cast<std::size_t>(j)].derivative.size();
    for (int l = 0; l < static_cast<int>(count); ++l) {
      values.push_back(factorial(l) * here_.coefficient(j, l));
    }
  }
  return out;
}

}  // namespace koppel
