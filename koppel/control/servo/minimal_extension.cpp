// The servo problem extended once: (1) of reduced_servo.hpp.
#include <koppel/control/servo/servo_terms.hpp>

namespace koppel {

ReducedForm extend_once(const ServoTerms& terms) {
  const Equations& e = terms.e;
  const Dependent dependent = choose_dependent(terms);
  ResidualBuilder builder(terms);
  const Exprs w = servo_symbols(*e.graph, "acceleration", dependent.v.size());
  const std::vector<SeriesTerms::Place> all = builder.acceleration_places();
  std::vector<SeriesTerms::Place> places;
  Exprs accelerations = terms.v_rate;
  for (std::size_t k = 0; k < w.size(); ++k) {
    const auto j = static_cast<std::size_t>(dependent.v[k]);
    accelerations[j] = w[k];
    places.push_back(all[j]);
    builder.set_index(e.num_q() + j, 1);
    builder.set_index(static_cast<std::size_t>(dependent.q[k]), 1);
  }
  builder.add_rates(dependent.q);
  builder.add_motion(terms.motion(accelerations, terms.lambda));
  builder.add_constraints();
  builder.add_servo(terms.error, "position of ");
  builder.add_servo(terms.error_rate, "velocity of ");
  builder.add_servo(terms.servo_acceleration(accelerations), "acceleration of ");
  builder.add_multipliers();
  builder.add_unknowns(w, 1, places);
  builder.add_inputs();
  return builder.finish();
}

}  // namespace koppel
