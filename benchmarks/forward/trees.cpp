// Trees: chains of rods in joint coordinates.
#include <cmath>
#include <cstdio>

#include <problems/chain.hpp>

#include "benchmarks/expr/measure.hpp"
#include "sections.hpp"
#include "sides.hpp"
#include "simbody_side.hpp"

namespace koppel::benchmarks {
namespace {

// In extended precision, by the method of order 8: its own coefficients are good to 1e-16.
std::vector<double> reference_tip(std::size_t n, double end) {
  problems::Chain<long double> chain(n);
  auto y = chain.start();
  problems::integrate_adaptive(chain, problems::dop853_method(), y, end, 1e-15, 1e-4);
  const auto tip = chain.tip(y);
  return {static_cast<double>(tip[0]), static_cast<double>(tip[1])};
}

void compare_chain(std::size_t n, double end) {
  const std::string name = "chain of " + std::to_string(n);
  if (Contest(name, {}).is_skipped()) return;
  Contest contest(name, reference_tip(n, end));
  const Model model = built_in("chain", {{"n", std::to_string(n)}});
  const std::vector<std::string> outputs = {"x", "y"};
  const auto enter = [&](const char* label, const Way& way, const std::vector<double>& settings) {
    contest.enter(koppel_side(label, model, way, end, outputs, settings));
  };
  const std::vector<double> all = tolerances(1e-3, 1e-14);
  // The best order is looked for where that does not take long, and native code where its
  // compilation does not; series in joint coordinates take too long beyond 100 links.
  const auto enter_series = [&](const char* label, const Way& way) {
    if (n <= 10) {
      enter_taylor(contest, label, model, way, end, outputs, all);
    } else {
      enter(label, way, all);
    }
  };
  if (n <= 2)
    enter_series("koppel taylor, joint, compiled", {"joint", "minimal", "taylor", Native::Cc});
  if (n <= 100) enter_series("koppel taylor, joint, generated", {"joint", "minimal", "taylor"});
  if (n <= 10)
    enter_series("koppel taylor, natural, compiled", {"natural", "index3", "taylor", Native::Cc});
  enter_series("koppel taylor, natural, generated", {"natural", "index3", "taylor"});
  enter("koppel dop853, compiled", {"joint", "minimal", "dop853", Native::Cc}, all);
  enter("koppel dop853, generated", {"joint", "minimal", "dop853"}, all);
  const std::vector<double> steps = step_sizes(end, n <= 10 ? 100 : 3200, 1 << 18);
  enter("koppel rk4, compiled", {"joint", "minimal", "rk4", Native::Cc}, steps);
  enter("koppel rk4, generated", {"joint", "minimal", "rk4"}, steps);

  const auto chain = std::make_shared<problems::Chain<double>>(n);
  const auto tip = [chain](const std::vector<double>& y) { return chain->tip(y); };
  contest.enter(rk4_side("hand-written, RK4", chain, chain->start(), end, steps, tip));
  contest.enter(dop853_side("hand-written, DOP853", chain, chain->start(), end, all, tip));
#ifdef KOPPEL_HAS_SIMBODY
  if (n <= 100) contest.enter(simbody_chain(n, end));
#endif
  contest.print();

  if (!selection().mechanism.empty()) return;
  if (contest.has("Simbody")) {
    add_speedup(name + ": Simbody / koppel at 1e-6", contest.seconds("Simbody", 1e-6),
                contest.seconds("koppel", 1e-6), 10);
  }
  for (const char* method : {"rk4", "dop853"}) {
    const std::string other = std::string("hand-written, ") + (method[0] == 'r' ? "RK4" : "DOP853");
    add_slowdown(name + ": koppel " + method + " / hand-written at 1e-6",
                 contest.seconds(std::string("koppel ") + method, 1e-6),
                 contest.seconds(other, 1e-6), 1.5);
  }
  for (const double accuracy : {1e-9, 1e-11}) {
    const double ours = contest.seconds("koppel taylor", accuracy);
    add_slowdown(name + ": koppel taylor / hand-written, RK4, at " + scientific(accuracy), ours,
                 contest.seconds("hand-written, RK4", accuracy), 1);
    add_slowdown(name + ": koppel taylor / hand-written, best, at " + scientific(accuracy), ours,
                 contest.seconds("hand-written", accuracy), 1);
  }
}

}  // namespace

void report_trees() {
  if (selection().mechanism.empty()) print_heading("Trees");
  compare_chain(2, 5);
  compare_chain(10, 1);
  compare_chain(100, 1);
  compare_chain(1000, 0.02);
}

}  // namespace koppel::benchmarks
