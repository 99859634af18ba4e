#include <koppel/control/checks/row_residual.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace koppel {

ResidualProbe::ResidualProbe(const Evaluator& evaluator, const State& given, const Problem& problem,
                             std::span<const double> corners)
    : evaluator_(evaluator),
      problem_(problem),
      corners_(corners.begin(), corners.end()),
      state_(given),
      rows_(static_cast<std::size_t>(problem.num_v + problem.num_x)) {
  for (auto& y : y_) y.resize(static_cast<std::size_t>(problem.size()));
}

void ResidualProbe::take_state(double t, std::span<const double> y) {
  const auto num_q = static_cast<std::size_t>(problem_.num_q);
  const auto num_v = static_cast<std::size_t>(problem_.num_v);
  const auto q = problem_.q(y), v = problem_.v(y);
  const auto x = y.subspan(num_q + num_v, static_cast<std::size_t>(problem_.num_x));
  const auto u = y.last(static_cast<std::size_t>(problem_.num_u));
  state_.t = t;
  state_.q.assign(q.begin(), q.end());
  state_.v.assign(v.begin(), v.end());
  state_.x.assign(x.begin(), x.end());
  state_.u.assign(u.begin(), u.end());
}

double ResidualProbe::rate(std::size_t i, double distance) const {
  return (y_[2][i] - y_[0][i]) / (2 * distance);
}

void ResidualProbe::note(std::size_t i, std::span<const double> terms) {
  double sum = 0, size = 0;
  for (const double term : terms) {
    sum += term;
    size += std::abs(term);
  }
  Row& row = rows_[i];
  row.size = std::max(row.size, size);
  if (std::abs(sum) <= row.remainder) return;
  row.remainder = std::abs(sum);
  row.t = state_.t;
}

void ResidualProbe::look_at(const Step& step) {
  const auto is_inside = [&](double corner) { return corner > step.t0 && corner < step.t1; };
  if (std::any_of(corners_.begin(), corners_.end(), is_inside)) return;
  const double middle = 0.5 * (step.t0 + step.t1), distance = 1e-3 * (step.t1 - step.t0);
  for (std::size_t k = 0; k < 3; ++k) {
    step.evaluate(middle + (static_cast<double>(k) - 1) * distance, y_[k]);
  }
  take_state(middle, y_[1]);
  const auto first = static_cast<std::size_t>(problem_.num_q);
  const auto multipliers =
      std::span<const double>(y_[1]).subspan(static_cast<std::size_t>(problem_.num_differential()));
  const Matrix M = (*evaluator_.M)(state_), C = evaluator_.all_constraints(state_);
  const std::vector<double> f = evaluator_.f(state_), r = evaluator_.r(state_);
  const std::size_t n = state_.v.size();
  const auto num_multipliers = static_cast<std::size_t>(problem_.num_lambda + problem_.num_mu);
  for (std::size_t i = 0; i < n; ++i) {
    double inertia = 0, constraint = 0;
    for (std::size_t j = 0; j < n; ++j) {
      inertia += M(static_cast<int>(i), static_cast<int>(j)) * rate(first + j, distance);
    }
    for (std::size_t k = 0; k < num_multipliers; ++k) {
      constraint += C(problem_.rows[k], static_cast<int>(i)) * multipliers[k];
    }
    note(i, std::array{inertia, -f[i], constraint});
  }
  for (std::size_t i = 0; i < r.size(); ++i) {
    note(n + i, std::array{rate(first + n + i, distance), -r[i]});
  }
}

RowResidual ResidualProbe::find() const {
  const Equations& e = evaluator_.equations;
  // Forces are compared with forces, torques with torques: an equation may have no terms but
  // round-off.
  std::map<std::string, double> size;
  const auto unit_of_row = [&](std::size_t i) {
    return (i < e.num_v() ? e.about.v[i] : e.about.x[i - e.num_v()]).unit;
  };
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    double& largest = size[unit_of_row(i)];
    largest = std::max(largest, rows_[i].size);
  }
  RowResidual out;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    out.largest = std::max(out.largest, row.remainder);
    const double of = size[unit_of_row(i)];
    if (!(of > 0) || row.remainder / of <= out.relative) continue;
    out.relative = row.remainder / of;
    out.name = (i < e.num_v() ? e.v[i] : e.x[i - e.num_v()]).name();
    out.t = row.t;
  }
  return out;
}

}  // namespace koppel
