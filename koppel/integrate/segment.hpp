// The part of an integration between two breakpoints; what each integrator implements.
#pragma once

#include <koppel/integrate/integrator.hpp>

namespace koppel {

struct Segment {
  const Problem& problem;
  const IntegrateOptions& options;
  const Integrator& integrator;
  const Observer& observer;  // never empty
  double t_end;
  double h_guess = 0;               // from the segment before; 0: none
  std::optional<double> tick = {};  // of the clock that fixed-cost steps return to
};

// Each advances outcome.t, outcome.y from where they are to segment.t_end, adds to the statistics,
// and sets status and text where it cannot go on. They return a step size to begin the next
// segment with.
double run_taylor(const Segment& segment, Outcome& outcome);
double run_rk4(const Segment& segment, Outcome& outcome);
double run_dop853(const Segment& segment, Outcome& outcome);
double run_implicit_euler(const Segment& segment, Outcome& outcome);
double run_bdf2(const Segment& segment, Outcome& outcome);
double run_bdf3(const Segment& segment, Outcome& outcome);
double run_bdf4(const Segment& segment, Outcome& outcome);
double run_bdf5(const Segment& segment, Outcome& outcome);
double run_radau5(const Segment& segment, Outcome& outcome);
double run_midpoint(const Segment& segment, Outcome& outcome);
double run_generalized_alpha(const Segment& segment, Outcome& outcome);
double run_energy_momentum(const Segment& segment, Outcome& outcome);
double run_variational(const Segment& segment, Outcome& outcome);
double run_ida(const Segment& segment, Outcome& outcome);
double run_cvode(const Segment& segment, Outcome& outcome);
double run_fixed_cost(const Segment& segment, Outcome& outcome);

}  // namespace koppel
