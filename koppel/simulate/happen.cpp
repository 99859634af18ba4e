#include <koppel/simulate/happen.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/motion/impulse.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/simulate/table_ends.hpp>

namespace koppel {

std::string names_of(std::span<const Equations::Event> all, std::span<const int> events) {
  std::string names;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const char* between = i == 0 ? "" : i + 1 == events.size() ? " and " : ", ";
    names += fmt::format("{}'{}'", between, all[static_cast<std::size_t>(events[i])].name);
  }
  return (events.size() == 1 ? "event " : "events ") + names;
}

std::vector<int> take_happened(std::span<int> sides) {
  std::vector<int> out;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i] != 2 && sides[i] != -2) continue;
    sides[i] /= 2;
    out.push_back(static_cast<int>(i));
  }
  return out;
}

namespace {

constexpr double kRoundOff = 1e-9;  // of positions, and of velocities

struct Change {
  std::size_t place;
  double value;
};

// The parameters' new values; a sentence where two events do not agree about one.
std::optional<std::string> collect(const Equations& e, std::span<const int> events,
                                   const State& state, std::vector<Change>& out) {
  for (const int event : events) {
    for (const auto& [place, expression] : e.events[static_cast<std::size_t>(event)].changes) {
      const std::vector<Expr> value = {expression};
      const Change change{place, VectorFunction(e, value)(state)[0]};
      if (!std::isfinite(change.value)) {
        const std::string table = table_that_ends(e, expression);
        return fmt::format(
            "event '{}' sets '{}' to a value that is not finite{}",
            e.events[static_cast<std::size_t>(event)].name, e.p[place].name(),
            table.empty() ? "" : fmt::format(": table '{}' has `outside: error`", table));
      }
      for (const Change& other : out) {
        if (other.place != place || other.value == change.value) continue;
        return fmt::format("{} happen together and set '{}' to {} and to {}",
                           names_of(e.events, events), e.p[place].name(), other.value,
                           change.value);
      }
      out.push_back(change);
    }
  }
  return {};
}

// A constraint that changed of itself, the positions being as they were.
struct Gap {
  std::string name;
  double size;
};
std::optional<Gap> find_gap(const Evaluator& evaluator, const State& state,
                            const std::vector<double>& before) {
  const std::vector<double> after = evaluator.g(state);
  double size = 1;
  for (const double q : state.q) size = std::max(size, std::abs(q));
  for (std::size_t i = 0; i < after.size(); ++i) {
    const double gap = after[i] - before[i];
    if (!(std::abs(gap) <= kRoundOff * size)) {
      return Gap{evaluator.equations->rows[i].owner.name, gap};
    }
  }
  return {};
}

// Where the frames of all bodies are, and how they move: what new values of parameters may change
// where coordinates are those of joints.
struct Frames {
  std::vector<Expr> places, motions;
};
Frames frames_of(const Equations& e) {
  Frames out;
  if (e.kinematics == nullptr) return out;
  const auto add = [](std::vector<Expr>& to, const Vec3e& v) {
    to.insert(to.end(), {v.x, v.y, v.z});
  };
  for (const BodyFrame& frame : e.kinematics->bodies) {
    add(out.places, frame.r);
    for (const Vec3e& axis : frame.R.column) add(out.places, axis);
  }
  out.motions = rate_of(e, out.places);
  return out;
}

// The largest change of these from one state to another.
double change_of(const Equations& e, std::span<const Expr> of, const State& from, const State& to) {
  const VectorFunction function(e, of);
  const std::vector<double> was = function(from), is = function(to);
  double largest = 0;
  for (std::size_t i = 0; i < was.size(); ++i) {
    largest = std::max(largest, std::abs(is[i] - was[i]));
  }
  return largest;
}

double size_of(std::span<const double> values) {
  double size = 1;
  for (const double value : values) size = std::max(size, std::abs(value));
  return size;
}

// After changes of parameters; velocities that no longer satisfy what holds now follow from
// impulses of joints and constraints. A sentence where a body would have to be elsewhere.
std::optional<std::string> follow_changes(const Evaluator& evaluator,
                                          std::span<const Change> changes, const State& before,
                                          State& state) {
  const Equations& e = evaluator.equations;
  std::vector<Expr> changed;
  for (const Change& change : changes) changed.push_back(e.p[change.place]);
  const Frames frames = frames_of(e);
  if (depends_on(frames.places, changed)) {
    const double way = change_of(e, frames.places, before, state);
    if (way > kRoundOff * size_of(state.q)) {
      return fmt::format("changed where bodies are, by {:.6g}; a position cannot jump", way);
    }
    if (change_of(e, frames.motions, before, state) > kRoundOff * size_of(state.v)) {
      state.v = velocities_after_change(evaluator, before, state);
      return {};
    }
  }
  if (e.num_rows() > 0) state.v = velocities_after_jump(evaluator, state);
  return {};
}

}  // namespace

std::optional<std::string> happen(std::span<const int> events, std::span<const int> sides,
                                  const Evaluator& evaluator, State& state) {
  const Equations& e = evaluator.equations;
  std::vector<Change> changes;
  if (auto problem = collect(e, events, state, changes)) return problem;
  std::vector<Expr> bounces, restitutions, impulse_rates, impulses;
  std::vector<int> bounce_sides;
  for (const int number : events) {
    const Equations::Event& event = e.events[static_cast<std::size_t>(number)];
    if (event.restitution) {
      bounces.push_back(event.when_rate);
      restitutions.push_back(*event.restitution);
      bounce_sides.push_back(sides[static_cast<std::size_t>(number)]);
    }
    impulse_rates.insert(impulse_rates.end(), event.impulse_rates.begin(),
                         event.impulse_rates.end());
    impulses.insert(impulses.end(), event.impulses.begin(), event.impulses.end());
  }
  const auto values = [&](const std::vector<Expr>& of) { return VectorFunction(e, of)(state); };
  const std::vector<double> restitution = values(restitutions), P = values(impulses);
  if (!bounces.empty()) {
    const auto after =
        velocities_after_impacts(evaluator, state, bounces, restitution, bounce_sides);
    if (!after) {
      return fmt::format("no motion that the constraints allow leads away from {}",
                         names_of(e.events, events));
    }
    state.v = *after;
  }
  if (!P.empty()) state.v = velocities_after_impulse(evaluator, state, impulse_rates, P);
  if (changes.empty()) return {};
  const State before = state;
  for (const Change& change : changes) state.p[change.place] = change.value;
  if (auto problem = find_gap(evaluator, state, evaluator.g(before))) {
    return fmt::format(
        "{} changed what '{}' holds, which is off by {:.6g} now; a position cannot "
        "jump",
        names_of(e.events, events), problem->name, problem->size);
  }
  if (auto problem = follow_changes(evaluator, changes, before, state)) {
    return fmt::format("{} {}", names_of(e.events, events), *problem);
  }
  return {};
}

}  // namespace koppel
