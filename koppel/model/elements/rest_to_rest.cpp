#include <koppel/model/elements/rest_to_rest.hpp>

#include <koppel/model/elements/signal_fields.hpp>
#include <koppel/model/time_law.hpp>

namespace koppel {

const std::vector<Field<RestToRest>>& RestToRest::fields() {
  using E = RestToRest;
  static const std::vector<Field<E>> kFields = {
      {{.key = "duration", .text = "time from 0 to 1", .unit = "s", .bound = Bound::Positive},
       &E::duration},
      smoothness_field<E>(),
      {{"start", "time at which it leaves 0", "s", "0"}, &E::start}};
  return kFields;
}

bool has_time(ModelWriter& writer, std::string_view key, const std::optional<Expr>& time) {
  if (time) return true;
  writer.reject_missing(" needs its " + std::string(key) + ".");
  return false;
}

Expr since_start(const ModelWriter& writer, const std::optional<Expr>& start) {
  return start ? writer.model.time - *start : writer.model.time;
}

void RestToRest::add_to(ModelWriter& writer) const {
  const int n = smoothness_of(writer, smoothness, kMaxSmoothness);
  if (!has_time(writer, "duration", duration) || writer.is_rejected()) return;
  writer.define("", rest_to_rest(since_start(writer, start), *duration, n));
}

}  // namespace koppel
