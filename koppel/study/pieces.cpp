#include <koppel/study/pieces.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/breakpoints.hpp>
#include <koppel/formulation/linear_rates.hpp>
#include <koppel/simulate/happen.hpp>
#include <koppel/simulate/preparation.hpp>
#include <koppel/simulate/start_remarks.hpp>
#include <koppel/study/observed.hpp>

namespace koppel {
namespace {

int sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

double largest_of(std::span<const double> values) {
  double most = 0;
  for (const double x : values) most = std::max(most, std::abs(x));
  return most;
}

std::vector<Expr> first_of(std::vector<Expr> list, std::size_t count) {
  list.resize(count);
  return list;
}

}  // namespace

std::vector<double> rates_at(const Shared<Equations>& e, const State& state) {
  const RightHandSideTerms terms = make_linear_rates(e, state);
  const SolvedFunction rates(terms, rates_of(terms));
  SolvedFunction::Workspace work = rates.make_workspace();
  std::vector<double> out(rates.size());
  rates.evaluate(state.t, motion_of(state), given_of(state), out, work);
  return out;
}

Sides::Sides(const SwitchEvents& switches, const Shared<Equations>& plain)
    : plain_(plain),
      pieces_(switches.apply(plain)),
      arguments_(first_of(switches.arguments(), switches.num_modes())),
      values_(pieces_, arguments_),
      first_(plain->p.size()) {}

std::vector<double> Sides::settle(State& at) const {
  const std::size_t count = arguments_.size();
  at.p.resize(first_ + count, 1.0);
  std::vector<double> values;
  // Arguments may depend on sides, of which those within come first.
  for (std::size_t round = 0; round <= count; ++round) {
    values = values_(at);
    bool is_settled = true;
    for (std::size_t k = 0; k < count; ++k) {
      const double side = values[k] < 0 ? -1 : 1;
      is_settled = is_settled && at.p[first_ + k] == side;
      at.p[first_ + k] = side;
    }
    if (is_settled) break;
  }
  return values;
}

void Sides::find_start(State& start, double duration) const {
  constexpr double kZero = 1e-12, kAhead = 1e-5;
  State ahead = start;  // by the midpoint rule, with the laws as they are
  const std::vector<double> here = settle(start);
  const double size = std::max(1.0, largest_of(motion_of(start)));
  std::vector<std::size_t> open;
  for (std::size_t k = 0; k < here.size(); ++k) {
    if (std::abs(here[k]) <= kZero * size) open.push_back(k);
  }
  if (open.empty()) return;
  const std::vector<double> y0 = motion_of(start);
  for (const double h : {0.5 * kAhead * duration, kAhead * duration}) {
    const std::vector<double> rates = rates_at(plain_, ahead);
    std::vector<double> y = y0;
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += h * rates[i];
    put_motion(y, ahead);
    ahead.t = start.t + h;
  }
  const std::vector<double> there = settle(ahead);
  for (const std::size_t k : open) {
    const double change = there[k] - here[k];
    if (std::abs(change) > 4 * std::numeric_limits<double>::epsilon() * size) {
      start.p[first_ + k] = sign(change);
    } else {
      start.p[first_ + k] = is_corner(k, start) ? 1 : 0;
    }
  }
}

bool Sides::is_corner(std::size_t k, State at) const {
  at.p[first_ + k] = -1;
  const std::vector<double> before = rates_at(pieces_, at);
  at.p[first_ + k] = 1;
  return !differ(before, rates_at(pieces_, at));
}

namespace {

// Outputs may switch at times that no law knows.
void add_breakpoints_of(std::span<const Expr> observed, double end, Prepared& prepared) {
  const Equations& e = prepared.equations;
  std::vector<Expr> given = e.p;
  given.insert(given.end(), e.u.begin(), e.u.end());
  std::vector<double>& breaks = prepared.problem.breakpoints;
  const std::vector<double> more =
      find_breakpoints(observed, e.t, given, given_of(prepared.state), {prepared.state.t, end});
  breaks.insert(breaks.end(), more.begin(), more.end());
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
}

}  // namespace

Prepared in_pieces(Prepared prepared, const SimulateOptions& run,
                   std::span<const std::string> outputs) {
  if (prepared.choice.integrator.is_fixed_cost()) return prepared;
  const std::vector<Expr> observed = named_outputs(prepared.equations, outputs);
  add_breakpoints_of(observed, run.end, prepared);
  const SwitchEvents switches(prepared.equations, observed);
  if (switches.is_empty()) return prepared;
  const Shared<Equations> plain = prepared.independent;
  prepared.equations = switches.apply(prepared.equations);
  prepared.independent = switches.apply(prepared.independent);
  Sides(switches, plain).find_start(prepared.state, run.end - prepared.state.t);
  std::vector<double> breaks = std::move(prepared.problem.breakpoints);
  prepared.problem = formulate(prepared.independent, prepared.choice.formulation, prepared.state,
                               formulation_options(run));
  prepared.problem.breakpoints = std::move(breaks);
  return prepared;
}

std::vector<int> start_sides(const Evaluator& evaluator, const State& start) {
  std::vector<int> sides = find_sides(evaluator, start).sides;
  const std::vector<Equations::Event>& events = evaluator.equations->events;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (!events[i].is_switch || events[i].changes.empty()) continue;
    sides[i] = sign(start.p[events[i].changes[0].first]);
  }
  return sides;
}

