#include <koppel/control/feedback/robustness.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/suggest.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/formulation/projector_terms.hpp>
#include <koppel/problem/projector.hpp>

namespace koppel {
namespace {

std::vector<std::string> names_of(const std::vector<Expr>& symbols) {
  std::vector<std::string> names;
  for (const Expr& e : symbols) names.push_back(std::string(e.name()));
  return names;
}

double& find(const std::string& name, const std::vector<std::string>& names,
             std::vector<double>& values) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) return values[static_cast<std::size_t>(found - names.begin())];
  const std::string meant = suggest(name, names);
  std::string all;
  for (const std::string& known : names) all += (all.empty() ? "'" : ", '") + known + "'";
  throw Error("control.unknown-disturbance", "there is no '" + name + "' to be disturbed.",
              (meant.empty() ? "" : "Did you mean '" + meant + "'? ") + "There are: " + all + ".");
}

// The start of the disturbed mechanism: the nearest one that its constraints allow. Of equations
// without redundant rows.
State disturbed(const Equations& e, State state, const Disturbance& d) {
  if (d.kind == Disturbance::Kind::None) return state;
  if (d.kind == Disturbance::Kind::Parameter) {
    find(d.name, names_of(e.p), state.p) = d.value;
  } else {
    std::vector<Expr> moving = e.q;
    moving.insert(moving.end(), e.v.begin(), e.v.end());
    std::vector<double> values = state.q;
    values.insert(values.end(), state.v.begin(), state.v.end());
    find(d.name, names_of(moving), values) += d.value;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(state.q.size());
    state.q.assign(values.begin(), middle);
    state.v.assign(middle, values.end());
  }
  const Projector projector(make_projector_terms(e, state.p, std::vector<double>(e.u.size(), 0.0)));
  Projector::Workspace work = projector.make_workspace();
  if (projector.is_needed() &&
      !projector.project(state.t, state.q, state.v, Projection::Full, work)) {
    throw Error("control.no-start", "with " + to_text(d) + " the mechanism cannot be assembled.");
  }
  return state;
}

}  // namespace

std::string to_text(const Disturbance& d) {
  switch (d.kind) {
    case Disturbance::Kind::None: return "nominal";
    case Disturbance::Kind::Parameter: return fmt::format("{} = {:g}", d.name, d.value);
    case Disturbance::Kind::Start:
      return fmt::format("{} {} {:g}", d.name, d.value < 0 ? '-' : '+', std::abs(d.value));
  }
  return "";
}

std::vector<RobustnessCase> find_robustness(const Model& model, const ComputedMotion& motion,
                                            const FeedbackOptions& feedback,
                                            const std::vector<Disturbance>& disturbances) {
  const Equations& e = motion.equations;
  const State& nominal = motion.start;
  const double end = motion.trajectory.time().back();
  const std::vector<Expr> closed = make_feedback(motion, nominal, feedback);
  std::vector<std::vector<double>> inputs;
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    const auto column = motion.trajectory.column(motion.observation->first_input() + i);
    inputs.emplace_back(column.begin(), column.end());
  }
  const std::vector<Expr> open =
      as_expressions(e, splines_through(motion.trajectory.time(), inputs));
  const RankReport rank = analyze_rank(Evaluator(e), nominal);
  constexpr double kTolerance = 1e-9;  // far below the deviations that are looked at

  std::vector<Disturbance> cases = {{}};
  cases.insert(cases.end(), disturbances.begin(), disturbances.end());
  std::vector<RobustnessCase> out;
  for (const Disturbance& d : cases) {
    const State start = disturbed(leave_out(motion.equations, rank.redundant_rows), nominal, d);
    const auto run = [&](const std::vector<Expr>& with) {
      return verify(model, e, rank, start, with, nominal.p, end, kTolerance);
    };
    out.push_back({d, run(open), run(closed)});
  }
  return out;
}

}  // namespace koppel
