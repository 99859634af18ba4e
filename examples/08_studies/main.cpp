// Studies of a pendulum with damping: a sweep, derivatives, an optimum, and parameters from
// measurements.
#include <cmath>
#include <cstdio>

#include <koppel/koppel.hpp>

using namespace koppel;

namespace {

Model pendulum() {
  Mechanism m("pendulum", Plane::XY);
  m.gravity(0, -9.81);
  const Expr l = m.parameter("l", 1), mass = m.parameter("m", 2), d = m.parameter("d", 0.3);
  const RodHandle rod = m.add_rod("rod", {.mass = mass, .length = l});
  const JointHandle pivot = m.add("pivot", Revolute{.between = {m.ground(), rod.start()}});
  pivot.angle().start(0.3);
  m.add("damper", Torsion{.joint = pivot.angle(), .damping = d});
  m.output("x", l * cos(pivot.angle().value()));
  return m.model();
}

}  // namespace

int main() {
  const Model model = pendulum();

  // Each row is a run: lengths by dampers.
  const SweepResult rows =
      sweep(model, {.design = {.ranges = {parse_range("l=0.5:1.5:3"), parse_range("d=0.1,0.5")}},
                    .of = {parse_criterion("x:min")},
                    .run = SimulateOptions{.end = 2}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::printf("l = %.1f m, d = %.1f N m s: x from %.4f m on\n", rows["l"][i], rows["d"][i],
                rows["x:min"][i]);
  }

  // Exact derivatives of the position after 2 s, by parameters and by the initial angle.
  const Sensitivity s = sensitivity(
      model,
      {.run = {.end = 2}, .of = {parse_criterion("x")}, .over = {"l", "d", "start.pivot.angle"}});
  for (std::size_t j = 0; j < s.parameters.size(); ++j) {
    std::printf("dx/d(%s) = %.4f\n", s.parameters[j].c_str(),
                s.derivatives(0, static_cast<int>(j)));
  }

  // The length with which it is furthest to the left after 1 s.
  const Optimum best = optimize(
      model,
      {.run = {.end = 1}, .minimize = {parse_criterion("x")}, .over = {parse_range("l=0.5:1.5")}});
  std::printf("least x = %.4f m with l = %.4f m\n", best.best.value, best.best.at[0]);

  // Measurements, here those of a run with other parameters: which were they?
  Model other = model;
  other.parameters[0].value = 1.2;
  other.parameters[2].value = 0.4;
  const Simulation measured = simulate(other, {.end = 2, .sampling = {.count = 41}});
  Trajectory data({{"t", "s", Group::Time}, {"x", "m", Group::Outputs}});
  const std::vector<double> x = measured["x"];
  for (std::size_t i = 0; i < x.size(); ++i) {
    data.append(std::vector{measured.trajectory.time()[i], x[i]});
  }
  const Fit found = fit(model, data, {.over = {parse_fitted("l=0.5:2"), parse_fitted("d")}});
  for (std::size_t j = 0; j < found.parameters.size(); ++j) {
    std::printf("%s = %.4f\n", found.parameters[j].c_str(), found.values[j]);
  }
}
