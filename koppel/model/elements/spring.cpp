#include <koppel/model/elements/spring.hpp>

#include <koppel/model/elements/force_fields.hpp>

namespace koppel {
namespace {

template <typename E>
std::vector<Field<E>> make_fields() {
  const auto everything = Allow::Everything;
  return {
      {{"between", "the two points"}, &E::between},
      {{"stiffness", "force per stretch", "N/m", "0", everything}, &E::stiffness},
      {{"free_length", "length without force; required with a stiffness", "m", "none", everything},
       &E::free_length},
      {{"damping", "force per rate of length", "N s/m", "0", everything}, &E::damping},
      {{"tension", "additional pull", "N", "0", everything}, &E::tension},
      stiff_field<E>()};
}

Marker end(const Place& place) { return {place.body, place.at}; }

}  // namespace

const std::vector<Field<Spring>>& Spring::fields() {
  static const std::vector<Field<Spring>> kFields = make_fields<Spring>();
  return kFields;
}

const std::vector<Field<Damper>>& Damper::fields() {
  static const std::vector<Field<Damper>> kFields = make_fields<Damper>();
  return kFields;
}

void Spring::announce(ModelWriter& writer) const {
  if (!is_between_bodies(writer, between)) return;
  writer.model.add_measure(writer.name, "length",
                           Quantity::DistanceBetween{end(between.a), end(between.b)});
}

void Spring::add_to(ModelWriter& writer) const {
  if (!stiffness && !damping && !tension) {
    writer.reject_missing(" needs stiffness, damping or tension.");
  }
  if (stiffness && !free_length) {
    writer.reject_missing(" has a stiffness but no free_length.",
                          "Write free_length: 0 for one that pulls until its ends meet.");
  }
  if (writer.is_rejected()) return;
  const int length = *writer.model.find_measure(writer.name + ".length");
  const Quantity q = writer.quantity(length);
  Force force{.is_stiff = stiff};
  Expr pull = 0;
  if (stiffness) {
    const Expr stretch = q.value - *free_length;
    pull += *stiffness * stretch;
    force.potential = stored_energy(writer, *stiffness, *free_length, stretch);
  }
  if (damping) pull += *damping * q.rate;
  if (tension) pull += *tension;
  force.actions.push_back({length, -pull});
  writer.add_force(std::move(force));
}

}  // namespace koppel
