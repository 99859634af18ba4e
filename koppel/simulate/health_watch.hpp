// HealthWatch: judges a run while it goes on. A result is right, or it says that it is not.
//
// Four things are watched at the end of every step:
//
//   energy     the balance B(t) = E(t) − E(0) − ∫P dt − (what events and impulses gave) = 0
//   (energy_balance.hpp),
//              relative to the energy that moved so far: the largest of T, of the range of V and of
//              ∫|P| dt, and no less than 1e-20 J. The integral is a quadrature on the dense output
//              of each step.
//   position   g_i, relative to what it would be with all coordinates off by their own size
//   velocity   ġ_i and a v + b likewise, relative to the fastest motion so far
//   growth     values beyond any physical scale, or not finite
//
// Beyond its limit each of them makes the run doubtful; far beyond, it has failed and ends before
// rows of that step are written. With the tolerance τ of adaptive steps, errors of steps add up, so
// the limit is 1000 τ (1 + t/s), within bounds; a fixed step promises no accuracy, and has fixed
// limits. An absolute tolerance of velocities, τ · 1 m/s, lets through 2 √(T T₁) τ of energy, T₁
// that of all velocities 1: the limit counts relative to T + √(T T₁).
//
//                  doubtful                                  failed
//     energy       1000 τ (1 + t), from 1e-9 to 1e-2; or 1e-2     gain of 0.5
//     position     1000 τ (1 + t), from 1e-9 to 1e-3; or 1e-3     0.1
//     velocity     1000 τ (1 + t), from 1e-8 to 1e-2; or 1e-2     1
//     growth                                                 |v| > 3e8, or not finite
//
// After k steps the limits of energy are 1 + 100/k and 1 + 10/k times as wide: an energy that grows
// from nothing is known to 1/k of itself only, by methods of order 1.
//
// Where P needs multipliers, which implicit methods find less accurately than the state, the limit
// of energy is 100 times as wide.
//
// Lost energy never fails a run: many methods damp. As a StepJudge it refuses steps that alone use
// up a tenth of a limit, so that integrators try shorter ones.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <koppel/base/quadrature.hpp>
#include <koppel/integrate/integrator.hpp>
#include <koppel/results/summary.hpp>
#include <koppel/simulate/power_pieces.hpp>

namespace koppel {

struct HealthOptions {
  bool is_watched = true;
  double loosen = 1;  // all limits but that of growth times this
  // Off for methods that hold positions only at their nodes: their velocities satisfy the
  // constraints to the order of the step, by construction.
  bool judges_velocities = true;
  // Whether cables that push and open contacts that pull make a run doubtful. Off where methods are
  // compared: it is the mechanism that does so.
  bool judges_one_way = true;
};

class HealthWatch : public StepJudge {
 public:
  // `tolerance` of adaptive steps; none: steps are fixed. The names are those of the rows of
  // [g; a].
  HealthWatch(const HealthOptions& options, std::optional<double> tolerance,
              std::vector<std::string> row_names);

  // The problem that is integrated from here on, from a consistent start.
  void begin(const Problem& problem, double t, std::span<const double> y);
  // The same later on. What the energy differs by from the end of the last step, an event gave.
  void go_on(const Problem& problem, double t, std::span<const double> y);

  // The times, ascending, at which a prescribed rate jumps within a step. What the energy changes
  // by there, an impulse gave.
  void expect_impulses(std::vector<double> times) { impulses_ = std::move(times); }

  // Whether the step leaves all as it must be; says nothing of what came before.
  bool accepts(const Step& step) override;
  // An accepted step. False: the run has failed, and the step should not be seen.
  bool note(const Step& step);

  bool has_failed() const { return health_.state == Health::State::Failed; }
  Health health() const;  // with texts
  bool is_conservative() const { return energy_ != nullptr && energy_->is_conservative(); }
  // The largest |B| over the energy that moved; NaN where there is no balance.
  double energy_error() const;

 private:
  // What is known at the end of a step.
  struct Point {
    double t = 0;
    EnergyBalance::Energies energy;
    double work = 0, exchange = 0;      // ∫P dt and ∫|P| dt from the start
    double position = 0, velocity = 0;  // the largest violations, relative
    int position_row = -1, velocity_row = -1;
    int runaway = -1;  // an unknown beyond any scale
  };
  struct Integral {
    double work = 0, exchange = 0;
    Integral operator+(const Integral& other) const {
      return {work + other.work, exchange + other.exchange};
    }
  };
  struct Limits {
    double energy, position, velocity;
  };

  void take(const Problem& problem);
  void look_at(double t, std::span<const double> y, Point& point);
  Point look(const Step& step);
  bool meets_impulse(const Step& step) const;
  void measure_rate(double t, std::span<const double> y);
  void measure_violation(double t, std::span<const double> y, Point& point);
  Integral integrate_power(const Step& step);
  Integral trapezoid(const Step& step);
  Integral gauss_sum(const Step& step, double t0, double t1);
  Integral refine(const Step& step, double t0, double t1, const Integral& whole, int depth);

  double balance(const Point& point) const;  // B
  double moved(const Point& point) const;    // the energy that moved up to there
  double counted(const Point& point) const;  // what the limit is relative to
  double kinetic_max(const Point& point) const;
  double num_steps() const { return static_cast<double>(steps_ + 1); }  // with the next
  Limits limits_at(double t) const;
  void judge(const Point& point);
  void exceed(Health::What what, double t, double value, double limit, double failure, int row);

  HealthOptions options_;
  std::optional<double> tolerance_;
  std::vector<std::string> row_names_;
  std::vector<double> impulses_;
  const Problem* problem_ = nullptr;
  const EnergyBalance* energy_ = nullptr;  // null: there is no balance to check
  std::optional<EnergyBalance::Workspace> energy_work_;
  std::optional<PowerPieces> pieces_;  // where the power has any
  std::optional<Projector::Workspace> projector_work_;
  int num_points_ = 0;
  Quadrature gauss_;  // with so many points
  std::vector<double> y_, v_, values_;
  std::vector<double> row_size_;  // of g_i, for coordinates off by their size
  double rate_ = 0, slip_ = 0;    // ġ_i over its size, and a v, for velocities off by their size
  std::vector<double> speeds_;    // of each velocity, at which these were measured

  double start_energy_ = 0, given_ = 0;  // given by events and impulses
  Point now_;                            // end of the last accepted step
  std::optional<Point> ahead_;           // end of the step that was looked at last
  double ahead_from_ = 0;                // and its beginning
  double kinetic_max_ = 0, potential_min_ = 0, potential_max_ = 0, unit_kinetic_ = 0;
  double energy_error_ = 0;
  long steps_ = 0;
  Health health_;
  std::vector<int> reason_rows_;  // the worst row of each reason, or the unknown
};

}  // namespace koppel
