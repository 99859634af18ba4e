#include <koppel/results/observe.hpp>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <unordered_set>

#include <koppel/equations/units.hpp>

namespace koppel {
namespace {

std::vector<Expr> inputs_of(const Equations& e, const std::vector<Expr>& multipliers) {
  std::vector<Expr> inputs = symbols_of_state(e);
  inputs.insert(inputs.end(), multipliers.begin(), multipliers.end());
  return inputs;
}

Function compile(const Equations& e, const std::vector<Expr>& multipliers,
                 const std::vector<Reaction>& reactions) {
  std::vector<Expr> values;
  for (const NamedExpr& output : e.outputs) values.push_back(output.value);
  for (const Reaction& reaction : reactions) values.push_back(reaction.value);
  values.push_back(e.kinetic);
  values.push_back(e.potential);
  return Function(inputs_of(e, multipliers), values);
}

std::vector<Expr> multiplier_symbols(const Equations& e) {
  std::vector<Expr> symbols;
  for (std::size_t i = 0; i < e.num_rows(); ++i) {
    symbols.push_back(e.graph->symbol("observe.multiplier[" + std::to_string(i) + ']'));
  }
  return symbols;
}

Function compile_constraints(const Equations& e, const std::vector<Expr>& multipliers) {
  std::vector<Expr> values = e.g;
  const std::vector<Expr> rates = constraint_rates(e);
  values.insert(values.end(), rates.begin(), rates.end());
  return Function(inputs_of(e, multipliers), values);
}

double largest(std::span<const double> values) {
  double out = 0;
  for (const double value : values) {
    // Written so that NaN counts as larger than anything.
    if (!(std::abs(value) <= out)) out = std::abs(value);
  }
  return out;
}

// Adds columns under names that are new: one that is taken gets its group in front.
class ColumnList {
 public:
  explicit ColumnList(std::vector<Column>& columns) : columns_(columns) {
    for (const Column& column : columns) names_.insert(column.name);
  }

  void add(std::string name, std::string unit, Group group) {
    if (names_.contains(name)) name = std::string(name_of(group)) + '.' + name;
    while (!names_.insert(name).second) name += '_';
    columns_.push_back({std::move(name), std::move(unit), group});
  }

