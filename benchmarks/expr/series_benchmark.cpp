#include <koppel/expr/series/series.hpp>

#include "measure.hpp"
#include "models.hpp"
#include "sections.hpp"

namespace koppel::benchmarks {
namespace {

constexpr int kOrder = 20;

// The coefficients of the solution of x' = f(x): from f_k, x_{k+1} = f_k / (k + 1).
void solve(const Series& f, SeriesWorkspace& work, std::size_t num_variables) {
  for (int k = 0; k < kOrder; ++k) {
    f.evaluate(k, work);
    for (std::size_t i = 0; i < num_variables; ++i) {
      const auto order = static_cast<std::size_t>(k);
      work.variable(i)[order + 1] = work.output(i)[order] / (k + 1);
    }
  }
}

std::vector<double> solution(SeriesWorkspace& work, std::size_t num_variables) {
  std::vector<double> out;
  for (std::size_t i = 0; i < num_variables; ++i) {
    const auto coefficients = work.variable(i);
    out.insert(out.end(), coefficients.begin(), coefficients.end());
  }
  return out;
}

std::vector<std::string> report(const System& system) {
  const std::size_t size = system.variables.size();
  const Series tape = on_tape([&] { return Series(system.variables, {}, system.rates, kOrder); });
  const Series generated(system.variables, {}, system.rates, kOrder);
  const Series native(system.variables, {}, system.rates, kOrder, {.native = Native::Cc});
  SeriesWorkspace tape_work = tape.make_workspace(), native_work = native.make_workspace();
  SeriesWorkspace generated_work = generated.make_workspace();
  std::vector<double> by_hand(size * (kOrder + 1));
  for (std::size_t i = 0; i < size; ++i) {
    by_hand[i * (kOrder + 1)] = system.start[i];
    for (SeriesWorkspace* work : {&tape_work, &native_work, &generated_work}) {
      work->variable(i)[0] = system.start[i];
    }
  }
  const Work works[] = {
      [&](std::size_t n) {
        while (n-- > 0) system.by_hand(by_hand.data(), kOrder);
      },
      [&](std::size_t n) {
        while (n-- > 0) solve(native, native_work, size);
      },
      [&](std::size_t n) {
        while (n-- > 0) solve(generated, generated_work, size);
      },
      [&](std::size_t n) {
        while (n-- > 0) solve(tape, tape_work, size);
      },
  };
  const auto [seconds, ratio] = measure(works);
  const auto by_native = solution(native_work, size);
  char difference[32];
  std::snprintf(difference, sizeof difference, "%.0e", relative_difference(by_native, by_hand));
  return {system.name,
          std::to_string(tape.num_instructions()),
          number(1e6 * seconds[0], 2),
          native.is_native() ? number(1e6 * seconds[1], 2) : native.why_not_native(),
          number(seconds[1] / seconds[0], 2),
          number(ratio[1], 2),
          number(1e6 * seconds[2], 2),
          number(seconds[2] / seconds[0], 2),
          number(1e6 * seconds[3], 2),
          number(seconds[3] / seconds[0], 2),
          difference,
          solution(tape_work, size) == by_native && solution(generated_work, size) == by_native
              ? "yes"
              : "NO"};
}

}  // namespace

void report_series() {
  print_heading("Taylor coefficients of the solution of x' = f(x) up to order " +
                std::to_string(kOrder));
  print_head({"system", "operations", "hand-written, µs", "native, µs",
              "native / hand-written, least", "median", "generated, µs", "generated / hand-written",
              "tape, µs", "tape / hand-written", "native − hand-written, relative",
              "all bits agree"});
  Graph graph;
  for (const System& system : {make_pendulum(graph), make_kepler(graph),
                               make_double_pendulum(graph), make_planets(graph)}) {
    print_row(report(system));
  }
}

}  // namespace koppel::benchmarks
