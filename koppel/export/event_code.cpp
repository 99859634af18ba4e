#include <koppel/export/event_code.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/equations/evaluator.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/code/emit_c.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

void append(Exprs& to, const Exprs& more) { to.insert(to.end(), more.begin(), more.end()); }

class EventWriter {
 public:
  EventWriter(const StepModel& model, const RateTerms& rates)
      : m_(model), rates_(rates), e_(model.prepared.equations) {}

  EventCode write(double end) {
    define("EVENTS", e_.events.size());
    out_.tables += fmt::format("#define EVENT_END {}\n", c_number(end));
    kinds();
    functions();
    effects();
    masses();
    define("EVENT_OUT", most_);
    return std::move(out_);
  }

 private:
  void define(const char* name, std::size_t value) {
    out_.tables += fmt::format("#define {} {}\n", name, value);
  }
  // C has no empty arrays.
  void list(const char* name, const std::vector<int>& values) {
    out_.tables += fmt::format("static const int {}[] = {{", name);
    for (const int value : values) out_.tables += std::to_string(value) + ", ";
    out_.tables += "0};\n";
  }
  void places(const char* name, const char* count, const std::vector<std::pair<int, int>>& at) {
    define(count, at.size());
    out_.tables += fmt::format("static const int {}[][2] = {{", name);
    for (const auto& [row, column] : at) out_.tables += fmt::format("{{{}, {}}}, ", row, column);
    out_.tables += "{0, 0}};\n";
  }
  static std::vector<std::pair<int, int>> places_of(const Sparsity& pattern, int first_row = 0) {
    std::vector<std::pair<int, int>> at;
    for (int j = 0; j < pattern.num_columns; ++j) {
      const auto column = static_cast<std::size_t>(j);
      for (int k = pattern.column_start[column]; k < pattern.column_start[column + 1]; ++k) {
        at.emplace_back(first_row + pattern.row[static_cast<std::size_t>(k)], j);
      }
    }
    return at;
  }
  void add(const char* name, const Exprs& values) {
    out_.functions.emplace_back(name, lower(m_.layout, share_reciprocals(values)));
    most_ = std::max(most_, values.size());
  }

  void kinds() {
    std::vector<int> directions, stops, impacts, has_impulse;
    for (const Equations::Event& event : e_.events) {
      directions.push_back(event.direction == EventDirection::Both      ? 0
                           : event.direction == EventDirection::Falling ? -1
                                                                        : 1);
      stops.push_back(event.stops);
      impacts.push_back(event.restitution.has_value());
      has_impulse.push_back(!event.impulses.empty());
    }
    list("event_directions", directions);
    list("event_stops", stops);
    list("event_impacts", impacts);
    list("event_has_impulse", has_impulse);
  }

  void functions() {
    Exprs when;
    for (const Equations::Event& event : e_.events) when.push_back(event.when);
    add("model_event_values", when);
    Exprs moving = e_.q, along = rates_.rate;
    append(moving, e_.v);
    append(moving, e_.x);
    moving.push_back(e_.t);
    along.emplace_back(1);
    add("model_event_rates", time_derivative(when, moving, along));
  }

  void effects() {
    Exprs rates, restitutions, changes;
    std::vector<int> change_of, change_place;
    const auto first = static_cast<int>(m_.layout.size() - e_.p.size());
    for (std::size_t i = 0; i < e_.events.size(); ++i) {
      const Equations::Event& event = e_.events[i];
      rates.push_back(event.restitution ? event.when_rate : Expr(0));
      restitutions.push_back(event.restitution.value_or(0));
      for (const auto& [place, value] : event.changes) {
        changes.push_back(value);
        change_of.push_back(static_cast<int>(i));
        change_place.push_back(first + static_cast<int>(place));
      }
    }
    define("EVENT_CHANGES", changes.size());
    list("event_change_of", change_of);
    list("event_change_place", change_place);
    const SparseExpr J = jacobian(rates, e_.v);
    places("event_rates_at", "EVENT_RATES_COUNT", places_of(J.pattern));
    Exprs values = rates;
    append(values, restitutions);
    append(values, changes);
    append(values, J.values);
    std::vector<std::pair<int, int>> at;
    for (std::size_t i = 0; i < e_.events.size(); ++i) {
      const Equations::Event& event = e_.events[i];
      const Exprs force = vector_times_jacobian(event.impulses, event.impulse_rates, e_.v);
      for (std::size_t j = 0; j < force.size(); ++j) {
        if (force[j].is_constant(0)) continue;
        at.emplace_back(static_cast<int>(i), static_cast<int>(j));
        values.push_back(force[j]);
      }
    }
    places("event_impulses_at", "EVENT_IMPULSES_COUNT", at);
    add("model_event_effects", values);
  }

  void masses() {
    const SparseExpr& M = *e_.M;
    places("event_masses_at", "EVENT_MASSES_COUNT", places_of(M.pattern));
    std::vector<std::pair<int, int>> at = places_of(e_.G.pattern);
    const auto more = places_of(e_.a.pattern, static_cast<int>(e_.g.size()));
    at.insert(at.end(), more.begin(), more.end());
    places("event_constraints_at", "EVENT_CONSTRAINTS_COUNT", at);
    define("EVENT_G", e_.g.size());
    define("EVENT_ROWS", e_.num_rows());
    Exprs values = M.values;
    append(values, e_.G.values);
    append(values, e_.a.values);
    const Exprs g_rate = multiply(e_.G, e_.v), a_rate = multiply(e_.a, e_.v);
    for (std::size_t i = 0; i < e_.g.size(); ++i) values.push_back(g_rate[i] + e_.g_t[i]);
    for (std::size_t i = 0; i < e_.num_a(); ++i) values.push_back(a_rate[i] + e_.b[i]);
    append(values, e_.g);
    add("model_event_masses", values);
  }

  const StepModel& m_;
  const RateTerms& rates_;
  const Equations& e_;
  EventCode out_;
  std::size_t most_ = 0;
};

}  // namespace

EventCode make_event_code(const StepModel& model, const RateTerms& rates, double end) {
  if (model.prepared.equations->events.empty()) return {};
  return EventWriter(model, rates).write(end);
}

std::vector<char> changed_by_events(const StepModel& model) {
  std::vector<char> out(model.parameters.size(), 0);
  for (const Equations::Event& event : model.prepared.equations->events) {
    for (const auto& [place, value] : event.changes) out[place] = 1;
  }
  return out;
}

}  // namespace koppel
