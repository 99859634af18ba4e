#include <koppel/simulate/sampling_clock.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/text/parse.hpp>

namespace koppel {
namespace {

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string meant = suggest(name, known);
  return meant.empty() ? "" : fmt::format("Did you mean '{}'?", meant);
}

// What a controller or an event's call reads, as further outputs.
void add_outputs(const std::string& reader, const std::vector<std::string>& reads, Model& model) {
  for (const std::string& text : reads) {
    const auto is_same = [&](const Output& output) { return output.name == text; };
    if (std::any_of(model.outputs.begin(), model.outputs.end(), is_same)) continue;
    const Expr value = parse(*model.graph, text, {.make_symbols = true});
    for (const Expr& symbol : value.is_constant() ? std::vector<Expr>() : symbols_of(value)) {
      const std::string name(symbol.name());
      if (model.find_symbol(name)) continue;
      std::vector<std::string> known;
      for (const auto& [owner, member] : model.measures()) {
        known.push_back(member.empty() ? owner : owner + '.' + member);
      }
      throw Error("simulate.unknown-name",
                  fmt::format("'{}' reads '{}'; the model knows no such name.", reader, name),
                  did_you_mean(name, known))
          .about(reader);
    }
    model.outputs.push_back({text, value, {}});
  }
}

// Their values, by the outputs of the equations.
VectorFunction function_of(const std::vector<std::string>& reads, const Equations& e) {
  std::vector<Expr> values;
  for (const std::string& text : reads) {
    const auto output = std::find_if(e.outputs.begin(), e.outputs.end(),
                                     [&](const auto& o) { return o.name == text; });
    values.push_back(output->value);
  }
  return VectorFunction(e, values);
}

// False: the run shall end.
bool take(const Answer& answer, const std::string& from, const Equations& e, State& state) {
  for (const auto& [name, value] : answer.states) {
    const auto is_meant = [&wanted = name](const Expr& symbol) { return symbol.name() == wanted; };
    const auto x = std::find_if(e.x.begin(), e.x.end(), is_meant);
    if (x == e.x.end()) {
      std::vector<std::string> known;
      for (const Expr& symbol : e.x) known.emplace_back(symbol.name());
      throw Error(
          "simulate.unknown-state",
          fmt::format("the callback of '{}' sets '{}'; there is no such state.", from, name),
          did_you_mean(name, known))
          .about(from);
    }
    if (!std::isfinite(value)) {
      throw Error("simulate.not-finite",
                  fmt::format("the callback of '{}' sets '{}' to {} at t = {:.6g} s.", from, name,
                              value, state.t))
          .about(from);
    }
    state.x[static_cast<std::size_t>(x - e.x.begin())] = value;
  }
  return answer.goes_on;
}

}  // namespace

Model with_outputs_for(const Controls& controls, const Model& model) {
  Model out = model;
  for (const Controller& c : controls.controllers) add_outputs(c.name, c.reads, out);
  for (const EventCall& c : controls.events) add_outputs(c.event, c.reads, out);
  return out;
}

SamplingClock::SamplingClock(const Controls& controls, const Shared<Equations>& equations,
                             const State& start)
    : equations_(equations), start_(start.t) {
  const Equations& e = equations;
  for (const Controller& c : controls.controllers) {
    if (!(c.every > 0) || !std::isfinite(c.every)) {
      throw Error("simulate.bad-controller",
                  fmt::format("the period of controller '{}' is {:g} s; it must be positive.",
                              c.name, c.every))
          .about(c.name);
    }
    if (!c.call) {
      throw Error("simulate.bad-controller",
                  fmt::format("controller '{}' has no function to call.", c.name))
          .about(c.name);
    }
    items_.push_back({&c, 0, function_of(c.reads, e)});
  }
  for (const EventCall& c : controls.events) {
    const auto event = std::find_if(e.events.begin(), e.events.end(),
                                    [&](const auto& other) { return other.name == c.event; });
    if (event == e.events.end() || !c.call) {
      std::vector<std::string> known;
      for (const Equations::Event& other : e.events) known.push_back(other.name);
      throw Error("simulate.bad-controller",
                  fmt::format("there is a callback for the event '{}', which the model does not "
                              "have.",
                              c.event),
                  did_you_mean(c.event, known));
    }
    events_.push_back({&c, static_cast<int>(event - e.events.begin()), function_of(c.reads, e)});
  }
}

double SamplingClock::next() const {
  double out = std::numeric_limits<double>::infinity();
  for (const Item& item : items_) out = std::min(out, time_of(item));
  return out;
}

bool SamplingClock::act(State& state) {
  if (next() > state.t) return true;
  const State before = state;
  bool goes_on = true;
  for (Item& item : items_) {
    if (time_of(item) > state.t) continue;
    while (time_of(item) <= state.t) ++item.count;
    const Answer answer = item.controller->call(state.t, item.reads(before));
    goes_on = take(answer, item.controller->name, *equations_, state) && goes_on;
  }
  return goes_on;
}

bool SamplingClock::call(std::span<const int> events, const State& before, State& state) const {
  bool goes_on = true;
  for (const EventItem& item : events_) {
    if (std::find(events.begin(), events.end(), item.number) == events.end()) continue;
    const Answer answer = item.event->call(before.t, item.reads(before));
    goes_on = take(answer, item.event->event, *equations_, state) && goes_on;
  }
  return goes_on;
}

}  // namespace koppel
