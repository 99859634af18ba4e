#include <koppel/study/fit.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/study/fit_statistics.hpp>
#include <koppel/study/least_squares.hpp>
#include <koppel/study/residuals.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

using RowMatrix = Eigen::Matrix<double, -1, -1, Eigen::RowMajor>;

// The derivatives without those along directions that are not seen: what the data say nothing about
// stays as it is.
void leave_out_blind(const VectorXd& sizes, Eigen::Map<RowMatrix> J) {
  const dense::Singular svd = dense::singular_values(J * sizes.asDiagonal(), dense::Vectors::Thin);
  const VectorXd& s = svd.s;
  if (s.size() == 0 || s[s.size() - 1] > FitStatistics::kBlind * s[0]) return;
  const VectorXd seen = (s.array() > FitStatistics::kBlind * s[0]).select(s, 0.0);
  J = svd.U * seen.asDiagonal() * svd.V.transpose();
  for (Index j = 0; j < J.cols(); ++j) {
    if (J.col(j).norm() < FitStatistics::kBlind * s[0]) J.col(j).setZero();
  }
  J = J * sizes.cwiseInverse().asDiagonal();
}

class Fitting {
 public:
  Fitting(const Model& model, const std::vector<ParameterOrigin>& origins, const Trajectory& data,
          const FitOptions& options, Fit& out)
      : options_(options), out_(out), residuals_(model, origins, data, options) {
    out.parameters = residuals_.space().names();
    out.before = out.values = residuals_.space().values();
    out.ignored = residuals_.ignored();
    check_start();
  }

  void run() {
    // Where the start stops too early to say anything, all rows count at first.
    residuals_.compare_up_to(residuals_.stop_at(out_.before), true);
    if (residuals_.size() < out_.values.size()) residuals_.compare_up_to({}, true);
    if (const Residuals::Values* first = residuals_.at(out_.before, false)) {
      residuals_.describe(*first, out_.columns, true);
    } else {
      out_.text = residuals_.why();
      return;
    }
    fit_up_to_stop();
    if (out_.end == Fit::End::Failed) return;
    describe();
    if (options_.with_profiles && out_.end != Fit::End::Failed) find_profiles();
  }
  long num_runs() const { return residuals_.num_runs(); }

 private:
  // The start must be within the bounds.
  void check_start() {
    for (std::size_t i = 0; i < options_.over.size(); ++i) {
      const Fitted& range = options_.over[i];
      if (range.low < range.high) {
        out_.values[i] = std::clamp(out_.values[i], range.low, range.high);
      }
    }
  }

  // Which rows can be compared depends on where the run stops, and that on the parameters. Sets of
  // rows that come and go in turn would never settle: after some rounds they only shrink.
  void fit_up_to_stop() {
    constexpr int kRounds = 20, kGrowing = 5;
    for (int round = 0; round < kRounds; ++round) {
      const bool is_done = fit_compared();
      if (out_.end == Fit::End::Failed || out_.end == Fit::End::Stopped) return;
      out_.stop = residuals_.stop_at(out_.values);
      out_.num_rows_left_out = residuals_.num_rows_left_out();
      if (!is_done || !residuals_.compare_up_to(out_.stop, round < kGrowing)) return;
      if (residuals_.size() < out_.values.size()) {
        return fail(
            fmt::format("an event stops the run at t = {:.6g} s, up to where the data have "
                        "{} values for {} parameters.",
                        *out_.stop, residuals_.size(), out_.values.size()));
      }
    }
    fail(fmt::format(
        "an event stops the run at t = {:.6g} s, and with the rows up to there it stops "
        "earlier, again and again.",
        *out_.stop));
  }

  void fail(std::string why) {
    out_.end = Fit::End::Failed;
    out_.text = std::move(why);
  }

  bool fit_compared() {
    // More passes would follow the noise of columns with few values more closely: intervals of 95 %
    // would cover 86 % for four columns of four values, in place of 91 %.
    constexpr int kPasses = 3;
    bool is_done = minimize(out_.values, -1);
    for (int pass = 0; is_done && pass < kPasses; ++pass) {
      if (!residuals_.estimate_noise(out_.values)) break;
      is_done = minimize(out_.values, -1);
    }
    return is_done;
  }

