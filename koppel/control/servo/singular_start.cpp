#include <koppel/control/servo/singular_start.hpp>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/structure/hidden_equations.hpp>

namespace koppel {

std::string describe_singular_start(const ServoProblem& servo, const Evaluator& evaluator,
                                    const State& start, std::string* subject) {
  const DaePoint point = make_point(servo.dae, evaluator, start);
  const Regularity found = check_regularity(servo.dae, servo.structure, point);
  if (found.is_regular || !is_regular_around(servo.dae, servo.structure, point)) return {};
  if (subject != nullptr && !found.unknowns.empty()) *subject = found.unknowns.front();
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

State with_rates_of_references(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  std::vector<Expr> deviations;
  for (std::size_t i = 0; i < e.s.size(); ++i) {
    deviations.push_back(e.s[i].value - e.reference[i]);
  }
  const std::vector<Expr> rates = rate_of(e, deviations);
  const Matrix S = MatrixFunction(e, jacobian(rates, e.v))(state);
  const std::vector<double> off = VectorFunction(e, rates)(state);
  const Matrix C = evaluator.all_constraints(state);
  Eigen::MatrixXd A(C.rows + S.rows, C.columns);
  A << dense::view(C), dense::view(S);
  Eigen::VectorXd missing = Eigen::VectorXd::Zero(A.rows());
  missing.tail(S.rows) = -dense::view(off);
  State out = state;
  dense::view(out.v) += dense::LeastNorm(A).solve(missing);
  return out;
}

}  // namespace koppel
