#include <koppel/study/switch_watch.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/expr/graph/traverse.hpp>
#include <koppel/integrate/dip.hpp>
#include <koppel/study/observed.hpp>

namespace koppel {

// Long steps of series may hold several swings.
MissedSwitches::MissedSwitches(const Equations& e, const Integrator& integrator)
    : num_parts_(integrator.is_series() ? 32 : 8) {
  std::vector<Expr> arguments;
  for (const Equations::Event& event : e.events) {
    if (!event.is_switch || event.changes.empty()) continue;
    modes_.push_back(event.changes[0].first);
    arguments.push_back(event.when);
  }
  if (!arguments.empty()) values_.emplace(e, arguments);
}

std::optional<double> MissedSwitches::look(const Step& step, const At& at) const {
  // Switches that wait for others happen some roundings later.
  constexpr double kShort = 64 * std::numeric_limits<double>::epsilon();
  if (!values_ || !(step.t1 - step.t0 > kShort * std::abs(step.t1))) return {};
  const auto n = static_cast<std::size_t>(num_parts_);
  const auto time = [&](std::size_t i) {
    return i == n ? step.t1 : step.t0 + (step.t1 - step.t0) / num_parts_ * static_cast<double>(i);
  };
  // Distances from the other side.
  const auto distances = [&](double t) {
    const State state = at(t);
    std::vector<double> values = (*values_)(state);
    for (std::size_t k = 0; k < values.size(); ++k) values[k] *= state.p[modes_[k]];
    return values;
  };
  std::vector<std::vector<double>> samples;
  for (std::size_t i = 0; i <= n; ++i) samples.push_back(distances(time(i)));
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    // Round-off of an argument that begins or ends at zero.
    constexpr double kRoundOff = 1e-10;
    double size = 0;
    for (const std::vector<double>& sample : samples) size = std::max(size, std::abs(sample[k]));
    const double beyond = -kRoundOff * size;
    const auto above = [&](const std::vector<double>& sample) { return sample[k] - beyond; };
    for (std::size_t i = 1; i < n; ++i) {
      const double a = above(samples[i - 1]), b = above(samples[i]), c = above(samples[i + 1]);
      if (b < 0) return time(i);
      if (!(b <= a && b <= c)) continue;
      const std::optional<double> dip = find_dip({time(i - 1), time(i), time(i + 1), a, b, c},
                                                 [&](double t) { return above(distances(t)); });
      if (dip) return dip;
    }
  }
  return {};
}

CutAngles::CutAngles(const Shared<Equations>& equations, const State& start) {
  Postorder order(*equations->graph);
  for (const auto* part : {&equations->f, &equations->r}) order.visit(*part);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (!order[i].is(Op::Atan2)) continue;
    evaluator_ = std::make_unique<const Evaluator>(equations);
    jumps_.emplace(*evaluator_, start);
    return;
  }
}

void CutAngles::note(const Step& step, const Problem& problem, std::span<const double> p) {
  if (jumps_) jumps_->note(step, problem, p);
}

std::string CutAngles::text() const {
  return jumps_ && jumps_->found() ? jumps_->found()->text : std::string();
}

PassedJump::PassedJump(const Prepared& prepared) : state_(prepared.state) {
  const SwitchEvents switches(prepared.equations, {});
  if (switches.num_modes() > 0) sides_.emplace(switches, prepared.independent);
}

// Along the line between the ends of a step.
void PassedJump::note(const Step& step, std::span<const double> y0, std::span<const double> y1) {
  if (!sides_ || t_) return;
  const auto at = [&](double s) {
    State state = state_;
    state.t = step.t0 + s * (step.t1 - step.t0);
    std::vector<double> y(motion_of(state_).size());
    for (std::size_t i = 0; i < y.size(); ++i) y[i] = y0[i] + s * (y1[i] - y0[i]);
    put_motion(y, state);
    sides_->settle(state);
    return state;
  };
  State before = at(0), after = at(1);
  if (before.p == after.p) return;
  double low = 0, high = 1;
  while (true) {
    const double middle = 0.5 * (low + high);
    if (!(low < middle && middle < high)) break;
    State between = at(middle);
    if (between.p == before.p) {
      low = middle;
    } else {
      high = middle;
      after = std::move(between);
    }
  }
  before = after;
  before.p = at(low).p;
  if (differ(rates_at(sides_->pieces(), before), rates_at(sides_->pieces(), after))) t_ = after.t;
}

std::string PassedJump::text() const {
  if (!t_) return {};
  return fmt::format(
      "at t = {:.6g} s a law jumps because of where the motion is: fixed-cost steps leave out what "
      "the time of the jump does to derivatives. `integrator = dop853` goes through it exactly.",
      *t_);
}

}  // namespace koppel