  // Over all parameters, or all but one. False: it did not converge.
  //
  // Steps that are cut off at a bound lead along it slowly, or to a wrong place. So parameters at a
  // bound that the slope presses against are held there while the others move, and let go when it
  // draws them back.
  bool minimize(std::vector<double>& x, int held) {
    constexpr int kPass = 10;  // iterations before bounds are looked at
    const bool has_bounds = std::any_of(options_.over.begin(), options_.over.end(),
                                        [](const Fitted& range) { return range.low < range.high; });
    std::vector<int> at_bounds;
    for (int left = options_.max_iterations; left > 0; left -= kPass) {
      std::vector<int> constant = at_bounds;
      if (held >= 0) constant.push_back(held);
      const auto end = solve(x, constant, has_bounds ? std::min(left, kPass) : left);
      if (out_.end == Fit::End::Stopped) return false;
      const bool is_usable = end.kind != LeastSquaresEnd::Failed;
      std::vector<int> pressed = is_usable ? pressed_at_bounds(x, held) : at_bounds;
      const bool is_settled = pressed == at_bounds;
      at_bounds = std::move(pressed);
      if (is_usable && !is_settled) continue;
      if (held >= 0 && end.kind != LeastSquaresEnd::TooManyIterations) return is_usable;
      if (held >= 0) continue;
      if (end.kind == LeastSquaresEnd::Converged) {
        out_.end = Fit::End::Converged;
        return true;
      }
      if (!is_usable) {
        out_.end = Fit::End::Failed;
        out_.text = residuals_.why().empty() ? end.message : residuals_.why();
        return false;
      }
    }
    if (held < 0) out_.end = Fit::End::TooManyIterations;
    return held >= 0;
  }

  // Those at a bound beyond which the sum of squares would fall.
  std::vector<int> pressed_at_bounds(const std::vector<double>& x, int held) {
    constexpr double kNear = 1e-9;  // of the range
    std::vector<int> out;
    const auto n = static_cast<Index>(x.size());
    for (Index i = 0; i < n; ++i) {
      const Fitted& range = options_.over[static_cast<std::size_t>(i)];
      if (!(range.low < range.high) || i == held) continue;
      const double near = kNear * (range.high - range.low), value = x[static_cast<std::size_t>(i)];
      const bool is_low = value - range.low <= near, is_high = range.high - value <= near;
      if (!is_low && !is_high) continue;
      const Residuals::Values* values = residuals_.at(x, true);
      if (values == nullptr) return {};
      double slope = 0;
      for (std::size_t k = 0; k < values->r.size(); ++k) {
        slope += values->r[k] * values->J[k * x.size() + static_cast<std::size_t>(i)];
      }
      if (is_low ? slope > 0 : slope < 0) out.push_back(static_cast<int>(i));
    }
    return out;
  }

  // With some held where they are.
  LeastSquaresEnd solve(std::vector<double>& x, const std::vector<int>& constant, int iterations) {
    LeastSquares problem{[this](std::span<const double> at, std::span<double> r,
                                std::span<double> J) { return evaluate(at, r, J); },
                         residuals_.size(), options_.over, constant, iterations};
    try {
      return koppel::solve(problem, x);
    } catch (const Stopped&) {
      out_.end = Fit::End::Stopped;
      return {LeastSquaresEnd::Failed, ""};
    }
  }

  bool evaluate(std::span<const double> x, std::span<double> r, std::span<double> J) {
    check_stop();
    const Residuals::Values* values = residuals_.at({x.begin(), x.end()}, !J.empty());
    if (values == nullptr) return false;
    std::copy(values->r.begin(), values->r.end(), r.begin());
    if (J.empty()) return true;
    std::copy(values->J.begin(), values->J.end(), J.begin());
    const auto n = static_cast<Index>(x.size());
    leave_out_blind(sizes_of(x), {J.data(), static_cast<Index>(r.size()), n});
    return true;
  }

  void describe() {
    const Residuals::Values* values = residuals_.at(out_.values, true);
    if (values == nullptr) return fail(residuals_.why());
    out_.doubt = values->doubt;
    residuals_.describe(*values, out_.columns, false);
    const auto n = static_cast<Index>(out_.values.size());
    const FitStatistics of_fit = residuals_.statistics(*values);
    const VectorXd& s = of_fit.svd().s;
    VectorXd unbounded = VectorXd::Zero(n);
    for (Index k = 0; k < n; ++k) {
      const VectorXd direction = of_fit.svd().V.col(k);
      const bool is_seen = of_fit.is_seen(k);
      // Not even its size is known.
      if (!is_seen || 1 / s[k] > 1) {
        out_.undetermined.push_back(name_direction(direction, is_seen ? 1 / s[k] : kInfinity));
      }
      if (!is_seen) unbounded += direction.cwiseAbs();
    }
    const VectorXd size = sizes_of(out_.values);
    const MatrixXd C = size.asDiagonal() * of_fit.covariance() * size.asDiagonal();
    const bool is_determined = unbounded.isZero(0);
    if (is_determined) {
      out_.covariance = Matrix(static_cast<int>(n), static_cast<int>(n));
      std::copy_n(C.data(), n * n, out_.covariance.values.begin());
    }
    for (Index i = 0; i < n; ++i) {
      const double deviation = unbounded[i] > 1e-6 ? kInfinity : std::sqrt(C(i, i));
      out_.deviations.push_back(deviation);
      out_.half_width.push_back(student(of_fit.degrees_of_parameter(i)) * deviation);
      plain_.push_back(size[i] * std::sqrt(of_fit.plain_covariance()(i, i)));
      const Fitted& range = options_.over[static_cast<std::size_t>(i)];
      const double value = out_.values[static_cast<std::size_t>(i)];
      if (!(range.low < range.high)) continue;
      const double near = 1e-9 * (range.high - range.low);
      const std::string& name = out_.parameters[static_cast<std::size_t>(i)];
      if (value - range.low < near) out_.at_bounds.push_back(name + ": low");
      if (range.high - value < near) out_.at_bounds.push_back(name + ": high");
    }
  }