std::vector<int> take_next(std::span<const Equations::Event> events, std::span<int> sides) {
  const std::vector<int> happened = take_happened(sides);
  std::vector<int> out;
  const auto is_switch = [&](int event) {
    return events[static_cast<std::size_t>(event)].is_switch;
  };
  std::copy_if(happened.begin(), happened.end(), std::back_inserter(out),
               [&](int event) { return !is_switch(event); });
  if (out.empty()) out.push_back(happened[0]);
  for (const int event : happened) {
    if (is_switch(event) && event != out[0]) sides[static_cast<std::size_t>(event)] *= -1;
  }
  return out;
}

namespace {

// Whether one after the other comes to the same, and none changes what the next ones wait for.
bool are_independent(std::span<const int> events, std::span<const int> sides,
                     const Evaluator& evaluator, const State& before) {
  constexpr double kRoundOff = 1e-9;
  State together = before, in_turn = before;
  if (happen(events, sides, evaluator, together)) return false;
  const std::vector<double> waiting = event_values(evaluator, before);
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (happen(events.subspan(i, 1), sides, evaluator, in_turn)) return false;
    const std::vector<double> now = event_values(evaluator, in_turn);
    for (const int event : events.subspan(i + 1)) {
      const auto k = static_cast<std::size_t>(event);
      if (!(std::abs(now[k] - waiting[k]) <= kRoundOff)) return false;
    }
  }
  return !differ(together.v, in_turn.v, kRoundOff) && !differ(together.p, in_turn.p, kRoundOff);
}

}  // namespace

std::vector<std::vector<int>> in_turn(std::vector<int> events, std::span<const int> sides,
                                      const Evaluator& evaluator, const State& before) {
  const std::vector<Equations::Event>& all = evaluator.equations->events;
  const auto stop = std::find_if(events.begin(), events.end(), [&](int event) {
    return all[static_cast<std::size_t>(event)].stops;
  });
  if (stop != events.end()) {
    std::rotate(events.begin(), stop, stop + 1);
    return {std::move(events)};
  }
  if (events.size() == 1 || !are_independent(events, sides, evaluator, before)) {
    return {std::move(events)};
  }
  std::vector<std::vector<int>> out;
  for (const int event : events) out.push_back({event});
  return out;
}

namespace {

// Round-off of an argument whose slopes are these, at a state of this size; exact zeros are found
// by projections and events to a thousand times that of numbers.
double round_off_of(const Passage& passage, std::span<const double> y) {
  return 1e-12 * passage.steepness() * std::max(largest_of(y), 1e-3);
}

}  // namespace

