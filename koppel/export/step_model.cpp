#include <koppel/export/step_model.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/equations/units.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/formulation/fixed_cost/runge_kutta_step.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>

namespace koppel {
namespace {

class Maker {
 public:
  Maker(const Model& model, const SimulateOptions& options, std::string name,
        std::span<const ParameterOrigin> origins) {
    out_.prepared = prepare(model, options);
    const Equations& e = out_.prepared.equations;
    if (!is_accurate(options)) refuse_events(e);
    const State& state = out_.prepared.state;
    out_.name = std::move(name);
    out_.title = model.name + (model.description.empty() ? "" : ": " + model.description);
    out_.method = fmt::format("{} coordinates, {}, {}", out_.prepared.choice.coordinates,
                              out_.prepared.choice.formulation.text(),
                              out_.prepared.choice.integrator.text());
    out_.start_time = state.t;
    out_.step = *options.step;
    out_.solver_tolerance = options.tolerance;
    if (is_accurate(options)) out_.tolerance = options.tolerance;

    Names names = Names::of_c(out_.name), inputs = names, parameters = names, outputs = names;
    out_.q = fields(names, e.q, e.about.q, state.q);
    out_.v = fields(names, e.v, e.about.v, state.v);
    out_.x = fields(names, e.x, e.about.x, state.x);
    if (!eliminates(options)) add_multipliers(names);
    out_.inputs = fields(inputs, e.u, e.about.u, state.u);
    out_.parameters = fields(parameters, e.p, {}, state.p);
    for (const Expr& hand : model.hands) {
      out_.hands.push_back(
          static_cast<std::size_t>(std::find(e.p.begin(), e.p.end(), hand) - e.p.begin()));
    }
    for (const Equations::Output& output : e.outputs) {
      out_.outputs.push_back({outputs.add(output.name), output.name, output.unit, 0});
    }
    if (eliminates(options)) {
      make_rates();
    } else {
      make_advance(options);
    }
    // A start that was left along a branch is not assembled anew.
    out_.start = make_start_terms(model, origins, e, state.t == 0);
    std::vector<Expr> values;
    for (const NamedExpr& output : e.outputs) values.push_back(output.value);
    out_.observe = lower(symbols_of_state(e), values);
  }

  static bool is_accurate(const SimulateOptions& options) {
    return options.integrator.has_adaptive_stages();
  }
  // The multipliers.
  static bool eliminates(const SimulateOptions& options) { return options.integrator.has_stages(); }

  StepModel take() { return std::move(out_); }

 private:
  // Nothing else is known of parameters.
  std::vector<CVariable> fields(Names& names, const std::vector<Expr>& symbols,
                                const std::vector<Equations::Unknown>& about,
                                const std::vector<double>& values) {
    std::vector<CVariable> out;
    for (std::size_t i = 0; i < symbols.size(); ++i) {
      const std::string label(symbols[i].name());
      out.push_back({names.add(label), label, about.empty() ? "" : about[i].unit, values[i]});
    }
    return out;
  }

  void add_multipliers(Names& names) {
    const Problem& problem = out_.prepared.problem;
    const Equations& e = out_.prepared.equations;
    const auto first = static_cast<std::size_t>(problem.num_differential());
    std::size_t next = first;
    for (const int row : problem.rows) {
      const auto i = static_cast<std::size_t>(row);
      const std::string label = (i < e.num_g() ? "lambda." : "mu.") + e.rows[i].name;
      out_.multipliers.push_back(
          {names.add(label), label, unit_of_multiplier(e.rows[i]), out_.prepared.start.y[next++]});
    }
  }

  void make_rates() {
    const Equations& e = out_.prepared.equations;
    const Expr h = e.graph->symbol("step.h");
    out_.layout = symbols_of_state(e);
    out_.layout.insert(out_.layout.begin() + 1, h);
    const Descriptor& descriptor = out_.prepared.descriptor;
    const RateTerms terms = make_rate_terms(descriptor);
    const auto lowered = [&](const std::vector<Expr>& values) {
      return lower(out_.layout, share_reciprocals(values), true);
    };
    if (out_.tolerance) {
      out_.rates = lowered(terms.rate);
      out_.project = lowered(terms.projected);
      out_.num_rows = terms.violation.size();
    } else {
      out_.advance = lowered(make_runge_kutta_step(descriptor, terms, h));
    }
  }

