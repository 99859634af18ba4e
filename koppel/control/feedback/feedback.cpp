#include <koppel/control/feedback/feedback.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/dense.hpp>
#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/control/feedback/riccati.hpp>
#include <koppel/control/motion/prescribed_motion.hpp>

namespace koppel {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

[[noreturn]] void refuse(const std::string& message, const std::string& hint = {}) {
  throw Error("control.no-feedback", message, hint);
}

double range_of(std::span<const double> values) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  return *high - *low;
}

// A function of time by the values of it.
Expr over_time(const Equations& e, const std::string& name, const TableData& data) {
  for (int n = 0;; ++n) {
    const std::string free = fmt::format("feedback{}.{}", n, name);
    if (e.graph->find_table(free) == nullptr) return e.graph->add_table(free, data)(e.t);
  }
}

// The gains F at a time, of (1).
class Design {
 public:
  Design(const ComputedMotion& motion, const PrescribedMotion& path, const FeedbackOptions& options)
      : motion_(motion),
        options_(options),
        evaluator_(motion.equations),
        by_state_(jacobian_of_outputs(motion.equations)) {
    const auto time = path.time();
    response_ = options.response > 0 ? options.response : (time.back() - time.front()) / 20;
    find_weights(path);
  }

  MatrixXd gains(const State& state) const {
    const LinearSystem linear = linearize(evaluator_, state);
    const MatrixXd A = dense::view(linear.A), B = dense::view(linear.B), S = dense::view(linear.S);
    const MatrixXd C = dense::view(by_state_(state)) * S;
    const MatrixXd back = dense::LeastNorm(S).solve(MatrixXd::Identity(S.rows(), S.rows()));
    return (options_.kind == "pd" ? spring_and_damper(state, B, C) : regulator(state, A, B, C)) *
           back;
  }

 private:
  // ∂(s, ṡ)/∂(q, v, x)
  static MatrixFunction jacobian_of_outputs(const Equations& e) {
    std::vector<Expr> outputs, state = e.q;
    for (const NamedExpr& s : e.s) outputs.push_back(s.value);
    const std::vector<Expr> rates = rate_of(e, outputs);
    outputs.insert(outputs.end(), rates.begin(), rates.end());
    state.insert(state.end(), e.v.begin(), e.v.end());
    state.insert(state.end(), e.x.begin(), e.x.end());
    return {e, jacobian(outputs, state)};
  }

  void find_weights(const PrescribedMotion& path) {
    const Equations& e = motion_.equations;
    const auto num_s = static_cast<Index>(e.s.size()), num_u = static_cast<Index>(e.u.size());
    const VectorFunction reference(e, e.reference);
    std::vector<std::vector<double>> values(e.s.size());
    for (std::size_t row = 0; row < path.time().size(); ++row) {
      const std::vector<double> at = reference(path.at(row));
      for (std::size_t i = 0; i < at.size(); ++i) values[i].push_back(at[i]);
    }
    double largest = 0;
    for (const auto& of : values) largest = std::max(largest, range_of(of));
    if (largest == 0) largest = 1;
    output_weights_.resize(2 * num_s);
    for (Index i = 0; i < num_s; ++i) {
      // Outputs that are held still are as important as those that move a little.
      const double range = std::max(range_of(values[static_cast<std::size_t>(i)]), 0.1 * largest);
      output_weights_(i) = 1 / (options_.accuracy * range);
      output_weights_(num_s + i) = response_ * output_weights_(i);
    }
    tolerable_inputs_.resize(num_u);
    for (Index i = 0; i < num_u; ++i) {
      double size = 0;
      for (const double u : path.column(path.num_x() + static_cast<std::size_t>(i))) {
        size = std::max(size, std::abs(u));
      }
      tolerable_inputs_(i) = options_.effort * (size > 0 ? size : 1);
    }
  }

  // F of (3), in z.
  MatrixXd regulator(const State& state, const MatrixXd& A, const MatrixXd& B,
                     const MatrixXd& C) const {
    const MatrixXd weighted = output_weights_.asDiagonal() * C;
    const MatrixXd Q = weighted.transpose() * weighted;
    const MatrixXd scaled = B * tolerable_inputs_.asDiagonal();  // B R^(−1/2)
    const auto P = solve_riccati(A, scaled * scaled.transpose(), Q);
    if (!P) {
      refuse(
          fmt::format("no feedback of the state brings deviations back at t = {:.6g} s: the "
                      "inputs do not reach, or the outputs do not show, a motion that does not "
                      "die away.",
                      state.t));
    }
    return tolerable_inputs_.asDiagonal() * (scaled.transpose() * *P);
  }

