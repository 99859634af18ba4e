#include <koppel/control/checks/solution_checks.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace koppel {
namespace {

Function make_rows(const Equations& e) {
  std::vector<Expr> values, inputs = {e.t};
  for (const auto* part : {&e.q, &e.p}) inputs.insert(inputs.end(), part->begin(), part->end());
  for (std::size_t i = 0; i < e.s.size(); ++i) values.push_back(e.s[i].value - e.reference[i]);
  for (const NamedExpr& positive : e.positive) values.push_back(positive.value);
  return Function(inputs, values);
}

Function make_residual(const Dae& dae) {
  std::vector<Expr> inputs = {dae.t}, residuals;
  for (const Dae::Unknown& unknown : dae.unknowns) {
    inputs.insert(inputs.end(), unknown.derivative.begin(), unknown.derivative.end());
  }
  inputs.insert(inputs.end(), dae.given.begin(), dae.given.end());
  for (const NamedExpr& residual : dae.residuals) residuals.push_back(residual.value);
  return Function(inputs, residuals);
}

}  // namespace

SolutionChecks::SolutionChecks(const Equations& equations, const ServoProblem& servo,
                               std::span<const double> p)
    : e_(equations),
      p_(p.begin(), p.end()),
      rows_(make_rows(equations)),
      residual_(make_residual(servo.dae)),
      row_work_(rows_.make_workspace()),
      residual_work_(residual_.make_workspace()),
      row_out_(rows_.num_outputs()),
      residual_out_(residual_.num_outputs()) {}

std::optional<std::string> SolutionChecks::check(double t, std::span<const double> q) {
  in_.assign(1, t);
  in_.insert(in_.end(), q.begin(), q.end());
  in_.insert(in_.end(), p_.begin(), p_.end());
  rows_.evaluate(in_, row_out_, row_work_);
  for (std::size_t i = 0; i < e_.s.size(); ++i) {
    if (std::abs(row_out_[i]) <= max_servo_error_) continue;
    max_servo_error_ = std::abs(row_out_[i]);
    time_of_servo_error_ = t;
  }
  for (std::size_t i = 0; i < e_.positive.size(); ++i) {
    const double value = row_out_[e_.s.size() + i];
    if (value > 0) continue;
    return fmt::format(
        "the motion is on a wrong branch: '{}', which must be positive, is "
        "{:.6g}.",
        e_.positive[i].name, value);
  }
  return {};
}

void SolutionChecks::note_residual(const DaePoint& point) {
  in_.assign(1, point.t);
  for (const auto& of : point.unknowns) in_.insert(in_.end(), of.begin(), of.end());
  in_.insert(in_.end(), point.given.begin(), point.given.end());
  residual_.evaluate(in_, residual_out_, residual_work_);
  for (const double r : residual_out_) max_residual_ = std::max(max_residual_, std::abs(r));
}

}  // namespace koppel
