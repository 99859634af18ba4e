#include <koppel/expr/code/function.hpp>

#include "by_hand.h"
#include "measure.hpp"
#include "models.hpp"
#include "sections.hpp"

namespace koppel::benchmarks {
namespace {

constexpr std::size_t kPoints = 1024;

std::vector<std::string> report(const Formula& formula) {
  const Function tape = on_tape([&] { return Function(formula.inputs, formula.outputs); });
  const Function generated(formula.inputs, formula.outputs);
  const Function native(formula.inputs, formula.outputs, {.native = Native::Cc});
  Workspace tape_work = tape.make_workspace(), native_work = native.make_workspace();
  Workspace generated_work = generated.make_workspace();
  Workspace batch_work = generated.make_batch_workspace();
  const std::vector<double>& in = formula.point;
  const std::size_t size = formula.outputs.size();
  std::vector<double> by_hand(size), by_tape(size), by_native(size), by_code(size);
  std::vector<double> many_in, many_out(size * kPoints);
  for (const double x : in) many_in.insert(many_in.end(), kPoints, x);

  const Work works[] = {
      [&](std::size_t n) {
        while (n-- > 0) formula.by_hand(in.data(), by_hand.data());
      },
      [&](std::size_t n) {
        while (n-- > 0) native.evaluate(in, by_native, native_work);
      },
      [&](std::size_t n) {
        while (n-- > 0) tape.evaluate(in, by_tape, tape_work);
      },
      [&](std::size_t n) {
        while (n-- > 0) generated.evaluate(in, by_code, generated_work);
      },
      [&](std::size_t n) {
        while (n-- > 0) generated.evaluate_batch(many_in, many_out, kPoints, batch_work);
      },
  };
  const auto [seconds, ratio] = measure(works);
  const double batch = seconds[4] / kPoints;
  const auto operations = static_cast<double>(tape.num_instructions());
  char difference[32];
  std::snprintf(difference, sizeof difference, "%.0e", relative_difference(by_native, by_hand));
  return {formula.name,
          number(operations, 0),
          number(1e9 * seconds[0], 1),
          native.is_native() ? number(1e9 * seconds[1], 1) : native.why_not_native(),
          number(seconds[1] / seconds[0], 2),
          number(ratio[1], 2),
          number(1e9 * seconds[3], 1),
          number(seconds[3] / seconds[0], 2),
          number(seconds[3] / seconds[1], 2),
          number(1e9 * batch, 1),
          number(seconds[3] / batch, 2),
          number(1e9 * seconds[2], 1),
          difference,
          by_tape == by_native && by_code == by_native ? "yes" : "NO"};
}

}  // namespace

void report_functions() {
  print_heading("Evaluation");
  print_head({"formula", "operations", "hand-written, ns", "native, ns",
              "native / hand-written, least", "median", "generated, ns", "generated / hand-written",
              "generated / native", "four lanes, ns a point", "generated / four lanes", "tape, ns",
              "native − hand-written, relative", "all bits agree"});
  Graph graph;
  for (const Formula& formula :
       {make_cart_pole(graph), make_chain(graph, kNumLinks), make_gravity(graph, kNumBodies)}) {
    print_row(report(formula));
  }
}

}  // namespace koppel::benchmarks
