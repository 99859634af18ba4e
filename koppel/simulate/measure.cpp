// Any quantity of a model after a run, by its name in model files.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/quantities.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/results/reactions.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

// An angle that the coordinates do not have follows from the axes, up to whole turns: those with
// which it changes from row to row as its rates at both say.
void count_turns(std::span<const double> t, std::span<const double> rate,
                 std::vector<double>& phi) {
  constexpr double kTurn = 2 * std::numbers::pi;
  for (std::size_t i = 1; i < phi.size(); ++i) {
    const double expected = phi[i - 1] + (t[i] - t[i - 1]) * (rate[i - 1] + rate[i]) / 2;
    phi[i] += kTurn * std::round((expected - phi[i]) / kTurn);
  }
}

bool is_angle(const Quantity& q) {
  return std::holds_alternative<Quantity::JointAngle>(q.of) ||
         std::holds_alternative<Quantity::BodyAngle>(q.of);
}

// Afterwards the values of parameters at the start are known only.
void refuse_changed(const std::string& name, Expr value, const Equations& e,
                    const Summary& summary) {
  for (const Equations::Event& event : e.events) {
    const auto first = std::find_if(summary.events.begin(), summary.events.end(),
                                    [&](const Summary::Event& s) { return s.name == event.name; });
    if (first == summary.events.end()) continue;
    for (const auto& change : event.changes) {
      const std::vector<Expr> parameter = {e.p[change.first]};
      if (value.is_constant() || !depends_on(value, parameter)) continue;
      throw Error("results.changed-parameter",
                  fmt::format("'{}' depends on the parameter '{}', which event '{}' changed at t = "
                              "{:.6g} s: it cannot be computed afterwards.",
                              name, parameter[0].name(), event.name, first->t),
                  "Make it an output of the model: outputs are computed during the run.")
          .about(event.name);
    }
  }
}

}  // namespace

std::vector<double> Simulation::operator[](const std::string& name) const {
  if (const int column = trajectory.find(name); column >= 0) {
    const std::span<const double> values = trajectory.column(static_cast<std::size_t>(column));
    return {values.begin(), values.end()};
  }
  Model asked = *model;
  const std::optional<Expr> symbol = asked.find_symbol(name);
  if (!symbol) {
    const std::span<const double> none = trajectory[name];  // throws, with a suggestion
    return {none.begin(), none.end()};
  }
  const int found = asked.find_quantity(name);
  Kinematics kinematics = *equations->kinematics;
  const ParameterValues values(asked);
  const Quantities quantities(asked, kinematics, values);
  const bool turns = found >= 0 && is_angle(asked.quantities[static_cast<std::size_t>(found)]);
  const std::vector<Expr> wanted = {quantities.resolve(*symbol),
                                    turns ? quantities.rate(found) : Expr(0)};
  refuse_changed(name, wanted[0], equations, summary);
  const VectorFunction function(equations, wanted);
  State state = start_of(equations);
  std::vector<double> out, rate;
  for (std::size_t row = 0; row < trajectory.num_rows(); ++row) {
    state.t = trajectory.time()[row];
    for (std::size_t i = 0; i < state.q.size(); ++i) {
      state.q[i] = trajectory.column(observation->columns_of_q()[i])[row];
    }
    std::size_t column = observation->first_velocity();
    for (double& v : state.v) v = trajectory.column(column++)[row];
    for (double& x : state.x) x = trajectory.column(column++)[row];
    const std::vector<double> now = function(state);
    out.push_back(now[0]);
    rate.push_back(now[1]);
  }
  if (turns) count_turns(trajectory.time(), rate, out);
  return out;
}

}  // namespace koppel
