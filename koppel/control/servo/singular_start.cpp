#include <koppel/control/servo/singular_start.hpp>

#include <fmt/format.h>

#include <koppel/analysis/structure/hidden_equations.hpp>

namespace koppel {

std::string describe_singular_start(const ServoProblem& servo, const Evaluator& evaluator,
                                    const State& start) {
  const DaePoint point = make_point(servo.dae, evaluator, start);
  const Regularity found = check_regularity(servo.dae, servo.structure, point);
  if (found.is_regular || !is_regular_around(servo.dae, servo.structure, point)) return {};
  std::string names;
  for (const std::string& name : found.unknowns)
    names += (names.empty() ? "'" : ", '") + name + "'";
  return fmt::format(
      "the outputs have no relative degree at the start: there the equations do not determine {}; "
      "beside it they do, with index {} and {}.",
      names.empty() ? "the inputs" : names, servo.index,
      servo.num_free == 0 ? std::string("no internal dynamics")
                          : fmt::format("internal dynamics of order {}", servo.num_free));
}

}  // namespace koppel