  // (4). The rows of C for ṡ, times B, are the accelerations of the outputs by the inputs.
  MatrixXd spring_and_damper(const State& state, const MatrixXd& B, const MatrixXd& C) const {
    const Index num_s = C.rows() / 2;
    const MatrixXd by_inputs = C.bottomRows(num_s) * B;
    Eigen::FullPivLU<MatrixXd> lu(by_inputs);
    constexpr double kRankTolerance = 1e-9;
    lu.setThreshold(kRankTolerance);
    if (by_inputs.rows() != by_inputs.cols() || !lu.isInvertible()) {
      refuse(fmt::format("feedback 'pd' needs inputs that act on all outputs directly; at t = "
                         "{:.6g} s they act on {} of {}.",
                         state.t, lu.rank(), num_s),
             "Use 'lqr', which feeds the whole state back.");
    }
    const double omega = 1 / response_;
    return lu.solve(omega * omega * C.topRows(num_s) + 2 * omega * C.bottomRows(num_s));
  }

  const ComputedMotion& motion_;
  const FeedbackOptions& options_;
  Evaluator evaluator_;
  MatrixFunction by_state_;
  double response_ = 0;
  VectorXd output_weights_;    // of s, then of ṡ
  VectorXd tolerable_inputs_;  // R^(−1/2)
};

Expr limited(const Equations& e, std::size_t i, Expr u) {
  const Equations::Unknown& about = e.about.u[i];
  if (std::isfinite(about.max)) u = min(u, about.max);
  if (std::isfinite(about.min)) u = max(u, about.min);
  return u;
}

}  // namespace

void FeedbackOptions::validate() const {
  const auto require = [](bool holds, const std::string& message) {
    if (!holds) throw Error("control.bad-option", message);
  };
  require(kind == "lqr" || kind == "pd",
          "there is no feedback '" + kind + "'; there are 'lqr' and 'pd'.");
  require(accuracy > 0 && effort > 0 && response >= 0,
          "accuracy, effort and response of a feedback must be positive.");
}

std::vector<Expr> make_feedback(const ComputedMotion& motion, const State& start,
                                const FeedbackOptions& options) {
  options.validate();
  const Equations& e = motion.equations;
  const PrescribedMotion path(motion, start);
  if (path.time().size() < 4) refuse("there are too few samples of the motion.");
  const Design design(motion, path, options);

  const std::vector<std::size_t> rows =
      thin_evenly(path.time().size(), static_cast<std::size_t>(options.nodes));
  std::vector<double> nodes;
  std::vector<MatrixXd> gains;
  for (const std::size_t row : rows) {
    nodes.push_back(path.time()[row]);
    gains.push_back(design.gains(path.at(row)));
  }
  std::vector<Expr> deviation, state = e.q;
  state.insert(state.end(), e.v.begin(), e.v.end());
  state.insert(state.end(), e.x.begin(), e.x.end());
  const auto spline = [&](std::size_t i, const std::string& name) {
    return over_time(e, name, TableData::spline(path.time(), path.column(i)));
  };
  for (std::size_t j = 0; j < state.size(); ++j) {
    deviation.push_back(state[j] - spline(j, fmt::format("x{}", j)));
  }
  std::vector<Expr> inputs;
  for (std::size_t i = 0; i < e.u.size(); ++i) {
    Expr u = spline(state.size() + i, fmt::format("u{}", i));
    for (std::size_t j = 0; j < state.size(); ++j) {
      std::vector<double> f;
      for (const MatrixXd& F : gains) f.push_back(F(static_cast<Index>(i), static_cast<Index>(j)));
      if (std::all_of(f.begin(), f.end(), [](double x) { return x == 0; })) continue;
      u -= over_time(e, fmt::format("f{}_{}", i, j), TableData::linear(nodes, f)) * deviation[j];
    }
    inputs.push_back(limited(e, i, u));
  }
  return inputs;
}

}  // namespace koppel
