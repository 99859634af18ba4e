#include <koppel/model/elements/event.hpp>

namespace koppel {

const std::vector<Field<EventElement>>& EventElement::fields() {
  using E = EventElement;
  static const std::vector<Field<E>> kFields = {
      {{.key = "when",
        .text = "the expression, of quantities, rates, states and time",
        .allow = Allow::Everything},
       &E::when},
      {{.key = "direction",
        .text = "which zero crossings count",
        .unless_given = "`both`; of an impact `falling`",
        .words = {"both", "falling", "rising"}},
       &E::direction},
      {{"stop", "whether it ends the run", {}, "false"}, &E::stop},
      {{.key = "set",
        .text = "new values of parameters, `{k: 0}`: expressions of anything known at that time, "
                "with the rates before an impact; the impact itself uses the old restitution. "
                "Parameters that were computed from others keep their values",
        .unless_given = "none",
        .allow = Allow::Everything},
       &E::set},
      {{"bounce",
        "an impact: the rate of `when`, an expression of positions only, is reversed and keeps "
        "this fraction of its magnitude",
        {},
        "no impact"},
       &E::bounce},
      {{.key = "impulse",
        .text = "impulses on quantities, `{ball.y: 3}`",
        .unit = "N s, N m s",
        .unless_given = "none",
        .allow = Allow::Everything},
       &E::impulse}};
  return kFields;
}

void EventElement::add_to(ModelWriter& writer) const {
  if (!when) {
    return writer.reject_missing(
        " needs its condition: when.",
        "Such as `when: ball.y - r`, which happens where that passes through zero.");
  }
  Event event;
  event.name = writer.name;
  event.where = writer.where();
  event.when = *when;
  event.stops = stop;
  constexpr EventDirection kDirections[] = {EventDirection::Both, EventDirection::Falling,
                                            EventDirection::Rising};
  event.direction = direction.value >= 0 ? kDirections[direction.value]
                    : bounce             ? EventDirection::Falling
                                         : EventDirection::Both;
  if (bounce) {
    const double left = writer.value(*bounce);
    if (!(left >= 0 && left <= 1)) {
      writer.reject_key("bounce", "model.bad-value",
                        " must lie between 0 and 1: the part of the rate that is left.");
    }
    if (const std::optional<Expr> rate = writer.find_beyond_positions(*when)) {
      writer.reject_key(
          "when", "model.name-not-allowed",
          " has '" + std::string(rate->name()) + "'; an impact has a condition of positions.");
    }
    event.restitution = *bounce;
  }
  for (const Assignments::Assignment& a : set.values) {
    event.changes.push_back({a.parameter, a.value});
  }
  event.impulses = impulse.values;
  writer.model.events.push_back(std::move(event));
}

}  // namespace koppel
