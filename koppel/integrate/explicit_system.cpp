#include <koppel/integrate/explicit_system.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/integrate/advance.hpp>

namespace koppel {

Multipliers::Multipliers(const Problem& problem) {
  if (problem.rhs) *this = Multipliers(problem, *problem.rhs);
}

Multipliers::Multipliers(const Problem& problem, const RightHandSide& rates) {
  const int count = problem.num_lambda + problem.num_mu;
  if (rates.num_z() != problem.num_v + count) return;
  first_z_ = static_cast<std::size_t>(problem.num_v);
  first_y_ = static_cast<std::size_t>(problem.num_differential());
  count_ = static_cast<std::size_t>(count);
  num_w_ = static_cast<std::size_t>(problem.num_w);
}

void Multipliers::read(const RightHandSide::Workspace& work, std::span<double> y) const {
  if (!are_known()) return;
  const std::span<double> rest = y.subspan(first_y_);
  const std::span<const double> z = work.z();
  std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(first_z_), count_, rest.begin());
  std::fill(rest.begin() + static_cast<std::ptrdiff_t>(count_), rest.end(), 0.0);
  std::copy_n(z.begin(), num_w_, rest.end() - static_cast<std::ptrdiff_t>(num_w_));
}

std::optional<Projector::Workspace> make_projector_workspace(const Segment& segment) {
  if (segment.options.projection == Projection::None) return {};
  if (!segment.problem.projector || !segment.problem.projector->is_needed()) return {};
  return segment.problem.projector->make_workspace();
}

ExplicitSystem::ExplicitSystem(const Segment& segment, Statistics& statistics)
    : segment_(segment),
      statistics_(statistics),
      size_(static_cast<std::size_t>(segment.problem.num_differential())),
      work_(segment.problem.rhs->make_workspace()),
      projector_(make_projector_workspace(segment)),
      multipliers_(segment.problem),
      scratch_(size_),
      scratch_rate_(size_) {}

bool ExplicitSystem::rate(double t, std::span<const double> y, std::span<double> y_rate) {
  ++statistics_.evaluations;
  return segment_.problem.rhs->evaluate(t, y.first(size_), y_rate, work_);
}

void ExplicitSystem::solve_multipliers(double t, std::span<double> y) {
  if (!multipliers_.are_known()) return;
  if (rate(t, y, scratch_rate_)) multipliers_.read(work_, y);
}

bool ExplicitSystem::project(double t, std::span<double> y) {
  if (!projector_) return true;
  const Problem& problem = segment_.problem;
  return problem.projector->project(t, problem.q(y), problem.v(y), segment_.options.projection,
                                    *projector_) &&
         all_finite(y.first(size_));
}

double ExplicitSystem::starting_step(double t, std::span<const double> y,
                                     std::span<const double> y_rate, int order) {
  const IntegrateOptions& options = segment_.options;
  const double length = segment_.t_end - t;
  y = y.first(size_);
  // An Euler step that changes y by a hundredth of its size …
  const double d0 = error_norm(y, y, y, options.absolute_scale) / options.tolerance;
  const double d1 = error_norm(y_rate, y, y, options.absolute_scale) / options.tolerance;
  double h0 = d0 < 1e-10 || d1 < 1e-10 ? 1e-6 * length : 0.01 * d0 / d1;
  h0 = std::min(h0, length);
  // … shows the second derivative; from the larger of both a step with local error 1 %.
  for (std::size_t i = 0; i < size_; ++i) scratch_[i] = y[i] + h0 * y_rate[i];
  if (!rate(t + h0, scratch_, scratch_rate_)) return h0 / 100;
  for (std::size_t i = 0; i < size_; ++i) scratch_rate_[i] -= y_rate[i];
  const double d2 =
      error_norm(scratch_rate_, y, y, options.absolute_scale) / options.tolerance / h0;
  const double largest = std::max(d1, d2);
  const double h1 =
      largest <= 1e-15 ? std::max(1e-6 * length, h0 * 1e-3) : std::pow(0.01 / largest, 1.0 / order);
  return std::min({100 * h0, h1, length});
}

}  // namespace koppel
