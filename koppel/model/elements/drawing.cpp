#include <koppel/model/elements/drawing.hpp>

namespace koppel {
namespace {

FieldInfo place_info(std::string_view key, std::string_view text) {
  return {.key = key, .text = text, .unit = "m", .allow = Allow::Positions};
}

void add(ModelWriter& writer, Drawn part) {
  part.name = writer.name;
  part.where = writer.where();
  const MarkerFrame& frame = writer.axes_of_model;
  for (Vec3e& point : part.points) point = frame.r + frame.R * point;
  if (part.kind == Drawn::Kind::Box) part.turn += atan2(frame.R(1, 0), frame.R(0, 0));
  if (!writer.is_rejected()) writer.model.drawing.push_back(std::move(part));
}

void add_corners(ModelWriter& writer, std::string_view key, Drawn::Kind kind,
                 const Corners& corners) {
  if (corners.values.size() < 2) {
    return writer.reject_key(key, "model.wrong-dimension",
                             " must be a list of two or more points.");
  }
  add(writer, {.name = {}, .kind = kind, .points = corners.values});
}

// Of a part that is at one place, with a further key.
bool has(ModelWriter& writer, const std::optional<Spot>& at, std::string_view key, bool is_given) {
  if (!is_given) writer.reject_missing(" needs " + std::string(key) + ".");
  return is_given && at;
}

}  // namespace

const std::vector<Field<DrawnPoint>>& DrawnPoint::fields() {
  static const std::vector<Field<DrawnPoint>> kFields = {
      {place_info("point", "a dot: where it is"), &DrawnPoint::point}};
  return kFields;
}

void DrawnPoint::add_to(ModelWriter& writer) const {
  if (point) add(writer, {.name = {}, .kind = Drawn::Kind::Point, .points = {point->at}});
}

const std::vector<Field<DrawnLine>>& DrawnLine::fields() {
  static const std::vector<Field<DrawnLine>> kFields = {
      {place_info("line", "a bar through two or more points"), &DrawnLine::line}};
  return kFields;
}

void DrawnLine::add_to(ModelWriter& writer) const {
  add_corners(writer, "line", Drawn::Kind::Line, line);
}

const std::vector<Field<DrawnCable>>& DrawnCable::fields() {
  static const std::vector<Field<DrawnCable>> kFields = {
      {place_info("cable", "a thin line through two or more points"), &DrawnCable::cable}};
  return kFields;
}

void DrawnCable::add_to(ModelWriter& writer) const {
  add_corners(writer, "cable", Drawn::Kind::Cable, cable);
}

const std::vector<Field<DrawnCircle>>& DrawnCircle::fields() {
  static const std::vector<Field<DrawnCircle>> kFields = {
      {place_info("circle", "a circle parallel to the x-y plane: its centre"),
       &DrawnCircle::circle},
      {{"radius", "radius of the circle", "m"}, &DrawnCircle::radius}};
  return kFields;
}

void DrawnCircle::add_to(ModelWriter& writer) const {
  if (!has(writer, circle, "radius", radius.has_value())) return;
  const double r = writer.value(*radius);
  if (r < 0) return writer.reject_key("radius", "model.bad-value", " must be positive.");
  add(writer, {.name = {}, .kind = Drawn::Kind::Circle, .points = {circle->at}, .size = {r, 0, 0}});
}

const std::vector<Field<DrawnBox>>& DrawnBox::fields() {
  using E = DrawnBox;
  static const std::vector<Field<E>> kFields = {
      {place_info("box", "a box: its centre"), &E::box},
      {{"size", "its edges, two or three", "m"}, &E::size},
      {{.key = "turn",
        .text = "its rotation about z",
        .unit = "rad",
        .unless_given = "0",
        .allow = Allow::Positions},
       &E::turn}};
  return kFields;
}

void DrawnBox::add_to(ModelWriter& writer) const {
  if (!has(writer, box, "size", size.is_given())) return;
  const std::size_t count = size.is_list && size.values.size() == 2 ? 2 : 3;
  if (!writer.check_size("size", size, count)) return;
  Drawn part{.name = {}, .kind = Drawn::Kind::Box, .points = {box->at}};
  part.turn = turn.value_or(0);
  for (std::size_t i = 0; i < count; ++i) {
    part.size[i] = writer.value(size.values[i]);
    if (part.size[i] < 0) {
      return writer.reject_key("size", "model.bad-value", " must be positive.");
    }
  }
  add(writer, std::move(part));
}

const std::vector<Field<DrawnLabel>>& DrawnLabel::fields() {
  static const std::vector<Field<DrawnLabel>> kFields = {
      {place_info("label", "text beside a point: the point"), &DrawnLabel::label},
      {{"text", "text of the label"}, &DrawnLabel::text}};
  return kFields;
}

void DrawnLabel::add_to(ModelWriter& writer) const {
  if (!has(writer, label, "text", text.has_value())) return;
  add(writer, {.name = {}, .kind = Drawn::Kind::Label, .points = {label->at}, .text = *text});
}

}  // namespace koppel