void follow_jumps(const JumpMap::Rates& rates, const Evaluator& evaluator, double clock,
                  State& state, std::span<int> sides) {
  const std::vector<Equations::Event>& events = evaluator.equations->events;
  const double t = state.t;
  state.t = clock;
  const std::vector<double> y = motion_of(state);
  for (std::size_t round = 0; round <= events.size(); ++round) {
    const std::vector<double> values = event_values(evaluator, state);
    bool is_settled = true;
    const auto set = [&](std::size_t k, int side) {
      is_settled = false;
      sides[k] = side;
      state.p[events[k].changes[0].first] = side;
    };
    for (std::size_t k = 0; k < events.size(); ++k) {
      if (!events[k].is_switch || events[k].changes.empty()) continue;
      const int side = static_cast<int>(state.p[events[k].changes[0].first]);
      if (values[k] != 0 && sign(values[k]) == side) continue;
      const Passage passage(evaluator, k, clock, y, given_of(state));
      if (std::abs(values[k]) > round_off_of(passage, y)) {
        set(k, sign(values[k]));
        continue;
      }
      std::vector<double> y_rate(y.size());
      rates(clock, y, given_of(state), y_rate);
      const double rate = passage.rate(y_rate);
      const bool stays = std::abs(rate) <= round_off_of(passage, y_rate);
      if (!stays && side == 0) set(k, sign(rate));
      if (!stays || side == 0) continue;
      // At a corner either side will do.
      std::vector<double> at_zero(y.size());
      State zero = state;
      zero.p[events[k].changes[0].first] = 0;
      rates(clock, y, given_of(zero), at_zero);
      if (differ(y_rate, at_zero)) set(k, 0);
    }
    if (is_settled) break;
  }
  state.t = t;
}

std::optional<std::string> what_left_zero(const Evaluator& evaluator, const State& state) {
  const std::vector<Equations::Event>& events = evaluator.equations->events;
  const bool is_any = std::any_of(events.begin(), events.end(), [&](const Equations::Event& event) {
    return event.is_switch && !event.changes.empty() && state.p[event.changes[0].first] == 0;
  });
  if (!is_any) return {};
  const std::vector<double> values = event_values(evaluator, state), y = motion_of(state);
  for (std::size_t k = 0; k < events.size(); ++k) {
    if (!events[k].is_switch || events[k].changes.empty()) continue;
    if (state.p[events[k].changes[0].first] != 0 || values[k] == 0) continue;
    const Passage passage(evaluator, k, state.t, y, given_of(state));
    if (std::abs(values[k]) > 1e3 * round_off_of(passage, y)) {
      return fmt::format(
          "at t = {:.6g} s the motion leaves a place where '{}' was zero for a time: "
          "there are no derivatives.",
          state.t, events[k].name);
    }
  }
  return {};
}

JumpMap pass_switch(const JumpMap::Rates& rates, const Evaluator& evaluator,
                    const JumpMap::Happening& what) {
  const Equations& e = evaluator.equations;
  const auto number = static_cast<std::size_t>(what.events[0]);
  const Passage passage(evaluator, number, what.t, what.before, what.given_before);
  std::vector<double> before(what.before.size()), after(before.size());
  rates(what.t, what.after, what.given_after, after);
  if (e.events[number].changes.empty()) {
    // The piece before is that of the states before: as they come near, Φ⁻ = 2 Φ(−a) − Φ(−2a).
    constexpr double kAway = 1e-9;
    const double away = kAway * std::max(1.0, std::abs(what.t));
    std::vector<double> further(before.size());
    const auto find = [&](double ago, std::span<double> out) {
      std::vector<double> y(what.before.begin(), what.before.end());
      for (std::size_t i = 0; i < y.size(); ++i) y[i] -= ago * after[i];
      rates(what.t - ago, y, what.given_before, out);
    };
    find(away, before);
    find(2 * away, further);
    for (std::size_t i = 0; i < before.size(); ++i) before[i] = 2 * before[i] - further[i];
  } else {
    rates(what.t, what.after, what.given_before, before);  // both on the constraints
  }
  constexpr double kRoundOff = 1e-9;
  const double towards = passage.rate(before), leading = passage.rate(after);
  const bool is_corner = !differ(before, after, e.events[number].changes.empty() ? 1e-6 : 1e-9);
  if (!is_corner && leading * what.sides[number] < -kRoundOff * std::abs(towards)) {
    throw Error("study.stays",
                fmt::format("at t = {:.6g} s the motion comes to stay where '{}' is zero: the laws "
                            "on both sides lead back to it, and there are no derivatives.",
                            what.t, e.events[number].name),
                "Use a smooth law, such as that of the force element friction.")
        .about(e.events[number].name);
  }
  if (is_corner && towards == 0) {
    return JumpMap(before, after, std::vector<double>(passage.size(), 0.0));
  }
  return JumpMap(before, after, passage.time(before));
}

}  // namespace koppel
