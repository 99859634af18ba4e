// Derivatives of runs: what they cost in runs of the same kind, and how exact they are, beside
// central differences, as Markdown tables. Processor time, the least of several rounds; set-up
// (derivation, compilation) is left out of all of them.
//
//   study_benchmark [INTEGRATOR [MODEL]]     dop853 (default) or taylor; all models, or those whose
//                                            names have this in them
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include <fmt/format.h>

#include <koppel/study/parameters.hpp>
#include <koppel/study/sampled_inputs.hpp>
#include <koppel/study/start_tangent.hpp>
#include <koppel/study/traced_motion.hpp>
#include <koppel/version.hpp>

#include "benchmarks/machine.hpp"

namespace koppel::benchmarks {

constexpr double kTolerance = 1e-12;
constexpr int kRounds = 3;

std::string integrator = "dop853", only;

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

template <typename Work>
double least(Work&& work) {
  double best = 1e300;
  for (int round = 0; round < kRounds; ++round) {
    const double before = processor_seconds();
    work();
    best = std::min(best, processor_seconds() - before);
  }
  return best;
}

SimulateOptions options_for(double end) {
  SimulateOptions options;
  options.end = end;
  options.tolerance = kTolerance;
  options.integrator = integrator;
  options.sampling.count = 2;
  return options;
}

double final_of(const Model& model, const std::string& output, double end) {
  return simulate(model, options_for(end)).trajectory[output].back();
}

// Of the integration alone.
double seconds_of(const Model& model, double end) {
  const Prepared prepared = prepare(model, options_for(end));
  IntegrateOptions options;
  options.tolerance = kTolerance;
  return least([&] {
    integrate(prepared.problem, prepared.choice.integrator, prepared.start, end, options);
  });
}

void measure(const std::string& name, const Model& model,
             const std::vector<ParameterOrigin>& origins, const std::string& output,
             const std::vector<std::string>& over, double end) {
  if (name.find(only) == std::string::npos) return;
  const StudiedParameters space(model, origins, over);
  TraceOptions trace;
  trace.run = options_for(end);
  trace.outputs = {output};
  const Model there = space.at(space.values());
  const TracedMotion motion(there, trace);
  const Matrix start = start_tangent(there, motion.equations(), motion.start());
  const auto directions = motion.directions(start, space.directions(there));
  const std::size_t last = motion.samples().size() - 1;
  std::vector<TracedMotion::Direction> backward;
  const double adjoint = least([&] {
    backward = motion.backward({{{{last, 0, 1.0}}, {}, {}, 0}});
  });
  // Some of the directions, where they are many.
  const std::vector<TracedMotion::Direction> some(
      directions.begin(),
      directions.begin() + static_cast<long>(std::min<std::size_t>(directions.size(), 10)));
  std::vector<TracedMotion::Changes> changes;
  const double forward = least([&] { changes = motion.forward(some); }) *
                         static_cast<double>(directions.size()) / static_cast<double>(some.size());
  const double run = seconds_of(there, end);

  // By the parameter that matters most: against the other way, and central differences.
  std::size_t j = 0;
  const auto effect = [&](std::size_t k) {
    return std::abs(changes[k].values[last][0] * space.values()[k]);
  };
  for (std::size_t k = 1; k < some.size(); ++k) j = effect(k) > effect(j) ? k : j;
  double weighted = 0;
  for (std::size_t i = 0; i < some[j].start.size(); ++i) {
    weighted += backward[0].start[i] * some[j].start[i];
  }
  for (std::size_t i = 0; i < some[j].given.size(); ++i) {
    weighted += backward[0].given[i] * some[j].given[i];
  }
  const double exact = changes[j].values[last][0], size = std::max(std::abs(exact), 1e-300);
  double best = 1e300;
  for (const double relative : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    std::vector<double> ahead = space.values(), behind = ahead;
    const double h = relative * std::max(std::abs(ahead[j]), 1e-3);
    ahead[j] += h;
    behind[j] -= h;
    const double slope =
        (final_of(space.at(ahead), output, end) - final_of(space.at(behind), output, end)) /
        (2 * h);
    best = std::min(best, std::abs(slope - exact) / size);
  }
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {:.1f} | {} | {:.0e} | {:.0e} |\n", name,
             over.size(), motion.num_steps(), 1e3 * run, adjoint / run, forward / run,
             2 * over.size(), std::abs(weighted - exact) / size, best);
}

