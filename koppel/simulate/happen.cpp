#include <koppel/simulate/happen.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <koppel/analysis/motion/impulse.hpp>
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
  constexpr double kRoundOff = 1e-9;
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
  const std::vector<double> before = evaluator.g(state);
  for (const Change& change : changes) state.p[change.place] = change.value;
  if (auto problem = find_gap(evaluator, state, before)) {
    return fmt::format(
        "{} changed what '{}' holds, which is off by {:.6g} now; a position cannot "
        "jump",
        names_of(e.events, events), problem->name, problem->size);
  }
  if (e.num_rows() > 0) state.v = velocities_after_jump(evaluator, state);
  return {};
}

}  // namespace koppel
