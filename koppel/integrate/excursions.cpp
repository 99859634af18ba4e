#include <koppel/integrate/excursions.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/integrate/dip.hpp>

namespace koppel {

Excursions::Excursions(const Problem& problem, int num_parts, bool by_cubic)
    : functions_(*problem.switches),
      work_(functions_.make_workspace()),
      num_sharp_(problem.num_sharp_switches),
      num_parts_(num_parts),
      by_cubic_(by_cubic),
      y_(static_cast<std::size_t>(problem.size())),
      values_(functions_.size()),
      largest_(functions_.size()),
      samples_(static_cast<std::size_t>(num_parts) + 3) {
  for (auto& end : ends_) end.resize(y_.size());
}

std::span<const double> Excursions::evaluate(double t, std::span<const double> y) {
  functions_.evaluate(t, y, values_, work_);
  return values_;
}

// Rates by differences so short that what the dense output does further inside is not in them.
void Excursions::fit_cubic(const Step& step) {
  constexpr double kShort = 1e-8;
  auto& [y0, rate0, y1, rate1] = ends_;
  const double h = step.t1 - step.t0;
  step.evaluate(step.t0, y0);
  step.evaluate(step.t0 + kShort * h, rate0);
  step.evaluate(step.t1, y1);
  step.evaluate(step.t1 - kShort * h, rate1);
  for (std::size_t i = 0; i < y0.size(); ++i) {
    rate0[i] = (rate0[i] - y0[i]) / kShort;
    rate1[i] = (y1[i] - rate1[i]) / kShort;
  }
}

// With x = (t − t0)/h, w = 1 − x, Δ = y1 − y0:  y0 + x(Δ + w(w (hẏ0 − Δ) + x (Δ − hẏ1))).
std::span<const double> Excursions::cubic(const Step& step, double t) {
  const auto& [y0, rate0, y1, rate1] = ends_;
  const double x = (t - step.t0) / (step.t1 - step.t0), w = 1 - x;
  for (std::size_t i = 0; i < y_.size(); ++i) {
    const double change = y1[i] - y0[i];
    y_[i] = y0[i] + x * (change + w * (w * (rate0[i] - change) + x * (change - rate1[i])));
  }
  return y_;
}

std::optional<Excursions::Found> Excursions::look(const Step& step) {
  // Nothing is taken again that the clock hardly resolves: it might never end.
  constexpr double kResolved = 1e-12;
  if (!(step.t1 - step.t0 > kResolved * std::abs(step.t1))) return {};
  if (by_cubic_) {
    fit_cubic(step);
    const auto way = [&](double t) { return cubic(step, t); };
    if (const auto found = look_along(way, step.t0, step.t1)) return found;
  }
  const auto way = [&](double t) -> std::span<const double> {
    step.evaluate(t, y_);
    return y_;
  };
  return look_along(way, step.t0, step.t1);
}

std::optional<Excursions::Found> Excursions::look_along(const Way& way, double t0, double t1) {
  // Shortly behind the beginning and before the end the slopes there are seen.
  constexpr double kNear = 1e-3;
  // A motion that stays at a switch, as where friction by sign(v) sticks, is about it all the time.
  // Where smooth laws begin to change, at |u| = 10 of tanh u, a little does not matter.
  constexpr double kAway = 1e-6, kLittle = 1e-3;
  const double part = (t1 - t0) / num_parts_;
  times_.assign({t0, t0 + kNear * part});
  for (int k = 1; k < num_parts_; ++k) times_.push_back(t0 + part * k);
  times_.insert(times_.end(), {t1 - kNear * part, t1});
  for (std::size_t k = 0; k < times_.size(); ++k) {
    const std::span<const double> values = evaluate(times_[k], way(times_[k]));
    samples_[k].assign(values.begin(), values.end());
  }
  for (std::size_t i = 0; i < largest_.size(); ++i) {
    for (const auto& sample : samples_) largest_[i] = std::max(largest_[i], std::abs(sample[i]));
    const double first = samples_.front()[i], last = samples_.back()[i];
    const double away = i < num_sharp_ ? kAway * largest_[i] : kLittle;
    if (!(std::min(std::abs(first), std::abs(last)) > away) || (first > 0) != (last > 0)) continue;
    const double side = first > 0 ? 1 : -1;
    const auto distance = [&](double t) { return side * evaluate(t, way(t))[i] + away; };
    for (std::size_t k = 1; k + 1 < times_.size(); ++k) {
      const double before = side * samples_[k - 1][i], here = side * samples_[k][i],
                   after = side * samples_[k + 1][i];
      if (here < -away) return Found{times_[k], i};
      if (!(here <= before && here <= after)) continue;
      const Bracket bracket{times_[k - 1], times_[k],   times_[k + 1],
                            before + away, here + away, after + away};
      if (const auto t = find_dip(bracket, distance)) return Found{*t, i};
    }
  }
  return {};
}

}  // namespace koppel