// Masses in a row between springs, and further springs of their own stiffness beside these: as many
// parameters as there are such springs, and no two that act alike.
std::string chain(int count) {
  std::string text = "parameters: {";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{}k{}: {}", i > 0 ? ", " : "", i, 10 + i % 7);
  text += "}\ncoordinates:\n";
  constexpr int kMasses = 10;
  std::string kinetic, potential;
  for (int i = 0; i < kMasses; ++i) {
    text += fmt::format("  x{}: {{start: {}}}\n", i, i == 0 ? 0.1 : 0.0);
    kinetic += fmt::format("{}x{}'^2/2", i > 0 ? " + " : "", i);
  }
  const auto stretch = [](int i) {
    return i == 0 ? std::string("x0") : fmt::format("(x{} - x{})", i, i - 1);
  };
  for (int i = 0; i < kMasses; ++i) {
    potential += fmt::format("{}20*{}^2", i > 0 ? " + " : "", stretch(i));
  }
  for (int k = 0; k < count; ++k) {
    potential += fmt::format(" + {:.6f}*k{}*{}^2", (0.5 + 0.001 * k) / std::max(1, count / kMasses),
                             k, stretch(k % kMasses));
  }
  return text + "kinetic: " + kinetic + "\npotential: " + potential +
         "\noutputs: {x: x9}\nrun: {end: 5}\n";
}

constexpr const char* kCart = R"(
parameters: {M: 1, m: 0.3, l: 0.5, g: 9.81}
inputs: [F]
coordinates: {x: 0, phi: 0.1}
kinetic: M*x'^2/2 + m/2*((x' + l*phi'*cos(phi))^2 + (l*phi'*sin(phi))^2)
potential: -m*g*l*cos(phi)
generalized_forces: {x: F}
outputs: {x: x}
)";

void run() {
  fmt::print("Commit {}, {}, {}.\n\n", koppel::commit(), processor(), integrator);
  fmt::print(
      "| model | parameters | steps | run, ms | adjoint, runs | forward, runs | differences, runs "
      "| "
      "adjoint against forward | best central difference |\n| --- | --- | --- | --- | --- | --- | "
      "--- | --- | --- |\n");
  struct Case {
    const char *name, *output;
    std::vector<std::string> over;
    double end;
  };
  for (const Case& c :
       {Case{"slider_crank", "Bx", {"a", "b", "m", "g", "phi0"}, 2},
        Case{"andrews", "theta", {"rr", "m5", "c0", "mom", "xa"}, 0.02},
        Case{"bricard", "xP3", {"m", "L", "w", "g"}, 2},
        Case{"overhead_crane", "l", {"m_t", "m", "J", "r", "g"}, 1},
        Case{"vehicle_trailer", "y", {"steering", "m", "a", "b", "mt", "k"}, 1.5}}) {
    std::vector<ParameterOrigin> origins;
    const Model model = read_model(std::string(KOPPEL_MODELS) + c.name + ".yaml", {}, origins);
    measure(c.name, model, origins, c.output, c.over, c.end);
  }
  for (const int count : {1, 10, 100, 1000}) {
    std::vector<ParameterOrigin> origins;
    const Model model = read_model_text(chain(count), "chain.yaml", {}, origins);
    std::vector<std::string> over;
    for (int i = 0; i < count; ++i) over.push_back(fmt::format("k{}", i));
    measure(fmt::format("ten masses, {} springs", count), model, origins, "x", over, 5);
  }
  for (const int count : {10, 100, 1000}) {  // samples of a force
    std::vector<ParameterOrigin> origins;
    Model model = read_model_text(kCart, "cart.yaml", {}, origins);
    SampledInput force{"F", {}};
    for (int i = 0; i < count; ++i) force.values.push_back(std::sin(20.0 * i / count));
    model = with_sampled_input(std::move(model), force, 5);
    std::vector<std::string> over;
    for (int i = 0; i < count; ++i) over.push_back(fmt::format("F[{}]", i));
    measure(fmt::format("cart with pendulum, {} samples of its force", count), model, origins, "x",
            over, 5);
  }
}

}  // namespace koppel::benchmarks

int main(int argc, char** argv) {
  if (argc > 1) koppel::benchmarks::integrator = argv[1];
  if (argc > 2) koppel::benchmarks::only = argv[2];
  koppel::benchmarks::run();
}
