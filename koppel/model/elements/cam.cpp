#include <koppel/model/elements/cam.hpp>

#include <algorithm>

#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/model/elements/joint_fields.hpp>

namespace koppel {

const std::vector<Field<Cam>>& Cam::fields() {
  static const std::vector<Field<Cam>> kFields = {
      {{"between", "the body with the curve, and the point that follows it"}, &Cam::between},
      {{.key = "curve",
        .text = "its components in the frame of the first body, expressions of `name.s`",
        .unit = "m",
        .allow = Allow::Positions},
       &Cam::curve},
      {{"radius",
        "of a roller to the right of the curve's direction: outside one that runs "
        "counter-clockwise; "
        "negative: to the left",
        "m", "0: a point"},
       &Cam::radius},
      {{"groove",
        "holds the follower from both sides; otherwise the run reports where the follower would "
        "leave the cam",
        {},
        "false"},
       &Cam::groove},
      {{"start", "expected place on the curve at the start, `name.s`", {}, "0"}, &Cam::start}};
  return kFields;
}

void Cam::announce(ModelWriter& writer) const {
  const int place = writer.model.add_coordinate(writer.name + ".s");
  writer.model.add_measure(writer.name, "s", writer.quantity(place).of);
}

void Cam::add_to(ModelWriter& writer) const {
  Model& model = writer.model;
  const std::size_t dim = model.is_planar ? 2 : 3;
  const std::optional<Ends> ends = place_ends(writer, between, {});
  if (!ends) return;
  if (!curve.is_given()) {
    return writer.reject_missing(" needs its curve, expressions of " + writer.name + ".s.");
  }
  if (!writer.check_size("curve", curve, dim)) return;
  if (dim == 3 && radius) {
    return writer.reject_at("radius", "model.wrong-dimension",
                            " has a roller; in space a point follows the curve.");
  }
  const Expr s = writer.quantity(*model.find_measure(writer.name + ".s")).value;
  if (start) model.initial.push_back({s, *start, false, {}});
  const Marker frame{ends->a.body, ends->a.at, ends->a.axes}, point{ends->b.body, ends->b.at};
  Contact contact{.name = writer.name, .type = kInfo.type, .frame = frame, .point = point};
  Vec3e gap;  // p − c(s)
  for (std::size_t i = 0; i < dim; ++i) {
    const int p =
        model.coordinate_of(writer.name + '.' + "xyz"[i], point, static_cast<int>(i), frame);
    gap[i] = writer.quantity(p).value - curve.values[i];
    contact.coordinates.push_back(p);
  }
  const std::vector<Expr> by = {s}, one = {Expr(1)};
  const std::vector<Expr> slope = jacobian_times_vector(curve.values, by, one);
  if (std::all_of(slope.begin(), slope.end(), [](Expr x) { return x.is_constant(0); })) {
    return writer.reject_key("curve", "model.bad-value",
                             " does not depend on " + writer.name + ".s, the place on it.");
  }
  if (dim == 3) {
    for (std::size_t i = 0; i < 3; ++i) {
      contact.constraints.push_back(writer.add_constraint(std::string(".") + "xyz"[i], gap[i]));
    }
    model.contacts.push_back(std::move(contact));
    return;
  }
  const Vec3e t = normalized(Vec3e{slope[0], slope[1], 0}), n{t.y, -t.x, 0};
  contact.constraints = {
      writer.add_constraint(".along", dot(t, gap)),                          // Eq. (1)
      writer.add_constraint(".contact", radius.value_or(0) - dot(n, gap))};  // Eq. (2)
  model.constraints.back().pulls = !groove;
  model.contacts.push_back(std::move(contact));
}

}  // namespace koppel
