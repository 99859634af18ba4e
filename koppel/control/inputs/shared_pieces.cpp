#include <koppel/control/inputs/shared_pieces.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include <Eigen/Dense>

namespace koppel {
namespace {

constexpr int kNodes = 8;  // of a polynomial

class Pieces {
 public:
  Pieces(const ServoProblem& servo, const Evaluator& evaluator, const State& start,
         InputSharing& sharing, double end)
      : servo_(servo),
        evaluator_(evaluator),
        near_(start),
        sharing_(sharing),
        solution_(servo, end),
        end_(end),
        time_(end - start.t),
        y_(static_cast<std::size_t>(servo.problem.size())) {
    out_.coefficients.resize(static_cast<std::size_t>(servo.problem.num_u));
    for (int k = 0; k < kNodes; ++k) {
      // Chebyshev's, from just inside the piece on: at its ends limits begin to hold.
      constexpr double kInside = 1e-6;
      const double c = (1 - std::cos(std::numbers::pi * k / (kNodes - 1))) / 2;
      nodes_[k] = kInside + (1 - 2 * kInside) * c;
      for (int j = 0; j < kNodes; ++j) powers_(k, j) = std::pow(nodes_[k], j);
    }
    inverse_ = powers_.inverse();
  }

  InputPieces run() {
    const auto& breaks = servo_.problem.breakpoints;
    for (double from = near_.t; from < end_;) {
      constexpr double kPart = 0.01;  // of the time
      double to = std::min(end_, from + kPart * time_);
      const auto next = std::upper_bound(breaks.begin(), breaks.end(), from);
      if (next != breaks.end()) to = std::min(to, *next);
      const std::optional<double> reached = add_piece(from, to);
      if (!reached) return {};
      from = *reached;
    }
    return std::move(out_);
  }

 private:
  // The inputs at a time, as values of a node, from a state close by. False: too far away.
  bool look_at(double t, int node) {
    near_.t = t;
    if (solution_.start(evaluator_, near_, t) != FlatSolution::Status::Ok) return false;
    solution_.get(y_);
    const std::span<const double> y = y_;
    const auto q = servo_.problem.q(y), v = servo_.problem.v(y);
    near_.q.assign(q.begin(), q.end());
    near_.v.assign(v.begin(), v.end());
    sharing_.apply(t, y_);
    const std::size_t first = y_.size() - out_.coefficients.size();
    for (std::size_t i = 0; first + i < y_.size(); ++i) {
      values_[i][static_cast<std::size_t>(node)] = y_[first + i];
    }
    return true;
  }

  // Up to `to`, or as far as the solution reaches, or to where the limits that hold change: to
  // there.
  std::optional<double> add_piece(double from, double to) {
    const State first = near_;
    while (const std::optional<double> shorter = find_end(from, to)) {
      if (*shorter - from < 1e-9 * time_) return {};
      to = *shorter;
      near_ = first;
    }
    out_.knots.push_back(from);
    for (std::size_t i = 0; i < values_.size(); ++i) add_polynomial(i, to - from);
    return to;
  }

  // Values at all nodes; else where the piece should end.
  std::optional<double> find_end(double from, double to) {
    std::vector<int> active;
    double before = from;
    values_.assign(out_.coefficients.size(), std::vector<double>(kNodes));
    for (int k = 0; k < kNodes; ++k) {
      const double t = from + nodes_[k] * (to - from);
      if (!look_at(t, k)) return 0.5 * (from + to);
      const std::vector<int> now = sharing_.active();
      if (k > 0 && now != active) {
        const double change = find_change(before, t, active);
        // What changes at once has begun with the piece.
        if (change - from > std::max(2 * nodes_[0] * (to - from), 1e-8 * time_)) return change;
      }
      active = now;
      before = t;
    }
    return {};
  }

  // The last time with these limits, between one with them and one with others.
  double find_change(double early, double late, const std::vector<int>& active) {
    const auto kept = values_;
    for (int n = 0; n < 60 && late - early > 1e-14 * time_; ++n) {
      const double middle = 0.5 * (early + late);
      if (!look_at(middle, 0)) break;
      (sharing_.active() == active ? early : late) = middle;
    }
    values_ = kept;
    return early;
  }

  void add_polynomial(std::size_t input, double h) {
    using Values = Eigen::Matrix<double, kNodes, 1>;
    const Values c = inverse_ * Eigen::Map<const Values>(values_[input].data());
    auto& of = out_.coefficients[input].emplace_back();
    for (int j = 0; j < kNodes; ++j) of.push_back(c[j] / std::pow(h, j));
  }

  const ServoProblem& servo_;
  const Evaluator& evaluator_;
  State near_;
  InputSharing& sharing_;
  FlatSolution solution_;
  double end_, time_;
  std::vector<double> y_;
  std::vector<std::vector<double>> values_;  // at the nodes, by input
  double nodes_[kNodes];
  Eigen::Matrix<double, kNodes, kNodes> powers_, inverse_;
  InputPieces out_;
};

}  // namespace

InputPieces shared_pieces(const ServoProblem& servo, const Evaluator& evaluator, const State& start,
                          InputSharing& sharing, double end) {
  return Pieces(servo, evaluator, start, sharing, end).run();
}

}  // namespace koppel
