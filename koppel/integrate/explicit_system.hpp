// The right-hand side of a problem as explicit integrators use it: with counting, with the
// projection that the options ask for, and with the multipliers that follow from the state.
//
// y is the problem's whole vector; the first size() entries are advanced by their rates, the
// multipliers behind them are recomputed from those.
#pragma once

#include <optional>
#include <span>

#include <koppel/integrate/segment.hpp>

namespace koppel {

// The algebraic part of y from z = (v̇, λ, μ), as far as z has that form.
class Multipliers {
 public:
  explicit Multipliers(const Problem& problem);  // of its right-hand side
  Multipliers(const Problem& problem, const RightHandSide& rates);
  bool are_known() const { return count_ + num_w_ > 0; }
  // From the solution of the last evaluation. η, which vanishes on the solution, is 0; w is v̇.
  void read(const RightHandSide::Workspace& work, std::span<double> y) const;

 private:
  std::size_t first_z_ = 0, first_y_ = 0, count_ = 0, num_w_ = 0;
};

class ExplicitSystem {
 public:
  ExplicitSystem(const Segment& segment, Statistics& statistics);

  std::size_t size() const { return size_; }
  // Whether these places of y, in ascending order, are before all multipliers.
  bool are_states(std::span<const int> places) const {
    return places.empty() || places.back() < static_cast<int>(size_);
  }

  // False where there are no finite rates.
  bool rate(double t, std::span<const double> y, std::span<double> y_rate);
  // The multipliers that belong to the last evaluation of rates.
  void multipliers(std::span<double> y) const { multipliers_.read(work_, y); }
  // The same for any state, as dense output needs them; y has the problem's size.
  void solve_multipliers(double t, std::span<double> y);
  // Moves q and v of y onto the constraints. False where that is not possible.
  bool project(double t, std::span<double> y);
  bool does_project() const { return projector_.has_value(); }

  // A step that suits a method of this order where nothing is known but the equations
  // [Hairer, Nørsett & Wanner 1993, section II.4]; y_rate are the rates at t.
  double starting_step(double t, std::span<const double> y, std::span<const double> y_rate,
                       int order);

 private:
  const Segment& segment_;
  Statistics& statistics_;
  std::size_t size_;
  RightHandSide::Workspace work_;
  std::optional<Projector::Workspace> projector_;
  Multipliers multipliers_;
  std::vector<double> scratch_, scratch_rate_;
};

// A workspace where the options and the problem ask for projection.
std::optional<Projector::Workspace> make_projector_workspace(const Segment& segment);

}  // namespace koppel
