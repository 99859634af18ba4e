// Inputs within their limits, where there are more inputs than outputs. Of inputs that give the
// outputs the same accelerations, u + N z with P N = 0 (input_effect.hpp), those of least
// Σ (u_i/w_i)² that keep
//   u_min ≤ u + N z ≤ u_max   and, of cables,   λ + Λ N z ≥ 0.                               (1)
// u is the solution of least norm without limits, and with Nᵀ W⁻² N = 1 the norm of u + N z is that
// of u and |z|²: a quadratic programme of least norm in as many unknowns as there are more inputs
// than outputs (least_norm_program.hpp), at each time by itself and continuous in time. Where (1)
// cannot be kept, violations, each by the weight of its input, are least in the sense of least
// squares, and they are noted.
//
// Constraint forces change with the inputs, the motion does not: that needs X N = 0, as where the
// outputs determine the motion.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <koppel/control/servo/input_effect.hpp>
#include <koppel/control/servo/servo_problem.hpp>
#include <koppel/results/excess.hpp>

namespace koppel {

class InputSharing {
 public:
  // At a state of the motion. Keeps references.
  InputSharing(const Evaluator& evaluator, const ServoProblem& servo, const State& state);

  // Whether there are limits and inputs to share out.
  bool is_needed() const { return is_needed_; }
  // Why limits are not kept although there are; empty: they are.
  const std::string& obstacle() const { return obstacle_; }

  // u and the multipliers of y = (q, v, x, λ, μ, …, u) become those within the limits.
  void apply(double t, std::span<double> y);
  // The rows of (1) that hold with equality, after apply.
  const std::vector<int>& active() const { return active_; }
  // The largest violation after apply: of which row, in the unit of its input or cable.
  struct Violation {
    double t = 0;
    int row = -1;  // none
    double size = 0;
  };
  const Violation& violation() const { return violation_; }

  // Stretches of such violations, at ascending times: `name` is the input or cable with the largest
  // one, `worst` its size, `bound` its limit.
  std::vector<Excess> unavoidable(std::span<const Violation> violations) const;

 private:
  struct Row {
    int input = -1;       // or
    int multiplier = -1;  // among those of the rows that are kept
    int sign = 1;         // sign·value ≥ sign·bound
    double bound = 0;
    std::string name;
  };
  void make_rows(const ServoProblem& servo);
  double excess(const Row& row, std::span<const double> multipliers,
                std::span<const double> u) const;

  const Evaluator& evaluator_;
  InputEffect effect_;
  State state_;
  std::size_t num_kept_ = 0;
  std::vector<double> weight_;
  std::vector<Row> rows_;
  bool is_needed_ = false;
  std::string obstacle_;
  std::vector<int> active_;
  Violation violation_;
};

// In a sentence.
std::string describe_unavoidable(const Excess& excess);

}  // namespace koppel
