#include <koppel/results/derivatives.hpp>

#include <algorithm>
#include <limits>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

constexpr int kHighest = 8;

int checked(int order) {
  if (order >= 1 && order <= kHighest) return order;
  throw Error("results.bad-derivative", "derivatives of order " + std::to_string(order) +
                                            " were asked for; orders go from 1 to " +
                                            std::to_string(kHighest) + ".");
}

}  // namespace

Derivatives::Derivatives(Problem problem, const Equations& equations, int order)
    : problem_(std::move(problem)), order_(checked(order)), num_outputs_(equations.outputs.size()) {
  const Dae& dae = problem_.series->terms().dae;
  given_ = problem_.series->terms().given;
  std::vector<Expr> variables = {dae.t}, outputs;
  for (const Dae::Unknown& unknown : dae.unknowns) {
    variables.insert(variables.end(), unknown.derivative.begin(), unknown.derivative.end());
  }
  for (const NamedExpr& output : equations.outputs) {
    outputs.push_back(output.value);
    for (int k = 1; k <= order; ++k) {
      names_.push_back(output.name + std::string(static_cast<std::size_t>(k), '\''));
    }
  }
  outputs_ = std::make_unique<Series>(variables, dae.given, outputs, order);
}

Derivatives::Workspace Derivatives::make_workspace() const {
  // Outputs may read the highest derivative of an unknown that the equations have.
  Workspace work{SeriesSolver(*problem_.series, order_ + problem_.series->max_d() + 2),
                 outputs_->make_workspace()};
  for (std::size_t i = 0; i < given_.size(); ++i) work.outputs.parameter(i) = given_[i];
  return work;
}

void Derivatives::evaluate(double t, std::span<const double> q, std::span<const double> v,
                           std::span<const double> x, std::span<double> out,
                           Workspace& work) const {
  SeriesSolver& solver = work.solver;
  const SeriesTerms& terms = problem_.series->terms();
  solver.set_time(t);
  std::size_t next = 0;
  for (const auto& part : {q, v, x}) {
    for (const double value : part) {
      const auto [unknown, order] = terms.y[next++];
      solver.set(unknown, order, value);  // orders 0 and 1 only: no factorial
    }
  }
  std::fill(out.begin(), out.end(), std::numeric_limits<double>::quiet_NaN());
  if (solver.make_consistent() != SeriesSolver::Status::Ok) return;
  if (solver.expand() != SeriesSolver::Status::Ok) return;

  work.outputs.variable(0)[0] = t;
  work.outputs.variable(0)[1] = 1;
  std::size_t variable = 1;
  for (int j = 0; j < solver.num_unknowns(); ++j) {
    const auto& derivative = terms.dae.unknowns[static_cast<std::size_t>(j)].derivative;
    for (std::size_t l = 0; l < derivative.size(); ++l, ++variable) {
      const int shift = static_cast<int>(l);
      for (int o = 0; o <= order_ && o + shift <= solver.degree(j); ++o) {
        double factor = 1;  // (o + l)!/o!
        for (int i = 1; i <= shift; ++i) factor *= o + i;
        work.outputs.variable(variable)[static_cast<std::size_t>(o)] =
            factor * solver.coefficient(j, o + shift);
      }
    }
  }
  for (int k = 0; k <= order_; ++k) outputs_->evaluate(k, work.outputs);
  auto place = out.begin();
  for (std::size_t i = 0; i < num_outputs_; ++i) {
    double factorial = 1;
    for (int k = 1; k <= order_; ++k) {
      factorial *= k;
      *place++ = factorial * work.outputs.output(i)[static_cast<std::size_t>(k)];
    }
  }
}

}  // namespace koppel
