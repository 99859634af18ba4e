#include <koppel/equations/slight_rows.hpp>

#include <algorithm>
#include <cmath>
#include <random>

#include <koppel/equations/kinematics.hpp>

namespace koppel {
namespace {

bool is_length(const Equations::Row& row) {
  return row.holds == Holds::Point || row.holds == Holds::Shift;
}
bool is_angle(const Equations::Row& row) {
  return row.holds == Holds::Tilt || row.holds == Holds::Turn;
}

// The masses of the bodies and the largest of their moments of inertia: what ½ wᵀ I w has for the
// velocity of the centre of mass, and for the others of w.
std::vector<Expr> mass_and_inertia(const Equations& e) {
  Expr mass = 0, moment = 0;
  for (const Inertia& inertia : e.kinematics->inertias) {
    const std::size_t n = inertia.w.size();
    for (std::size_t i = 0; i < n; i += i == 0 ? 3 : 1) {
      std::vector<Expr> unit(n, Expr(0));
      unit[i] = 1;
      const Expr of = inertia.times(unit)[i];
      if (i == 0) {
        mass += of;
      } else {
        moment = max(moment, of);
      }
    }
  }
  return {mass, moment};
}

// The size of the mechanism: its largest coordinate that is a length, or √(J/m) of its bodies and
// of motions about axes; 0 where nothing says.
double length_of(const Evaluator& evaluator, const State& state) {
  const Equations& e = evaluator.equations;
  const std::vector<double> total = VectorFunction(e, mass_and_inertia(e))(state);
  double length = 0, moment = total[1];
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    if (e.about.q[j].unit == "m") length = std::max(length, std::abs(state.q[j]));
  }
  const Sparsity& pattern = evaluator.M->pattern();
  const std::vector<double> M = evaluator.M->values(state);
  for (std::size_t j = 0; j < e.num_v(); ++j) {
    if (e.about.v[j].unit == "m/s") continue;
    for (int k = pattern.column_start[j]; k < pattern.column_start[j + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (pattern.row[at] == static_cast<int>(j)) moment = std::max(moment, M[at]);
    }
  }
  return total[0] > 0 ? std::max(length, std::sqrt(moment / total[0])) : length;
}

// A pose beside a state by about a radian and the mechanism's size, which satisfies nothing.
State any_pose(const Equations& e, State state, double length, unsigned seed) {
  std::mt19937 random(seed);  // NOLINT: a fixed seed, on purpose
  for (std::size_t j = 0; j < e.num_q(); ++j) {
    const double by = 0.3 + static_cast<double>(random()) / 4294967296.0;
    state.q[j] += e.about.q[j].unit == "m" ? by * length : by;
  }
  return state;
}

std::vector<double> find_slightness(const Evaluator& evaluator, const State& state,
                                    const std::vector<double>& entries) {
  constexpr double kSmall = 1e-4;  // m or rad a radian: worth a look at other poses
  const Equations& e = evaluator.equations;
  std::vector<double> part(e.num_rows(), 1), largest(e.num_g(), 0);
  if (e.kinematics == nullptr) return part;
  const Sparsity& pattern = evaluator.G.pattern();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    double& most = largest[static_cast<std::size_t>(pattern.row[k])];
    most = std::max(most, std::abs(entries[k]));
  }
  std::vector<std::size_t> small;
  for (std::size_t i = 0; i < largest.size(); ++i) {
    if (largest[i] > kSmall) continue;
    if (is_length(e.rows[i]) || is_angle(e.rows[i])) small.push_back(i);
  }
  if (small.empty()) return part;
  const double length = length_of(evaluator, state);
  const std::vector<double> here = evaluator.g(state);
  std::vector<double> moved(e.num_g(), 0);
  for (const unsigned seed : {1U, 2U}) {
    const std::vector<double> there = evaluator.g(any_pose(e, state, length, seed));
    for (const std::size_t i : small) {
      const double by = std::abs(there[i] - here[i]);
      if (!(by <= moved[i])) moved[i] = by;  // kept where it is not a number
    }
  }
  for (const std::size_t i : small) {
    const double natural = is_length(e.rows[i]) ? length : 1;
    const double most = moved[i] < largest[i] ? largest[i] : moved[i];
    if (most < natural) part[i] = most / natural;
  }
  return part;
}

}  // namespace

std::vector<double> slightness(const Evaluator& evaluator, const State& state) {
  return find_slightness(evaluator, state, evaluator.G.values(state));
}

std::vector<double> position_constraints(const Evaluator& evaluator, const State& state) {
  std::vector<double> entries = evaluator.G.values(state);
  const std::vector<double> part = find_slightness(evaluator, state, entries);
  const Sparsity& pattern = evaluator.G.pattern();
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (part[static_cast<std::size_t>(pattern.row[k])] <= kNothing) entries[k] = 0;
  }
  return entries;
}

}  // namespace koppel
