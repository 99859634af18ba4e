#include "benchmarks/validation/stability.hpp"

#include <cmath>
#include <complex>
#include <cstdio>
#include <functional>
#include <numbers>
#include <optional>

#include <fmt/format.h>

#include <koppel/simulate/simulate.hpp>
#include <problems/validation.hpp>

#include "benchmarks/validation/figure.hpp"
#include "benchmarks/validation/table.hpp"

namespace koppel::problems {
namespace {

using benchmarks::Figure;
using benchmarks::Line;
using benchmarks::print_head;
using benchmarks::print_row;
using benchmarks::write_figure;

// q″ = −a q − b q′ whose right-hand side has the eigenvalues λ and λ̄: a = |λ|², b = −2 Re λ.
Simulation one_step(const std::string& integrator, std::complex<double> lambda, double q,
                    double v) {
  const Model model = read_model_text(
      fmt::format("name: test equation\ncoordinates: {{q: {{start: {:.17g}, rate: {:.17g}, fixed: "
                  "true}}}}\nkinetic: q'^2/2\ngeneralized_forces: {{q: -({:.17g})*q - "
                  "({:.17g})*q'}}\noutputs: {{q: q, w: q'}}\n",
                  q, v, std::norm(lambda), -2 * lambda.real()),
      "test.yaml");
  SimulateOptions options = options_of(model);
  options.integrator = integrator;
  options.formulation = "minimal";
  options.step = 1;
  options.end = 1;
  options.sampling.every_step = true;
  options.health.is_watched = false;
  return simulate(model, options);
}

// The spectral radius of the step with h = 1, from two steps of the program.
double spectral_radius(const std::string& integrator, std::complex<double> lambda) {
  const Simulation first = one_step(integrator, lambda, 1, 0),
                   second = one_step(integrator, lambda, 0, 1);
  const double a = first.trajectory["q"].back(), c = first.trajectory["w"].back(),
               b = second.trajectory["q"].back(), d = second.trajectory["w"].back();
  const std::complex<double> middle = (a + d) / 2,
                             root = std::sqrt(middle * middle - (a * d - b * c));
  return std::max(std::abs(middle + root), std::abs(middle - root));
}

constexpr double kFar = 20;

// How far from 0 along a direction in the left half plane steps are stable; none: at least kFar.
std::optional<double> stable_until(const std::string& integrator, double angle) {
  const auto is_stable = [&](double r) {
    return spectral_radius(integrator, std::polar(r, angle)) <= 1 + 1e-9;
  };
  if (is_stable(kFar)) return {};
  double low = 0, high = kFar;
  for (int i = 0; i < 24; ++i) {
    const double middle = (low + high) / 2;
    (is_stable(middle) ? low : high) = middle;
  }
  return low;
}

struct Region {
  const char *name, *integrator;
  const char* limits;  // the source's, of h²a and hb
  // The boundary by these limits along a direction; none: there is none.
  std::function<std::optional<double>(double)> known;
};

// r of x² + y² = k + m x along the direction φ: r² − m cos φ r − k = 0.
double circle(double m, double k, double angle) {
  const double half = m * std::cos(angle) / 2;
  return half + std::sqrt(half * half + k);
}

}  // namespace

void report_stability(const std::string& figures) {
  std::puts(R"(
### Stability

Figure 1 of the source: the complex eigenvalues h λ of the test equation q″ = −a q − b q′ for which steps are
stable. The boundaries are found with steps of the program along 41 directions in the left half plane. *Limits*
are those of the source; *difference* is the largest difference between the two. Made by `validation FOLDER
fixed-cost`.)");
  const double pi = std::numbers::pi;
  const Region regions[] = {
      {"explicit Euler", "explicit-euler", "h²a ≤ hb",
       [](double angle) { return circle(-2, 0, angle); }},
      {"J1", "linear-implicit:J1:positions-first", "h²a ≤ 2hb + 4",
       [](double angle) { return circle(-4, 4, angle); }},
      {"J2", "linear-implicit:J2:positions-first", "none", [](double) { return std::nullopt; }},
      {"J3", "linear-implicit:J3:positions-first", "h²a ≤ 4 − 2hb, hb ≤ 2",
       [](double angle) { return circle(4, 4, angle); }}};
  Figure figure{"Stability regions, h λ", "real part", "imaginary part", {}};
  figure.is_true_to_scale = true;
  print_head({"Jacobian", "limits", "directions with a boundary", "difference"}, 2);
  for (const Region& region : regions) {
    Line line{region.name, {}, {}};
    int num_bounded = 0;
    double difference = 0;
    for (int i = 0; i <= 40; ++i) {
      const double angle = pi / 2 + (pi / 2 - 1e-3) * i / 40;
      const std::optional<double> found = stable_until(region.integrator, angle),
                                  known = region.known(angle);
      if (found) {
        ++num_bounded;
        line.x.push_back(*found * std::cos(angle));
        line.y.push_back(*found * std::sin(angle));
      }
      difference = std::max(difference, found && known   ? std::abs(*found - *known)
                                        : found || known ? kFar
                                                         : 0);
    }
    print_row({region.name, region.limits, fmt::format("{} of 41", num_bounded),
               fmt::format("{:.0e}", difference)});
    if (num_bounded > 0) figure.lines.push_back(line);
  }
  std::puts("\nJ2 has no boundary: the whole left half plane is stable.");
  write_figure(figures, "stability_regions", figure);
}

void report_track(const std::string& figures) {
  std::puts(R"(
### Circular track

Figure 3: the distance of the mass from the centre (1 m), with steps of 1 ms and
`linear-implicit:J2:positions-first`. The source does not print gains, forces and speed; ours are in
[models/circular_track.yaml](../models/circular_track.yaml).)");
  const Model model = read_mechanism("circular_track");
  Figure figure{"Circular track: distance from the centre less 1", "t, s", "m", {}};
  print_head({"command", "at 50 s, m", "at 100 s, m"}, 1);
  struct Treatment {
    const char *name, *formulation;
    Projection projection;
  };
  for (const Treatment& one : {Treatment{"index 1", "index1", Projection::None},
                               {"index 2", "index2", Projection::None},
                               {"index 1, projection", "index1", Projection::Once}}) {
    SimulateOptions options = options_of(model);
    options.integrator = "linear-implicit:J2:positions-first";
    options.formulation = one.formulation;
    options.projection = one.projection;
    options.step = 1e-3;
    options.end = 100;
    options.sampling.count = 1001;
    options.health.is_watched = false;
    const Trajectory motion = simulate(model, options).trajectory;
    Line line{one.name, {motion.time().begin(), motion.time().end()}, {}};
    for (std::size_t i = 0; i < motion.num_rows(); ++i) {
      line.y.push_back(std::hypot(motion["x"][i], motion["y"][i]) - 1);
    }
    print_row({fmt::format("`koppel run circular_track --integrator {} --formulation {} "
                           "--projection {} --step 1e-3`",
                           options.integrator.text(), one.formulation,
                           one.projection == Projection::None ? "none" : "once"),
               fmt::format("{:.2e}", line.y[500]), fmt::format("{:.2e}", line.y[1000])});
    figure.lines.push_back(std::move(line));
  }
  write_figure(figures, "circular_track_drift", figure);
}

}  // namespace koppel::problems
