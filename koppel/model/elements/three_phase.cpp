#include <koppel/model/elements/three_phase.hpp>

#include <koppel/model/elements/rest_to_rest.hpp>
#include <koppel/model/elements/signal_fields.hpp>
#include <koppel/model/time_law.hpp>

namespace koppel {

const std::vector<Field<ThreePhase>>& ThreePhase::fields() {
  using E = ThreePhase;
  static const std::vector<Field<E>> kFields = {
      {{.key = "duration", .text = "time from 0 to 1", .unit = "s", .bound = Bound::Positive},
       &E::duration},
      {{.key = "ramp",
        .text = "time to speed up, and to slow down",
        .unit = "s",
        .bound = Bound::Positive},
       &E::ramp},
      smoothness_field<E>(),
      {{"start", "time at which it leaves 0", "s", "0"}, &E::start}};
  return kFields;
}

void ThreePhase::add_to(ModelWriter& writer) const {
  const int n = smoothness_of(writer, smoothness, kMaxSmoothness);
  const bool has_duration = has_time(writer, "duration", duration);
  if (!has_time(writer, "ramp", ramp) || !has_duration) return;
  if (2 * writer.value(*ramp) > writer.value(*duration)) {
    writer.reject("model.bad-value", " has ramps that are longer than half of it.");
  }
  if (writer.is_rejected()) return;
  writer.define("", three_phase(since_start(writer, start), *duration, *ramp, n));
}

}  // namespace koppel
