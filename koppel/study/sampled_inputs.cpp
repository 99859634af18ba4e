#include <koppel/study/sampled_inputs.hpp>

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

constexpr std::size_t kMostSamples = 10'000;

std::size_t find_input(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  std::string all;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    if (model.inputs[i].name() == name) return i;
    known.emplace_back(model.inputs[i].name());
    all += (all.empty() ? "" : ", ") + known.back();
  }
  const std::string meant = suggest(name, known);
  throw Error("study.bad-input", fmt::format("the model has no input '{}'.", name),
              known.empty() ? "It has none at all; `inputs: [F]` in a model names them."
                            : fmt::format("inputs: {}.{}", all,
                                          meant.empty() ? "" : " Did you mean '" + meant + "'?"));
}

Expr duration_of(const Model& model, const SampledInput& input, double end) {
  if (input.duration.empty()) return end;
  for (const Parameter& parameter : model.parameters) {
    if (parameter.symbol.name() == input.duration) return parameter.symbol;
  }
  throw Error("study.bad-input",
              fmt::format("the samples of '{}' are spread over '{}', which is not a parameter.",
                          input.name, input.duration));
}

void check_times(const SampledInput& input) {
  if (input.times.empty()) return;
  const bool ascends = std::is_sorted(input.times.begin(), input.times.end(),
                                      [](double a, double b) { return a <= b; });
  if (input.times.size() == input.values.size() && ascends && input.times[0] <= 0) return;
  throw Error("study.bad-input",
              fmt::format("the times of the samples of '{}' must ascend, from 0 on, one for each.",
                          input.name));
}

// Wherever a model may have an input (Model::validate).
void put_in(Expr symbol, Expr value, Model& model) {
  const auto put = [&](Expr& e) { e = substitute(e, symbol, value); };
  const auto put_all = [&](std::vector<Action>& actions) {
    for (Action& action : actions) put(action.effort);
  };
  for (Force& force : model.forces) put_all(force.actions);
  for (FirstOrder& state : model.first_order) put(state.rate);
  for (std::vector<Output>* named : {&model.outputs, &model.definitions}) {
    for (Output& output : *named) put(output.value);
  }
  for (Tracking& t : model.tracking) {
    for (Expr& target : t.targets) put(target);
    for (Expr* e : {&t.rho0, &t.rho1, &t.max_force, &t.max_acceleration, &t.max_speed, &t.response,
                    &t.is_active}) {
      put(*e);
    }
  }
  for (Event& event : model.events) {
    put(event.when);
    for (Event::Change& change : event.changes) put(change.value);
    put_all(event.impulses);
  }
}

// The part before "[*]", or nothing.
std::string all_of(const std::string& name) {
  return name.ends_with("[*]") ? name.substr(0, name.size() - 3) : "";
}

std::vector<std::string> samples_of(const std::string& name, const Model& model) {
  std::vector<std::string> out;
  for (const Parameter& parameter : model.parameters) {
    const std::string_view symbol = parameter.symbol.name();
    if (symbol.starts_with(name + '[') && symbol.ends_with(']')) out.emplace_back(symbol);
  }
  if (out.empty()) {
    throw Error("study.unknown-parameter", fmt::format("'{}' has no samples.", name),
                "An input has samples where it is said how many.");
  }
  return out;
}

}  // namespace

SampledInput parse_sampled_input(const std::string& text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == text.npos ? text.npos : text.find(':', first + 1);
  SampledInput out{text.substr(0, first), {}};
  std::size_t count = 0;
  if (first != text.npos) {
    const std::size_t end = second == text.npos ? text.size() : second;
    const auto [rest, problem] = std::from_chars(&text[first + 1], text.data() + end, count);
    if (problem != std::errc() || rest != text.data() + end) count = 0;
    if (second != text.npos) out.duration = text.substr(second + 1);
  }
  if (out.name.empty() || count < 2 || count > kMostSamples ||
      (second != text.npos && out.duration.empty())) {
    throw Error("study.bad-input", fmt::format("'{}' does not say how an input is sampled.", text),
                fmt::format("Write INPUT:COUNT with 2 to {} samples over the run, or "
                            "INPUT:COUNT:PARAMETER for samples over the value of a parameter.",
                            kMostSamples));
  }
  out.values.assign(count, 0.0);
  return out;
}

Model with_sampled_input(Model model, const SampledInput& input, double end) {
  const std::size_t place = find_input(model, input.name);
  check_times(input);
  if (input.values.size() < 2) {
    throw Error("study.bad-input", fmt::format("'{}' needs two samples or more.", input.name));
  }
  const Expr symbol = model.inputs[place];
  model.inputs.erase(model.inputs.begin() + static_cast<std::ptrdiff_t>(place));
  if (place < model.input_limits.size()) {
    model.input_limits.erase(model.input_limits.begin() + static_cast<std::ptrdiff_t>(place));
  }
  const Expr duration = duration_of(model, input, end);
  const std::size_t n = input.values.size();
  std::vector<Expr> samples, times;
  for (std::size_t k = 0; k < n; ++k) {
    samples.push_back(model.add_parameter(fmt::format("{}[{}]", input.name, k), input.values[k]));
    const double share = static_cast<double>(k) / static_cast<double>(n - 1);
    times.push_back(input.times.empty() ? duration * share : Expr(input.times[k]));
  }
  Expr value = samples[n - 1];
  for (std::size_t k = n - 1; k-- > 0;) {
    const Expr slope = (samples[k + 1] - samples[k]) / (times[k + 1] - times[k]);
    value = select(model.time < times[k + 1], samples[k] + slope * (model.time - times[k]), value);
  }
  put_in(symbol, value, model);
  model.definitions.push_back({input.name, value, {}});  // for criteria
  return model;
}

std::vector<std::string> expand(const std::vector<std::string>& names, const Model& model) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    const std::string of = all_of(name);
    const std::vector<std::string> written =
        of.empty() ? std::vector<std::string>{name} : samples_of(of, model);
    out.insert(out.end(), written.begin(), written.end());
  }
  return out;
}

std::vector<Range> expand(const std::vector<Range>& ranges, const Model& model) {
  std::vector<Range> out;
  for (const Range& range : ranges) {
    for (const std::string& name : expand(std::vector<std::string>{range.name}, model)) {
      out.push_back(range);
      out.back().name = name;
    }
  }
  return out;
}

}  // namespace koppel
