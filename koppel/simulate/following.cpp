#include <koppel/simulate/following.hpp>

#include <algorithm>
#include <cmath>
#include <span>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel {
namespace {

constexpr double kShortest = 0.1;  // s: a hold
constexpr double kStill = 0.01;    // of the way of the target: it holds
constexpr double kJump = 0.1;      // of the same: a jump

using Columns = std::vector<std::span<const double>>;

// Rows of components as lengths.
double length(const Columns& columns, std::size_t row) {
  double squares = 0;
  for (const auto& column : columns) squares += column[row] * column[row];
  return std::sqrt(squares);
}
double distance(const Columns& columns, std::size_t a, std::size_t b) {
  double squares = 0;
  for (const auto& column : columns) squares += (column[a] - column[b]) * (column[a] - column[b]);
  return std::sqrt(squares);
}

Columns columns_of(const Trajectory& run, const std::string& base, std::size_t count) {
  Columns out;
  for (std::size_t i = 1; i <= count; ++i) out.push_back(run[base + std::to_string(i)]);
  return out;
}

// The diagonal of the box that the target fills.
double way_of(const Columns& z) {
  double squares = 0;
  for (const auto& column : z) {
    const auto [low, high] = std::ranges::minmax_element(column);
    squares += (*high - *low) * (*high - *low);
  }
  return std::sqrt(squares);
}

// Multipliers of constraints, a spring's force, or what the steps have chosen.
Columns forces_of(const Trajectory& run, const Tracking& t) {
  const auto has = [&](const std::string& name) {
    return std::ranges::any_of(run.columns(), [&](const Column& c) { return c.name == name; });
  };
  Columns out;
  for (std::size_t i = 0; i < t.forces.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    const std::string names[] = {"mu." + t.name + ".row_" + number, t.name + ".pull_" + number,
                                 std::string(t.forces[i].name())};
    const auto* const found = std::ranges::find_if(names, has);
    if (found != std::end(names)) out.push_back(run[*found]);
  }
  return out;
}

void judge_hold(const Columns& d, std::size_t begin, std::size_t end, double way, Following& out) {
  ++out.holds;
  const double jump = length(d, begin);
  out.left = std::max(out.left.value_or(0), length(d, end - 1));
  if (jump < kJump * way) return;
  double beyond = 0;
  for (std::size_t row = begin; row < end; ++row) {
    double along = 0;
    for (const auto& column : d) along += column[row] * column[begin] / jump;
    beyond = std::max(beyond, -along / jump);
  }
  out.overshoot = std::max(out.overshoot.value_or(0), beyond);
}

}  // namespace

Following judge_following(const Trajectory& run, const Tracking& tracking) {
  Following out{.name = tracking.name};
  const Columns z = columns_of(run, tracking.name + ".z", tracking.targets.size());
  const Columns d = columns_of(run, tracking.name + ".d", tracking.outputs.size());
  const Columns s = columns_of(run, tracking.name + ".s", tracking.outputs.size());
  const Columns force = forces_of(run, tracking);
  const std::span<const double> t = run.time();
  const double way = way_of(z);
  std::size_t begin = 0;
  for (std::size_t row = 0; row <= t.size(); ++row) {
    const bool goes_on = row < t.size() && distance(z, row, begin) <= kStill * way;
    if (!goes_on) {
      if (way > 0 && t[row - 1] - t[begin] >= kShortest) judge_hold(d, begin, row, way, out);
      begin = row;
    }
    if (row == t.size()) break;
    out.off += length(d, row) * length(d, row) / static_cast<double>(t.size());
    out.force = std::max(out.force, length(force, row));
    out.fastest = std::max(out.fastest, length(s, row));
    if (row > 0) out.roughest = std::max(out.roughest, distance(s, row, row - 1));
  }
  out.off = std::sqrt(out.off);
  return out;
}

std::vector<double> effective_masses(const Model& model, const std::string& coordinates) {
  SimulateOptions options = options_of(model);
  if (!coordinates.empty()) options.coordinates = coordinates;
  const Prepared prepared = prepare(model, options);
  const Evaluator evaluator(prepared.equations);
  const Equations& e = prepared.equations;
  State state = prepared.state;
  const auto accelerations = [&] { return solve_accelerations(evaluator, state).v_rate; };
  const std::vector<double> free = accelerations();
  std::vector<double> masses;
  for (const Equations::Tracking& t : e.tracking) {
    double effect = 0;
    for (const std::size_t x : t.forces) {
      const std::vector<Expr> force = {e.x[x]};
      const Matrix direction = MatrixFunction(e, jacobian(e.f, force))(state);
      state.x[x] = 1;
      const std::vector<double> pulled = accelerations();
      state.x[x] = 0;
      for (int j = 0; j < direction.rows; ++j) {
        const auto row = static_cast<std::size_t>(j);
        effect += direction(j, 0) * (pulled[row] - free[row]);
      }
    }
    masses.push_back(effect > 0 ? static_cast<double>(t.forces.size()) / effect : 1);
  }
  return masses;
}

}  // namespace koppel
