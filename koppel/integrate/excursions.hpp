// Excursions: steps that lead over a switch of the laws and back. A mass that is pushed away by a
// wall, max(0, depth), may be on this side of it at both ends of a step, and far behind it in
// between: the integrator saw no force, its error estimate none either, and the balance of energy
// does not tell, since what the wall takes it gives back.
//
// Along a step the arguments σ_i of switches (Problem::switches) are looked at
// in several places, and where |σ_i| is least it is followed to its least value (dip.hpp). Where
// σ_i is then on another side than at both ends, the step must end there. The way between the ends
// is the dense output and, before it, the cubic through the states and rates at the ends: explicit
// methods take further stages for their dense output, which may fall behind the switch and then
// lead anywhere.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <koppel/integrate/integrator.hpp>

namespace koppel {

class Excursions {
 public:
  // `num_parts`: of a step, in which one looks. `by_cubic`: along that, too.
  Excursions(const Problem& problem, int num_parts, bool by_cubic);

  // A time within the step at which a switch is on another side than at both of its ends.
  struct Found {
    double t;
    std::size_t which;  // of Problem::switches
  };
  std::optional<Found> look(const Step& step);

 private:
  using Way = std::function<std::span<const double>(double t)>;  // y
  std::optional<Found> look_along(const Way& way, double t0, double t1);
  // The cubic between the ends of a step.
  void fit_cubic(const Step& step);
  std::span<const double> cubic(const Step& step, double t);
  std::span<const double> evaluate(double t, std::span<const double> y);

  const EventFunctions& functions_;
  EventFunctions::Workspace work_;
  std::size_t num_sharp_;
  int num_parts_;
  bool by_cubic_;
  std::vector<double> y_, values_, largest_;  // |σ_i| in all steps so far
  std::array<std::vector<double>, 4> ends_;   // y and h ẏ, there and there
  std::vector<double> times_;
  std::vector<std::vector<double>> samples_;
};

}  // namespace koppel
