#include <koppel/study/no_derivatives.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <Eigen/Dense>

#include <koppel/analysis/algebra/factors.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/quoted.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/study/symbols.hpp>

namespace koppel {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// The names of those that are marked; what to do begins with asking for the others.
void refuse(const char* id, const std::vector<bool>& is_bad, const std::vector<std::string>& names,
            std::string_view why, std::string_view otherwise, Cause cause = Cause::Other,
            std::string_view subject = {}) {
  std::vector<std::string> bad;
  std::string others;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (is_bad[j]) {
      bad.push_back(names[j]);
    } else {
      others += (others.empty() ? "" : ", ") + names[j];
    }
  }
  if (bad.empty()) return;
  throw Error(id, fmt::format("there are no derivatives by {}: {}", quoted(bad), why),
              others.empty()
                  ? fmt::format("{}.", otherwise)
                  : fmt::format("{}, or ask for the others alone: {}.", otherwise, others))
      .because(cause)
      .about(subject);
}

class PositionRows {
 public:
  explicit PositionRows(const Equations& e)
      : e_(e),
        by_q_(e, jacobian(join({e.g, e.h}), e.q)),
        by_p_(e, jacobian(join({e.g, e.h}), e.p)) {}

  // For each direction whether no δq goes with it; the owner of the row that it violates most.
  std::vector<bool> contradict(const State& at, const NamedDirections& directions, double accuracy,
                               std::string& owner) const {
    const MatrixXd by_q = to_eigen(by_q_(at)), by_p = to_eigen(by_p_(at));
    const dense::LeastNorm solver(by_q, accuracy);
    std::vector<bool> out;
    for (const std::vector<double>& direction : directions.by_p) {
      const VectorXd right = by_p * Eigen::Map<const VectorXd>(direction.data(), by_p.cols());
      const VectorXd open = (right - by_q * solver.solve(right)).cwiseAbs();
      out.push_back(open.maxCoeff() > 100 * accuracy * right.cwiseAbs().maxCoeff());
      if (!out.back() || !owner.empty()) continue;
      Eigen::Index row = 0;  // of g: invariants have no owner
      open.head(static_cast<Eigen::Index>(e_.num_g())).maxCoeff(&row);
      owner = e_.rows[static_cast<std::size_t>(row)].owner.name;
    }
    return out;
  }

 private:
  static MatrixXd to_eigen(const Matrix& m) {
    return Eigen::Map<const MatrixXd>(m.values.data(), m.rows, m.columns);
  }

  const Equations& e_;
  MatrixFunction by_q_, by_p_;
};

}  // namespace

void refuse_contradictions(const Equations& e, const State& start, const std::vector<State>& passed,
                           const NamedDirections& directions) {
  if (e.num_g() == 0) return;
  const PositionRows rows(e);
  // A start is found to about 1e-10; a singular configuration is passed nearby.
  constexpr double kAtStart = 1e-8, kWherePassed = 1e-3;
  std::string owner;
  const std::vector<bool> cannot_start = rows.contradict(start, directions, kAtStart, owner);
  refuse("study.contradiction", cannot_start, directions.names,
         fmt::format("at this value alone '{}' agrees with what others hold, and beside it the "
                     "mechanism cannot be assembled.",
                     owner),
         "Leave out the redundant joint that a check names", Cause::Other, owner);
  for (const State& state : passed) {
    refuse("study.contradiction", rows.contradict(state, directions, kWherePassed, owner),
           directions.names,
           fmt::format("the motion passes a singular configuration at t = {:.6g} s, which there is "
                       "at this value alone.",
                       state.t),
           "End the run before it");
  }
}

void refuse_switch_times(std::span<const SwitchTime> switches, const NamedDirections& directions) {
  std::vector<bool> is_bad(directions.names.size(), false);
  double first = 0;
  for (const SwitchTime& one : switches) {
    for (std::size_t j = 0; j < is_bad.size(); ++j) {
      double moves = 0;
      for (std::size_t i = 0; i < one.by_p.size(); ++i) {
        moves += one.by_p[i] * directions.by_p[j][i];
      }
      if (moves == 0) continue;
      if (std::find(is_bad.begin(), is_bad.end(), true) == is_bad.end()) first = one.t;
      is_bad[j] = true;
    }
  }
  refuse("study.integrator", is_bad, directions.names,
         fmt::format("a law switches at t = {:.6g} s, a time that depends on them, and fixed-cost "
                     "steps meet it where they end.",
                     first),
         "Use `integrator = taylor`", Cause::Method);
}

}  // namespace koppel
