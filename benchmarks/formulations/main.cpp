// formulations_benchmark: the same mechanisms by every formulation with a right-hand side: the cost
// of its rates, of a simulated second, and the drift that is left without projection. Prints
// tables for tools/performance.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/model/yaml/read_model.hpp>
#include <koppel/version.hpp>

#include "benchmarks/expr/measure.hpp"
#include "benchmarks/forward/prepared.hpp"
#include "benchmarks/machine.hpp"

namespace koppel::benchmarks {
namespace {

constexpr const char* kForms[] = {"index1", "baumgarte", "implicit", "explicit",
                                  "qr",     "svd",       "partition"};

struct Mechanism {
  std::string name, file, parameter;
  long value, bodies;
  double end;
};

Model read(const Mechanism& m) {
  ReadOptions options;
  if (!m.parameter.empty()) options.set = {{m.parameter, std::to_string(m.value)}};
  return read_model(KOPPEL_MODELS + m.file + ".yaml", options);
}

// Microseconds that the rates take at the start, turn by turn with those of the others.
std::vector<double> time_rates(std::vector<Prepared>& all) {
  std::vector<Work> works;
  for (Prepared& prepared : all) {
    const Problem& problem = prepared.problem();
    const auto work = std::make_shared<RightHandSide::Workspace>(problem.rhs->make_workspace());
    const auto y = std::make_shared<std::vector<double>>(prepared.start().y);
    const auto rate = std::make_shared<std::vector<double>>(y->size());
    works.push_back([=, &problem](std::size_t repetitions) {
      for (std::size_t i = 0; i < repetitions; ++i) {
        (*y)[0] += 1e-9;  // so that nothing can be kept from the call before
        problem.rhs->evaluate(0, *y, *rate, *work);
      }
    });
  }
  std::vector<double> microseconds;
  for (const double seconds : measure(works).seconds) microseconds.push_back(1e6 * seconds);
  return microseconds;
}

double drift_of(Prepared& prepared) {
  const Problem& problem = prepared.problem();
  Projector::Workspace work = problem.projector->make_workspace();
  const std::span<const double> y = prepared.outcome().y;
  return problem.projector->violation(prepared.outcome().t, problem.q(y), problem.v(y), work)
      .position;
}

std::string scientific(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0e", value);
  return text;
}

using Growth = std::map<std::string, std::vector<std::pair<double, double>>>;

void report(const Mechanism& mechanism, Growth& growth) {
  const Model model = read(mechanism);
  std::vector<Prepared> all;
  std::vector<std::string> names;
  const bool is_large = mechanism.bodies >= 100;  // simulations would take minutes
  for (const std::string form : kForms) {
    const bool is_sparse = form == "index1" || form == "baumgarte" || form == "implicit";
    if (is_large && !is_sparse) continue;  // dense
    all.emplace_back(model, Way{"absolute", form, "dop853"});
    names.push_back(form);
  }
  const std::vector<double> rates = time_rates(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::string seconds = "—", steps = "—", drift = "—";
    if (!is_large) {
      const IntegrateOptions options{.tolerance = 1e-8, .projection = Projection::None};
      const double time = time_once([&] { all[i].run(mechanism.end, options); });
      const Outcome& outcome = all[i].outcome();
      if (outcome.status == Outcome::Status::Done) {
        seconds = number(1e3 * time / mechanism.end, 2);
        steps = std::to_string(outcome.statistics.steps);
        drift = scientific(drift_of(all[i]));
      }
    }
    const Problem& problem = all[i].problem();
    growth[mechanism.file + ", " + names[i]].emplace_back(problem.num_v, rates[i]);
    print_row({mechanism.name, std::to_string(problem.num_v), std::to_string(problem.num_lambda),
               names[i], number(rates[i], 2), number(rates[i] / rates[0], 2), seconds, steps,
               drift});
  }
}

void report_growth(const Growth& growth) {
  print_heading("Growth of the cost of rates with the number of velocities");
  print_head({"mechanism, formulation", "velocities", "exponent"});
  for (const auto& [name, points] : growth) {
    if (points.size() < 3) continue;
    const auto &a = points[points.size() - 2], &b = points.back();
    print_row({name, number(a.first, 0) + " to " + number(b.first, 0),
               number(std::log(b.second / a.second) / std::log(b.first / a.first), 2)});
  }
}

}  // namespace
}  // namespace koppel::benchmarks

int main() {
  using namespace koppel::benchmarks;
  const EmptyCache cache;
  std::printf("koppel %s, commit %s\ncompiler: %s, flags: %s\nprocessor: %s\n", koppel::version(),
              koppel::commit(), __VERSION__, KOPPEL_FLAGS, processor().c_str());
  print_heading("Formulations");
  print_head({"mechanism", "velocities", "constraints", "formulation", "rates, µs", "to index1",
              "a second, ms", "steps", "drift of g"});
  Growth growth;
  const Mechanism mechanisms[] = {
      {"slider crank", "slider_crank", "", 0, 2, 10},
      {"five links", "five_link", "", 0, 2, 1},
      {"chain of 5", "chain", "n", 5, 5, 1},
      {"chain of 10", "chain", "n", 10, 10, 1},
      {"chain of 20", "chain", "n", 20, 20, 1},
      {"chain of 100", "chain", "n", 100, 100, 1},
      {"chain of 1000", "chain", "n", 1000, 1000, 1},
      {"ladder of 5", "four_bar", "N", 2, 5, 1},
      {"ladder of 11", "four_bar", "N", 5, 11, 1},
      {"ladder of 21", "four_bar", "N", 10, 21, 1},
      {"ladder of 101", "four_bar", "N", 50, 101, 1},
      {"ladder of 1001", "four_bar", "N", 500, 1001, 1},
  };
  for (const Mechanism& mechanism : mechanisms) report(mechanism, growth);
  report_growth(growth);
}
