#include <koppel/study/jump_map.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/jumps.hpp>
#include <koppel/study/differences.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

// The parts of (y, p) as a state has them.
class JumpParts {
 public:
  JumpParts(const Equations& e, std::size_t num_y)
      : q_(e.num_q()), v_(e.num_v()), x_(e.x.size()), p_(e.p.size()), num_y_(num_y) {}

  State state(double t, std::span<const double> Y) const {
    const auto part = [&](std::size_t first, std::size_t count) {
      const std::span<const double> values = Y.subspan(first, count);
      return std::vector<double>(values.begin(), values.end());
    };
    return {t,
            part(0, q_),
            part(q_, v_),
            part(q_ + v_, x_),
            part(num_y_ + p_, Y.size() - num_y_ - p_),
            part(num_y_, p_)};
  }
  void put(const State& state, std::span<double> Y) const {
    std::copy(state.q.begin(), state.q.end(), Y.begin());
    std::copy(state.v.begin(), state.v.end(), Y.begin() + static_cast<std::ptrdiff_t>(q_));
    std::copy(state.x.begin(), state.x.end(), Y.begin() + static_cast<std::ptrdiff_t>(q_ + v_));
    std::copy(state.p.begin(), state.p.end(), Y.begin() + static_cast<std::ptrdiff_t>(num_y_));
  }

 private:
  std::size_t q_, v_, x_, p_, num_y_;
};

std::vector<double> joined(std::span<const double> a, std::span<const double> b) {
  std::vector<double> out(a.begin(), a.end());
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

constexpr double kDifference = 1e-3;

}  // namespace

bool differ(std::span<const double> a, std::span<const double> b, double round_off) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max({size, std::abs(a[i]), std::abs(b[i])});
  }
  return most > round_off * size;
}

Passage::Passage(const Evaluator& evaluator, std::size_t event, double t, std::span<const double> y,
                 std::span<const double> given)
    : t_(t), num_y_(y.size()) {
  const Equations& e = evaluator.equations;
  const int number = static_cast<int>(event);
  name_ = names_of(e.events, {&number, 1});
  subject_ = e.events[event].name;
  const JumpParts parts(e, y.size());
  const Exprs by = gradient(e.events[event].when, join({e.q, e.v, e.x, e.p, {e.t}}));
  const std::vector<double> slopes = VectorFunction(e, by)(parts.state(t, joined(y, given)));
  const std::size_t num_states = e.num_q() + e.num_v() + e.x.size();
  by_.assign(y.size() + given.size(), 0.0);
  for (std::size_t i = 0; i < num_states; ++i) by_[i] = slopes[i];
  for (std::size_t i = 0; i < e.p.size(); ++i) by_[y.size() + i] = slopes[num_states + i];
  by_t_ = slopes.back();
}

double Passage::steepness() const {
  double sum = 0;
  for (std::size_t i = 0; i < num_y_; ++i) sum += std::abs(by_[i]);
  return sum;
}

double Passage::rate(std::span<const double> y_rate) const {
  double sum = by_t_;
  for (std::size_t i = 0; i < y_rate.size(); ++i) sum += by_[i] * y_rate[i];
  return sum;
}

std::vector<double> Passage::time(std::span<const double> y_rate) const {
  const double passing = rate(y_rate);
  if (!(std::abs(passing) > 0)) {
    throw Error("study.grazing",
                fmt::format("at t = {:.6g} s {} only touches zero: what follows has no derivative.",
                            t_, name_))
        .about(subject_);
  }
  std::vector<double> out = by_;
  for (double& x : out) x /= -passing;
  return out;
}

JumpMap::JumpMap(const Rates& rates, const Evaluator& evaluator, const Happening& what)
    : size_(what.before.size() + what.given_before.size()), num_y_(what.before.size()) {
  const Equations& e = evaluator.equations;
  const std::size_t num_y = num_y_;
  const JumpParts parts(e, num_y);
  const std::vector<double> Y = joined(what.before, what.given_before);
  std::vector<double> before(size_, 0.0), after(size_, 0.0);
  if (what.rates_before.empty()) {
    rates(what.t, what.before, what.given_before, std::span(before).first(num_y));
  } else {
    std::copy(what.rates_before.begin(), what.rates_before.end(), before.begin());
  }
  if (!what.ends) {
    rates(what.t, what.after, what.given_after, std::span(after).first(num_y));
  }
  rates_before_.assign(before.begin(), before.begin() + static_cast<std::ptrdiff_t>(num_y));
  rates_after_.assign(after.begin(), after.begin() + static_cast<std::ptrdiff_t>(num_y));

  const auto passage_of = [&](int event) {
    return Passage(evaluator, static_cast<std::size_t>(event), what.t, what.before,
                   what.given_before);
  };
  time_ = passage_of(what.events[0]).time(rates_before_);
  for (const int event : what.events.subspan(1)) {
    const Passage other = passage_of(event);
    if (other.rate(rates_before_) == 0) continue;  // it happens whenever the first does
    apart_.push_back({event, other.time(rates_before_)});
    for (std::size_t j = 0; j < size_; ++j) apart_.back().by[j] -= time_[j];
  }

  std::optional<std::string> problem;
  const auto happened = [&](double t, const std::vector<double>& at) {
    State state = parts.state(t, at);
    std::vector<double> out = at;
    if (what.ends) return out;
    problem = happen(what.events, what.sides, evaluator, state);
    if (problem) return std::vector<double>{};  // as where a mass is below zero
    parts.put(state, out);
    return out;
  };
  const auto slope_of = [&](auto&& f, double h) {
    std::vector<double> out = slope(f, h);
    if (!out.empty()) return out;
    throw Error("study.jump", fmt::format("beside the motion {}.", *problem));
  };
  J_.assign(size_ * size_, 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    const auto column = J_.begin() + static_cast<std::ptrdiff_t>(j * size_);
    if (what.ends) {
      column[static_cast<std::ptrdiff_t>(j)] = 1;
      continue;
    }
    const std::vector<double> R = slope_of(
        [&](double s) {
          std::vector<double> at = Y;
          at[j] += s;
          return happened(what.t, at);
        },
        kDifference * std::max(1.0, std::abs(Y[j])));
    std::copy(R.begin(), R.end(), column);
  }
  // R_Y Φ⁻ + R_t − Φ⁺.
  std::vector<double> lag =
      slope_of([&](double s) { return happened(what.t + s, Y); }, kDifference);
  for (std::size_t i = 0; i < size_; ++i) lag[i] -= after[i];
  for (std::size_t j = 0; j < size_; ++j) {
    for (std::size_t i = 0; i < size_; ++i) lag[i] += J_[j * size_ + i] * before[j];
  }
  for (std::size_t j = 0; j < size_; ++j) {
    for (std::size_t i = 0; i < size_; ++i) J_[j * size_ + i] += lag[i] * time_[j];
  }
}