  void make_advance(const SimulateOptions& options) {
    const FixedCostTerms terms = out_.prepared.problem.fixed_cost.terms(
        out_.prepared.choice.integrator.fixed_cost(options.projection));
    std::vector<Expr> after;
    for (const auto* part : {&terms.q, &terms.v, &terms.x, &terms.lambda}) {
      after.insert(after.end(), part->begin(), part->end());
    }
    out_.layout = terms.inputs;
    out_.advance = lower(terms.inputs, after, true);
  }

  StepModel out_;
};

}  // namespace

namespace {

// What holds, or a refusal.
MethodChoice choose_open(const Model& model, const SimulateOptions& options, StepKind kind) {
  MethodChoice choice = kind == StepKind::Accurate ? choose_accurate(model, options)
                                                   : choose_fixed_cost(model, options);
  if (choice.trial.holds()) return choice;
  const MethodTrial& best = choice.trial;
  const std::optional<double> step = find_step_that_holds(model, options);
  throw Error("export.does-not-hold",
              fmt::format("no method holds at a step of {:g} s. The best, {} in {} coordinates: {}",
                          best.step, best.integrator.text(), best.coordinates,
                          best.text + (best.text.ends_with('.') ? "" : ".")),
              step
                  ? fmt::format("Give a step of at most {:g} s, which holds; or name an integrator "
                                "to export it all the same.",
                                *step)
                  : std::string("No step down to a thousandth of it was found to hold; name an "
                                "integrator to export it all the same."))
      .about(best.subject)
      .because(Cause::StepTooLong);
}

MethodChoice try_method(const Model& model, SimulateOptions options) {
  if (Maker::eliminates(options)) options.formulation = "index1";
  MethodTrial trial = MethodTrials(model, options).run(options);
  return {options, std::move(trial), {}};
}

template <typename Events>
void refuse(const Events& events, const std::string& model) {
  if (events.empty()) return;
  std::string names;
  for (const auto& event : events) names += (names.empty() ? "'" : ", '") + event.name + '\'';
  throw Error("export.has-events",
              "model '" + model + "' has events (" + names +
                  "), and exported code does not watch for them.",
              "Export an FMU, which has them; leave out `events`; or run the model with "
              "`simulate`.")
      .about(events.front().name)
      .because(Cause::HasEvents);
}

}  // namespace

std::vector<CVariable> StepModel::state() const {
  std::vector<CVariable> all = q;
  for (const auto* part : {&v, &x, &multipliers}) {
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

void refuse_events(const Equations& equations) { refuse(equations.events, equations.model); }

StepModel make_step_model(const Model& model, SimulateOptions options, std::string name,
                          StepKind kind, std::span<const ParameterOrigin> origins) {
  if (!options.step) {
    throw Error("export.needs-step", "exported code needs a step, and none is given.",
                "Give one, such as `step = 1e-3`.");
  }
  options.validate();  // before a trial, whose end follows from the step
  options.integrator = or_fixed_cost(options.integrator);
  const bool is_open = options.integrator.is_open();
  if (!is_open && !Maker::eliminates(options) && !options.integrator.is_fixed_cost()) {
    throw Error(
        "export.wrong-integrator",
        "integrator '" + options.integrator.text() + "' cannot be exported.",
        fmt::format("With fixed-cost steps: {}, rk4. Accurate: dop853.", names_of_fixed_cost()));
  }
  // Before a trial that an event may end.
  if (is_open ? kind == StepKind::FixedCost : !Maker::is_accurate(options)) {
    refuse(model.events, model.name);
  }
  MethodChoice choice = is_open ? choose_open(model, options, kind) : try_method(model, options);
  if (name.empty()) name = c_identifier(model.name);
  if (name == "koppel") name += '_';  // what koppel/runtime is called by
  StepModel out = Maker(model, choice.options, std::move(name), origins).take();
  out.choice = std::move(choice);
  return out;
}

}  // namespace koppel
