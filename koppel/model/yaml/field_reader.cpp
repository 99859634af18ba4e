#include <koppel/model/yaml/field_reader.hpp>

#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/model/yaml/sections.hpp>

namespace koppel::yaml {
namespace {

Place place_of(const Point& p) { return {p.body, p.at, p.frame.R, p.is_origin}; }

}  // namespace

std::string FieldReader::key(const FieldInfo& info) const {
  if (!node_.is_map() || info.called == kItself) return what_;
  const std::string name(info.called.empty() ? info.key : info.called);
  return what_.empty() ? name : name + " of " + what_;
}

void FieldReader::read(const Node& node, const FieldInfo& info, std::optional<Expr>& into) {
  into = info.allow != Allow::Parameters ? reader_.expression(node, key(info), info.allow)
         : info.bound == Bound::OneTurn  ? reader_.angle(node, key(info)).e
                                         : reader_.number(node, key(info)).e;
}

void FieldReader::read(const Node& node, const FieldInfo& info, bool& into) {
  into = reader_.boolean(node, key(info));
}

void FieldReader::read(const Node& node, const FieldInfo& info, Word& into) {
  into.value = reader_.word(node, key(info), info.words);
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/, std::optional<Place>& into) {
  const std::optional<Point> p = reader_.point(node, what_);
  if (!p) return;
  points_.push_back(*p);
  into = place_of(*p);
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/, Ends& into) {
  if (!node.is_sequence() || node.items.size() != 2) {
    return reader_.report_missing(
        node.offset, what_ + " needs between: [first, second].",
        "Each a body, or a point of one such as rod.A; 'ground' is the world.");
  }
  const std::optional<Point> a = reader_.point(node.items[0], what_);
  const std::optional<Point> b = reader_.point(node.items[1], what_);
  if (!a || !b) return;
  points_ = {*a, *b};
  into = {place_of(*a), place_of(*b)};
}

// With `at`, numbers are in the axes of the model; names are those of a body's own axes.
void FieldReader::read(const Node& node, const FieldInfo& /*info*/,
                       std::optional<Direction>& into) {
  if (points_.empty()) return;  // reported
  into.emplace();
  if (node_.find("at") != nullptr && !node.is_scalar() && points_.size() == 2) {
    into->value = reader_.direction(node, "axis of " + what_);
    into->is_in_world = true;
  } else if (const auto axis = reader_.axis_of(node, points_[0], what_)) {
    into->value = *axis;
  }
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/, Directions& into) {
  if (!node.is_sequence() || node.items.size() != 2) {
    return reader_.report(node.offset, "model.wrong-dimension",
                          "axes of " + what_ + " must be two axes, one for each body.");
  }
  if (points_.size() != 2) return;  // reported
  const auto a = reader_.axis_of(node.items[0], points_[0], what_);
  const auto b = reader_.axis_of(node.items[1], points_[1], what_);
  if (!a || !b) return;
  into = {Direction(a->x, a->y, a->z), Direction(b->x, b->y, b->z)};
}

void FieldReader::read(const Node& node, const FieldInfo& info, std::optional<WorldPoint>& into) {
  into.emplace().value = reader_.vector(node, key(info));
}

void FieldReader::read(const Node& node, const FieldInfo& info,
                       std::optional<WorldDirection>& into) {
  into.emplace().value = reader_.direction(node, key(info));
}

void FieldReader::read(const Node& node, const FieldInfo& info, Numbers& into) {
  const auto one = [&](const Node& n) {
    std::optional<Expr> e;
    read(n, info, e);
    return *e;
  };
  into.is_list = node.is_sequence() && !node.items.empty();
  if (!node.is_sequence()) into.values = {one(node)};
  for (const Node& item : node.items) into.values.push_back(one(item));
}

void FieldReader::read(const Node& node, const FieldInfo& info, Rows& into) {
  if (!node.is_sequence()) {
    return reader_.report(
        node.offset, "model.wrong-dimension",
        key(info) + " must be a list of numbers, the diagonal, or of rows; found no list.");
  }
  into.is_diagonal = node.items.empty() || !node.items[0].is_sequence();
  const auto row = [&](const Node& list) {
    Numbers numbers;
    read(list, info, numbers);
    return numbers.values;
  };
  if (into.is_diagonal) {
    into.rows = {row(node)};
  } else {
    for (const Node& item : node.items) into.rows.push_back(row(item));
  }
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/,
                       std::optional<Coordinate>& into) {
  if (const int found = reader_.joint_coordinate(node, what_); found >= 0) into = Coordinate{found};
}

void FieldReader::read(const Node& node, const FieldInfo& info, std::optional<Observed>& into) {
  if (const int found = reader_.quantity(node, key(info)); found >= 0) into = Observed{found};
}

void FieldReader::read(const Node& node, const FieldInfo& info, JointValue& into) {
  if (!node.is_map()) return read(node, info, into.value);
  constexpr std::string_view kKeys[] = {"angle", "position"};
  reader_.check_keys(node, key(info), kKeys);
  if (const Node* n = node.find(kKeys[0])) read(*n, info, into.angle);
  if (const Node* n = node.find(kKeys[1])) read(*n, info, into.position);
}

void FieldReader::read(const Node& node, const FieldInfo& info, Assignments& into) {
  for (const Element& change : reader_.elements(&node, key(info))) {
    const auto it = reader_.names.parameters.find(change.full_name);
    if (it == reader_.names.parameters.end()) {
      reader_.report_unknown(reader_.source.at(change.offset), "model.unknown-name",
                             change.full_name,
                             what_ + " sets '" + change.name + "'; there is no such parameter.");
      continue;
    }
    into.values.push_back(
        {it->second.symbol, reader_.expression(*change.value, key(info), info.allow)});
  }
}

void FieldReader::read(const Node& node, const FieldInfo& info, Efforts& into) {
  for (const Element& effort : reader_.elements(&node, key(info))) {
    const int on = reader_.quantity(make_scalar(effort.name, effort.offset), key(info));
    const Expr size = reader_.expression(*effort.value, key(info), info.allow);
    if (on >= 0) into.values.push_back({on, size});
  }
}

void FieldReader::read(const Node& node, const FieldInfo& info, std::optional<double>& into) {
  into = reader_.plain_number(node, key(info));
}

void FieldReader::read(const Node& node, const FieldInfo& info, std::optional<std::string>& into) {
  into = reader_.text(node, key(info));
}

void FieldReader::read(const Node& node, const FieldInfo& info, Texts& into) {
  into.is_list = !node.items.empty();
  for (const Node& item : node.items) into.values.push_back(reader_.text(item, key(info)));
}

void FieldReader::read(const Node& node, const FieldInfo& info, PlainNumbers& into) {
  for (const Node& item : node.items) {
    into.values.push_back(reader_.plain_number(item, key(info)));
  }
}

void FieldReader::read(const Node& node, const FieldInfo& info, WayPoints& into) {
  if (node.items.empty()) return;
  into.is_path = node.items[0].is_sequence();
  const std::size_t size = !into.is_path ? 1 : reader_.model.is_planar ? 2 : 3;
  into.components.resize(size);
  for (const Node& item : node.items) {
    if (into.is_path) reader_.vector(item, key(info));  // reports what is wrong
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_there = !into.is_path || i < item.items.size();
      into.components[i].push_back(
          is_there ? reader_.plain_number(into.is_path ? item.items[i] : item, key(info)) : 0);
    }
  }
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/,
                       std::optional<SampleFile>& into) {
  into.emplace();
  const std::optional<Source> source = read_included(reader_, node, what_);
  if (!source || !count_values(reader_, node, 0)) return;
  into->name = source->file();
  try {
    into->data = parse_csv(source->text(), source->file());
  } catch (const Error& wrong) {
    reader_.report(wrong);
  }
}