  // "m and k together (0.71 m, 0.71 k): by 300 %".
  std::string name_direction(const VectorXd& direction, double relative) const {
    std::string names, parts;
    constexpr double kCounts = 0.1;
    for (Index i = 0; i < direction.size(); ++i) {
      if (std::abs(direction[i]) < kCounts) continue;
      const std::string& name = out_.parameters[static_cast<std::size_t>(i)];
      names += (names.empty() ? "" : ", ") + name;
      parts += fmt::format("{}{:+.2f} {}", parts.empty() ? "" : ", ", direction[i], name);
    }
    if (names.find(',') == names.npos) {
      return std::isfinite(relative)
                 ? fmt::format("{} (known to {:.0f} % only)", names, 100 * relative)
                 : names + " (not at all)";
    }
    return fmt::format("{} changed together, in parts of their sizes by {}{}", names, parts,
                       std::isfinite(relative)
                           ? fmt::format(" (known to {:.0f} % only)", 100 * relative)
                           : " (not at all)");
  }

  // Where the sum of squares, the others fitted, is as far above its minimum as at the ends of (2)
  // if it were quadratic: by 3.84 for noise that is known. Not beyond a bound.
  void find_profiles() {
    const double least = residuals_.sum_of_squares(out_.values);
    for (std::size_t j = 0; j < out_.values.size(); ++j) {
      const double low = find_end(j, -1, least), high = find_end(j, 1, least);
      out_.profiles.push_back({low, high});
    }
  }

  double find_end(std::size_t j, double sign, double least) {
    const double step = out_.half_width[j];
    if (!std::isfinite(step)) return sign * kInfinity;
    const double most = std::pow(step / plain_[j], 2);
    const double best = out_.values[j];
    std::vector<double> x = out_.values;
    const auto rise = [&](double at) {
      x[j] = at;
      if (!minimize(x, static_cast<int>(j))) return kInfinity;
      return residuals_.sum_of_squares(x) - least - most;
    };
    const Fitted& range = options_.over[j];
    const double bound = !(range.low < range.high) ? sign * kInfinity
                         : sign < 0                ? range.low
                                                   : range.high;
    double inside = best, outside = best, value = -most;
    for (int k = 0; k < 8 && value < 0 && outside != bound; ++k) {
      inside = outside;
      const double next = best + sign * step * std::pow(2.0, k);
      outside = sign < 0 ? std::max(next, bound) : std::min(next, bound);
      value = rise(outside);
    }
    if (value < 0) return bound == outside ? bound : sign * kInfinity;
    for (int k = 0; k < 20 && std::abs(outside - inside) > 1e-3 * step; ++k) {
      const double middle = 0.5 * (inside + outside);
      (rise(middle) < 0 ? inside : outside) = middle;
    }
    return 0.5 * (inside + outside);
  }

  const FitOptions& options_;
  Fit& out_;
  Residuals residuals_;
  std::vector<double> plain_;  // deviations if the noise were known
};

}  // namespace

void FitOptions::validate() const {
  if (over.empty()) {
    throw Error("study.bad-option", "no parameters are given to be fitted.",
                "Name them, with bounds where there are some: k, c=0:100.");
  }
  if (max_iterations < 1) throw Error("study.bad-option", "a fit needs at least one iteration.");
  run.validate();
}

Fit fit(const Model& model, const Trajectory& data, const FitOptions& options) {
  return fit(model, {}, data, options);
}

Fit fit(const Model& model, const std::vector<ParameterOrigin>& origins, const Trajectory& data,
        const FitOptions& options) {
  options.validate();
  Fit out;
  Fitting fitting(model, origins, data, options, out);
  try {
    fitting.run();
  } catch (const Stopped&) {
    out.end = Fit::End::Stopped;
  }
  out.runs = fitting.num_runs();
  return out;
}

}  // namespace koppel