 private:
  std::vector<Column>& columns_;
  std::unordered_set<std::string> names_;
};

}  // namespace

Observation::Observation(const Equations& e, const Model& model, const State& state,
                         ReactionAxes reactions)
    : Observation(e, state, multiplier_symbols(e),
                  reactions_of(model, e, multiplier_symbols(e), reactions)) {}

Observation::Observation(const Equations& e, const State& state,
                         const std::vector<Expr>& multipliers,
                         const std::vector<Reaction>& reactions)
    : num_g_(e.g.size()),
      num_outputs_(e.outputs.size()),
      num_reactions_(reactions.size()),
      num_u_(state.u.size()),
      given_(state.u),
      function_(compile(e, multipliers, reactions)),
      constraints_(compile_constraints(e, multipliers)) {
  given_.insert(given_.end(), state.p.begin(), state.p.end());
  ColumnList list(columns_);
  list.add("t", "s", Group::Time);
  for (const Equations::Output& output : e.outputs) {
    list.add(output.name, output.unit, Group::Outputs);
  }
  for (std::size_t i = 0; i < e.q.size(); ++i) {
    const auto is_it = [&](const NamedExpr& output) {
      return output.value == e.q[i] && output.name == e.q[i].name();
    };
    const auto output = std::find_if(e.outputs.begin(), e.outputs.end(), is_it);
    if (output != e.outputs.end()) {
      column_of_q_.push_back(1 + static_cast<std::size_t>(output - e.outputs.begin()));
      continue;
    }
    column_of_q_.push_back(columns_.size());
    q_of_column_.push_back(static_cast<int>(i));
    list.add(std::string(e.q[i].name()), e.about.q[i].unit, Group::Coordinates);
  }
  first_velocity_ = columns_.size();
  for (std::size_t i = 0; i < e.v.size(); ++i) {
    list.add(std::string(e.v[i].name()), e.about.v[i].unit, Group::Velocities);
  }
  for (std::size_t i = 0; i < e.x.size(); ++i) {
    list.add(std::string(e.x[i].name()), e.about.x[i].unit, Group::States);
  }
  for (const Equations::Row& row : e.rows) {
    const bool is_velocity = row.level == Equations::Row::Level::Velocity;
    list.add((is_velocity ? "mu." : "lambda.") + row.name, unit_of_multiplier(row),
             Group::Multipliers);
  }
  for (const Reaction& reaction : reactions) {
    list.add(reaction.name, reaction.unit, Group::Reactions);
  }
  energy_column_ = columns_.size();
  list.add("kinetic_energy", "J", Group::Energy);
  list.add("potential_energy", "J", Group::Energy);
  list.add("energy", "J", Group::Energy);
  list.add("position_violation", "", Group::Constraints);
  list.add("velocity_violation", "", Group::Constraints);
}

void Observation::add_inputs(const Equations& equations) {
  ColumnList list(columns_);
  first_input_ = columns_.size();
  for (std::size_t i = 0; i < equations.u.size(); ++i) {
    list.add(std::string(equations.u[i].name()), equations.about.u[i].unit, Group::Inputs);
  }
  has_inputs_ = true;
}

void Observation::add_derivatives(Derivatives derivatives) {
  const int order = derivatives.order();
  derivatives_ = std::make_shared<const Derivatives>(std::move(derivatives));
  std::unordered_set<std::string> names;
  for (const Column& column : columns_) names.insert(column.name);
  for (std::size_t i = 0; i < derivatives_->names().size(); ++i) {
    const std::string& name = derivatives_->names()[i];
    if (!names.insert(name).second) continue;
    const std::size_t output = i / static_cast<std::size_t>(order);
    const int which = 1 + static_cast<int>(i) % order;
    columns_.push_back(
        {name, unit_of_derivative(columns_[1 + output].unit, which), Group::Derivatives});
    derivative_of_column_.push_back(i);
  }
}

void Observation::set_values(const State& state) {
  given_ = state.u;
  given_.insert(given_.end(), state.p.begin(), state.p.end());
}

Observation::Workspace Observation::make_workspace() const {
  return {std::vector<double>(function_.num_inputs()),
          std::vector<double>(function_.num_outputs()),
          std::vector<double>(constraints_.num_outputs()),
          function_.make_workspace(),
          constraints_.make_workspace(),
          derivatives_ == nullptr ? std::optional<Derivatives::Workspace>()
                                  : derivatives_->make_workspace()};
}

void Observation::put(const Sample& sample, Workspace& work) const {
  auto in = work.in.begin();
  *in++ = sample.t;
  const std::span<const double> given = given_;
  const auto u = sample.u.empty() ? given.first(num_u_) : sample.u;
  for (const auto& part :
       {sample.q, sample.v, sample.x, u, given.subspan(num_u_), sample.multipliers}) {
    in = std::copy(part.begin(), part.end(), in);
  }
}

Observation::Violation Observation::violation(const Sample& sample, Workspace& work) const {
  if (work.residuals.empty()) return {};
  put(sample, work);
  constraints_.evaluate(work.in, work.residuals, work.constraints);
  const std::span<const double> all = work.residuals;
  return {largest(all.first(num_g_)), largest(all.subspan(num_g_))};
}

void Observation::evaluate(const Sample& sample, std::span<double> row, Workspace& work) const {
  assert(row.size() == columns_.size());
  const Violation violated = violation(sample, work);
  put(sample, work);
  function_.evaluate(work.in, work.values, work.function);

  auto out = row.begin();
  *out++ = sample.t;
  const std::span<const double> values = work.values;
  const auto outputs = values.first(num_outputs_);
  const auto reactions = values.subspan(num_outputs_, num_reactions_);
  out = std::copy(outputs.begin(), outputs.end(), out);
  for (const int i : q_of_column_) *out++ = sample.q[static_cast<std::size_t>(i)];
  for (const auto& part : {sample.v, sample.x, sample.multipliers, reactions}) {
    out = std::copy(part.begin(), part.end(), out);
  }
  const double kinetic = values[values.size() - 2], potential = values.back();
  for (const double value :
       {kinetic, potential, kinetic + potential, violated.position, violated.velocity}) {
    *out++ = value;
  }
  if (has_inputs_) {
    const std::span<const double> given = given_;
    const auto u = sample.u.empty() ? given.first(num_u_) : sample.u;
    out = std::copy(u.begin(), u.end(), out);
  }
  if (derivatives_ == nullptr) return;
  std::vector<double>& all = work.derivative_values;
  all.resize(derivatives_->names().size());
  derivatives_->evaluate(sample.t, sample.q, sample.v, sample.x, all, *work.derivatives);
  for (const std::size_t i : derivative_of_column_) *out++ = all[i];
}

}  // namespace koppel