// Two numbers are in the x-y plane. A sub-assembly draws where it stands.
Vec3e FieldReader::spot(const Node& node) {
  const bool is_flat = node.is_sequence() && node.items.size() == 2;
  const std::size_t count = is_flat || reader_.model.is_planar ? 2 : 3;
  const std::vector<Expr> x =
      reader_.expressions(node, count, "a point of " + what_, Allow::Positions);
  return reader_.frame.point({x[0], x[1], count == 3 ? x[2] : Expr(0)});
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/, std::optional<Spot>& into) {
  into.emplace().at = spot(node);
}

void FieldReader::read(const Node& node, const FieldInfo& /*info*/, Corners& into) {
  for (const Node& item : node.items) into.values.push_back(spot(item));
}

std::vector<NamedVector> FieldReader::read_named(const Node& node, const FieldInfo& info,
                                                 bool is_axis) {
  std::vector<NamedVector> out;
  for (const Element& item : reader_.elements(&node, key(info))) {
    const std::string what = (is_axis ? "axis '" : "point '") + item.name + "' of " + what_;
    const bool is_coordinate = item.name == "x" || item.name == "y" || item.name == "z";
    if (!is_valid_name(item.name) || item.name.find('.') != item.name.npos || is_coordinate) {
      reader_.report(item.offset, "model.bad-name",
                     "'" + item.name.substr(0, 60) + "' cannot name a point or an axis.",
                     is_coordinate ? "x, y and z are the coordinates of the body's origin."
                                   : "A name is a letter, then letters, digits or underscores.");
      continue;
    }
    out.push_back({item.name, is_axis ? reader_.direction(*item.value, what)
                                      : reader_.vector(*item.value, what)});
  }
  return out;
}

