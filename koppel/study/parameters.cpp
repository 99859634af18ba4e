#include <koppel/study/parameters.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/parameter_values.hpp>

namespace koppel {
namespace {

constexpr std::string_view kStart = "start.";

[[noreturn]] void refuse(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  std::string all;
  for (const Parameter& parameter : model.parameters) {
    known.emplace_back(parameter.symbol.name());
    all += (all.empty() ? "" : ", ") + known.back();
  }
  for (const Initial& initial : model.initial) {
    known.push_back(std::string(kStart) + std::string(initial.symbol.name()));
  }
  const std::string meant = suggest(name, known);
  throw Error("study.unknown-parameter",
              fmt::format("'{}' is neither a parameter nor an initial value of the model.", name),
              !meant.empty() ? "Did you mean '" + meant + "'?"
              : all.empty()
                  ? "It has no parameters; `start.NAME` is the initial value of NAME."
                  : "parameters: " + all + "; `start.NAME` is the initial value of NAME.");
}

int find(const Model& model, std::string_view name) {
  for (std::size_t i = 0; i < model.parameters.size(); ++i) {
    if (model.parameters[i].symbol.name() == name) return static_cast<int>(i);
  }
  return -1;
}

// That a study would follow other values of a parameter: in the model,
void check_model(const std::string& name, const Parameter& parameter) {
  if (!parameter.is_built_in) return;
  throw Error("study.built-in",
              fmt::format("'{}' is built into the model, as a count, a table or a path: there "
                          "are no derivatives by it.",
                          name),
              "Try its values one by one, in a sweep.")
      .about(name)
      .because(Cause::BuiltIn);
}

// and in the settings of the run.
void check_settings(const std::string& name, const ParameterOrigin& origin) {
  if (origin.run_settings.empty()) return;
  const std::string& setting = *origin.run_settings.begin();
  std::vector<Diagnostic> mistakes(1);
  Diagnostic& d = mistakes.front();
  d.id = "study.built-in";
  d.message = fmt::format(
      "run.{} of the model follows '{}', and is the same for all runs of a study: there are no "
      "derivatives by it.",
      setting, name);
  d.hint = fmt::format("Give `{}`, or try its values one by one, in a sweep.", setting);
  d.cause = Cause::BuiltIn;
  d.subject = name;
  d.named = setting;
  throw Error(std::move(mistakes));
}

// Makes an initial value a parameter.
int add_start(Model& model, const std::string& name) {
  if (!name.starts_with(kStart)) refuse(model, name);
  const std::string_view quantity = std::string_view(name).substr(kStart.size());
  for (Initial& initial : model.initial) {
    if (initial.symbol.name() != quantity) continue;
    const double value = ParameterValues(model)(initial.value);
    initial.value = model.add_parameter(name, value);
    return static_cast<int>(model.parameters.size()) - 1;
  }
  refuse(model, name);
}

}  // namespace

StudiedParameters::StudiedParameters(Model model, std::vector<ParameterOrigin> origins,
                                     std::vector<std::string> names)
    : model_(std::move(model)), names_(std::move(names)) {
  for (const std::string& name : names_) {
    int place = find(model_, name);
    if (place < 0) place = add_start(model_, name);
    const auto i = static_cast<std::size_t>(place);
    check_model(name, model_.parameters[i]);
    if (i < origins.size()) check_settings(name, origins[i]);
    if (std::find(places_.begin(), places_.end(), i) != places_.end()) {
      throw Error("study.bad-option", fmt::format("'{}' is given twice.", name));
    }
    places_.push_back(i);
    values_.push_back(model_.parameters[i].value);
  }
  std::vector<Expr> symbols;
  for (const Parameter& parameter : model_.parameters) symbols.push_back(parameter.symbol);
  // Each after those that it needs.
  std::vector<std::size_t> waiting;
  for (std::size_t i = 0; i < origins.size(); ++i) {
    if (origins[i].definition && std::find(places_.begin(), places_.end(), i) == places_.end()) {
      waiting.push_back(i);
    }
  }
  while (!waiting.empty()) {
    const auto needs_waiting = [&](std::size_t i) {
      const std::vector<Expr> needed = symbols_of(*origins[i].definition);
      return std::any_of(waiting.begin(), waiting.end(), [&](std::size_t j) {
        const Expr symbol = model_.parameters[j].symbol;
        return std::find(needed.begin(), needed.end(), symbol) != needed.end();
      });
    };
    const auto next = std::find_if_not(waiting.begin(), waiting.end(), needs_waiting);
    const Expr definition = *origins[*next].definition;
    followers_.push_back({*next, definition, Function(symbols, std::span(&definition, 1))});
    waiting.erase(next);
  }
}

std::vector<std::size_t> StudiedParameters::changed() const {
  std::vector<std::size_t> out = places_;
  for (const Follower& follower : followers_) {
    const std::vector<Expr> needed = symbols_of(follower.definition);
    const bool follows = std::any_of(out.begin(), out.end(), [&](std::size_t i) {
      return std::find(needed.begin(), needed.end(), model_.parameters[i].symbol) != needed.end();
    });
    if (follows) out.push_back(follower.place);
  }
  return out;
}

Model StudiedParameters::at(std::span<const double> values) const {
  Model out = model_;
  std::vector<double> all;
  for (const Parameter& parameter : out.parameters) all.push_back(parameter.value);
  Work work = make_work(Uses::Few);
  put(values, all, work);
  for (std::size_t i = 0; i < all.size(); ++i) out.parameters[i].value = all[i];
  out.validate();  // as when it is read: masses may be negative now
  return out;
}

StudiedParameters::Work StudiedParameters::make_work(Uses uses) const {
  Work work;
  for (const Follower& follower : followers_) work.push_back(follower.value.make_workspace(uses));
  return work;
}

void StudiedParameters::put(std::span<const double> values, std::span<double> all,
                            Work& work) const {
  for (std::size_t i = 0; i < places_.size(); ++i) all[places_[i]] = values[i];
  for (std::size_t i = 0; i < followers_.size(); ++i) {
    double value = 0;
    followers_[i].value.evaluate(all, std::span(&value, 1), work[i]);
    all[followers_[i].place] = value;
  }
}

std::vector<std::vector<double>> StudiedParameters::directions(const Model& there) const {
  const ParameterValues values(there);
  std::vector<Expr> symbols;
  for (const Parameter& parameter : there.parameters) symbols.push_back(parameter.symbol);
  std::vector<std::vector<double>> out(size(), std::vector<double>(symbols.size(), 0.0));
  for (std::size_t k = 0; k < size(); ++k) out[k][places_[k]] = 1;
  for (const Follower& follower : followers_) {
    const std::vector<Expr> slopes = gradient(follower.definition, symbols);
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      if (slopes[i].is_constant(0)) continue;
      const double slope = values(slopes[i]);
      for (std::vector<double>& direction : out) direction[follower.place] += slope * direction[i];
    }
  }
  return out;
}

}  // namespace koppel