JumpMap::JumpMap(std::span<const double> rates_before, std::span<const double> rates_after,
                 std::span<const double> time)
    : size_(time.size()),
      num_y_(rates_before.size()),
      time_(time.begin(), time.end()),
      rates_before_(rates_before.begin(), rates_before.end()),
      rates_after_(rates_after.begin(), rates_after.end()) {}

void JumpMap::project(const ProjectionMap& onto, ProjectionMap::Workspace& there,
                      const Equations& e) {
  const std::size_t num_q = e.num_q(), num_v = e.num_v(), num_motion = num_q + num_v + e.x.size();
  for (std::size_t j = 0; j < size_; ++j) {
    const std::span<double> column = std::span(J_).subspan(j * size_, size_);
    const std::span<double> carried = column.subspan(num_motion, num_y_ - num_motion);
    std::fill(carried.begin(), carried.end(), 0.0);
    onto.tangent(column.first(num_q), column.subspan(num_q, num_v), column.subspan(num_y_), there);
  }
}

bool JumpMap::changes_rates() const { return differ(rates_before_, rates_after_); }

void JumpMap::tangent(std::span<double> dy, std::span<double> dgiven) const {
  if (J_.empty()) {
    double change = 0;
    for (std::size_t i = 0; i < dy.size(); ++i) change += time_[i] * dy[i];
    for (std::size_t i = 0; i < dgiven.size(); ++i) change += time_[dy.size() + i] * dgiven[i];
    for (std::size_t i = 0; i < dy.size(); ++i) {
      dy[i] += (rates_before_[i] - rates_after_[i]) * change;
    }
    return;
  }
  const std::vector<double> before = joined(dy, dgiven);
  std::fill(dy.begin(), dy.end(), 0.0);
  std::fill(dgiven.begin(), dgiven.end(), 0.0);
  for (std::size_t j = 0; j < size_; ++j) {
    const double* column = &J_[j * size_];
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] += column[i] * before[j];
    for (std::size_t i = 0; i < dgiven.size(); ++i) {
      dgiven[i] += column[dy.size() + i] * before[j];
    }
  }
}

void JumpMap::adjoint(std::span<double> w, std::span<double> w_given) const {
  if (J_.empty()) {
    double of_time = 0;
    for (std::size_t i = 0; i < w.size(); ++i) {
      of_time += (rates_before_[i] - rates_after_[i]) * w[i];
    }
    for (std::size_t i = 0; i < w.size(); ++i) w[i] += time_[i] * of_time;
    for (std::size_t i = 0; i < w_given.size(); ++i) w_given[i] += time_[w.size() + i] * of_time;
    return;
  }
  const std::vector<double> after = joined(w, w_given);
  for (std::size_t j = 0; j < size_; ++j) {
    const double* column = &J_[j * size_];
    double sum = 0;
    for (std::size_t i = 0; i < size_; ++i) sum += column[i] * after[i];
    (j < w.size() ? w[j] : w_given[j - w.size()]) = sum;
  }
}

void check_jumps(const Model& model, const Equations& e, const State& state, double end) {
  const std::vector<Jump> jumps = find_jumps(model, e.p, state.p, {state.t, end});
  if (jumps.empty()) return;
  const Jump& first = jumps.front();
  throw Error(
      "study.jump",
      fmt::format("the {} that '{}' prescribes jumps by {:.6g} at t = {:.6g} s: there are no "
                  "derivatives across it.",
                  first.is_position ? "position" : "rate", first.name, first.size,
                  time_to_tell(first.t)),
      "Use a smooth course, or end the run before.")
      .about(first.name);
}

}  // namespace koppel