void FieldReader::read(const Node& node, const FieldInfo& info, NamedPoints& into) {
  into.values = read_named(node, info, false);
}

void FieldReader::read(const Node& node, const FieldInfo& info, NamedAxes& into) {
  into.values = read_named(node, info, true);
}

void FieldReader::read(const Node& node, const FieldInfo& info, OwnPoints& into) {
  into.is_given = true;
  into.is_known = node.is_sequence();
  if (!into.is_known) {
    return reader_.report(node.offset, "model.wrong-kind",
                          key(info) + " must be a list of points and vectors.",
                          "The origin, one on the x axis, and in space one in the x-y plane.");
  }
  for (const Node& item : node.items) {
    const std::string name = reader_.with_indices(item.offset, reader_.text(item, key(info)));
    const auto it = reader_.names.elements.find(reader_.full(name));
    if (it == reader_.names.elements.end()) {
      std::vector<std::string> known;
      for (const PointOrVector& e : reader_.model.elements) known.push_back(e.name);
      reader_.report_unknown(reader_.source.at(item.offset), "model.unknown-point",
                             reader_.full(name),
                             key(info) + " names '" + name + "'; there is no such point or vector.",
                             list_choices(name, "points and vectors", known));
      into.is_known = false;
      return;
    }
    into.values.push_back(it->second);
  }
}

void FieldReader::read(const Node& node, const FieldInfo& info, Settings& into) {
  for (const Element& parameter : reader_.elements(&node, key(info))) {
    const Number value = reader_.number(*parameter.value, describe("parameter", parameter.name));
    into.values.push_back({parameter.name, value.e, value.value});
  }
}

void FieldReader::read(const Node& node, const FieldInfo& info, AxisAngle& into) {
  if (!reader_.check_keys(node, key(info), keys_of<AxisAngle>())) return;
  into.is_given = true;
  FieldReader(reader_, node, what_).read(into);
}

void FieldReader::read(const Node& node, const FieldInfo& info, Orientation& into) {
  into.is_given = true;
  if (!reader_.check_keys(node, key(info), keys_of<Orientation>())) return;
  FieldReader(reader_, node, key(info)).read(into);
}

void FieldReader::read(const Node& node, const FieldInfo& info, Shapes& into) {
  into.is_given = true;
  if (node.is_sequence()) {
    for (const Node& item : node.items) {
      if (!reader_.expect_map(item, "a shape of " + what_)) continue;
      for (const Entry& entry : item.entries) read_shape(entry, into);
    }
  } else if (reader_.expect_map(node, key(info))) {
    for (const Entry& entry : node.entries) read_shape(entry, into);
  }
}

void FieldReader::read_shape(const Entry& entry, Shapes& into) {
  const Reader::Subject subject(reader_, reader_.subject() + '.' + entry.key);
  const std::string what = entry.key + " of " + what_;
  std::vector<std::string> known;
  ShapeElements::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    known.emplace_back(E::kInfo.type);
    if (entry.key != E::kInfo.type || !reader_.check_keys(entry.value, what, keys_of<E>())) return;
    E made;
    FieldReader(reader_, entry.value, "the " + what).read(made);
    ModelWriter writer =
        reader_.writer_for({entry.key, entry.key, entry.offset, &entry.value}, what);
    writer.of = "the " + what;
    check_bounds(made, writer);
    if (writer.is_rejected()) return;
    if (std::optional<Solid> solid = made.make(writer)) into.values.push_back(std::move(*solid));
  });
  if (std::find(known.begin(), known.end(), entry.key) != known.end()) return;
  std::sort(known.begin(), known.end());
  reader_.report(entry.offset, "model.unknown-type",
                 "unknown shape '" + entry.key.substr(0, 60) + "' of " + what_ + ".",
                 list_choices(entry.key, "shapes", known));
}

// Elements that are an expression; those with `repeat` or other keys have it under `value`.
const Node& value_of(Reader& reader, const Element& element, const std::string& what,
                     std::span<const std::string_view> keys) {
  if (!element.value->is_map()) return *element.value;
  reader.check_keys(*element.value, what, keys);
  if (const Node* value = element.value->find("value")) return *value;
  reader.report_missing(element.offset, what + " needs a value.");
  static const Node zero = make_scalar("0", 0);
  return zero;
}

}  // namespace koppel::yaml
