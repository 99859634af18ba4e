// Joints and forces, read by their tables of fields (elements/field.hpp): the table says which keys
// there are and what each is, the element itself what is missing, wrong or to be done.
#include <algorithm>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

// The points come first: directions refer to the bodies they are on.
struct Reader::Places {
  const Node& element;
  std::string what;
  std::vector<Point> points = {};

  std::string key(const FieldInfo& info) const { return std::string(info.key) + " of " + what; }
};

namespace {

Place place_of(const Point& p) { return {p.body, p.at.e, p.frame.R.e, p.is_origin}; }

bool is_place(FieldKind kind) { return kind == FieldKind::Point || kind == FieldKind::Ends; }

// "revolute, prismatic and screw"
std::string list_of(const std::vector<std::string_view>& names) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + std::string(names[i]);
  }
  return out;
}

template <typename List>
std::vector<std::string_view> types_with(auto&& condition) {
  std::vector<std::string_view> types;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    if (condition(id)) types.push_back(E::kInfo.type);
  });
  return types;
}

}  // namespace

ModelWriter Reader::writer_for(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  const std::size_t offset = element.offset;
  ModelWriter writer(model_, *values_, element.full_name, what, source_.at(offset),
                     [this, &node, offset](std::string_view key, const Diagnostic& d) {
                       const Node* value = key.empty() ? nullptr : node.find(key);
                       report(value != nullptr ? value->offset : offset, d.id, d.message, d.hint);
                     });
  writer.axes_of_model = {placement_.r.e, placement_.R.e};
  return writer;
}

// Keys that this type does not have, but others do.
template <typename List>
void Reader::report_keys_of_others(const Node& node, const std::string& what, const char* kind,
                                   std::span<const std::string_view> keys) {
  for (const Entry& entry : node.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    const auto owners = types_with<List>([&](auto id) {
      const auto& fields = decltype(id)::type::fields();
      return std::any_of(fields.begin(), fields.end(),
                         [&](const auto& field) { return field.info.key == entry.key; });
    });
    if (owners.empty()) continue;
    report(entry.offset, "model.unknown-key",
           "key '" + entry.key + "' in " + what + " belongs to " + list_of(owners) + ' ' + kind +
               "s.");
  }
}

template <typename List, typename E>
void Reader::read_as(const Element& element, const std::string& what, const char* kind) {
  const Node& node = *element.value;
  const std::size_t before = mistakes_.size();
  std::vector<std::string_view> keys;
  if constexpr (!std::is_void_v<List>) keys.push_back("type");
  for (const Field<E>& field : E::fields()) keys.push_back(field.info.key);
  if constexpr (!std::is_void_v<List>) report_keys_of_others<List>(node, what, kind, keys);
  check_keys(node, what, keys);
  E made;
  Places at{node, what};
  ModelWriter writer = writer_for(element, what);
  const auto read_fields = [&](bool places) {
    for (const Field<E>& field : E::fields()) {
      const Node* value = node.find(field.info.key);
      if (value == nullptr || is_place(field.kind()) != places) continue;
      std::visit([&](auto member) { read_value(*value, field.info, at, made.*member); },
                 field.member);
    }
  };
  read_fields(true);
  // What can be measured on an element is known to its own expressions.
  if constexpr (requires { made.announce(writer); }) {
    if (mistakes_.size() == before) made.announce(writer);
  }
  read_fields(false);
  if (mistakes_.size() > before || writer.is_rejected()) return;
  add_element(made, writer);
}

template <typename List>
void Reader::read_one_of(const Element& element, const char* kind) {
  const std::string what = describe(kind, element.name);
  if (!claim(element, "element", kind)) return;
  const Node& node = *element.value;
  if (!expect_map(node, what)) return;
  const Node* type = node.find("type");
  if (type == nullptr) {
    report(element.offset, "model.missing-key", what + " has no type.");
    return;
  }
  const auto all = types_with<List>([](auto) { return true; });
  if (word(*type, "type of " + what, all) < 0) return;
  List::for_each([&](auto id) {
    using E = typename decltype(id)::type;
    if (E::kInfo.type != type->text) return;
    if (model_.is_planar ? E::kInfo.in_plane : E::kInfo.in_space) {
      return read_as<List, E>(element, what, kind);
    }
    const auto others = types_with<List>([&](auto other) {
      const ElementInfo& info = decltype(other)::type::kInfo;
      return model_.is_planar ? info.in_plane : info.in_space;
    });
    report(type->offset, "model.wrong-dimension",
           what + " is " + type->text + "; " + (model_.is_planar ? "planar" : "spatial") +
               " models have " + list_of(others) + ' ' + kind + "s.",
           type->text == Spherical::kInfo.type ? "Did you mean 'revolute'?" : "");
  });
}

void Reader::read_joints(const Node* section) {
  for (const Element& element : elements(section, "joints")) {
    const std::size_t first = model_.joints.size();
    read_one_of<JointElements>(element, "joint");
    if (model_.joints.size() > first) {
      names_.joints.emplace(element.full_name, static_cast<int>(first));
    }
  }
}

template <typename E>
void Reader::read_section(const Node* section, const char* name, const char* kind) {
  for (const Element& element : elements(section, name)) {
    if (!claim(element, kind, kind)) continue;
    const std::string what = describe(kind, element.name);
    const auto is_value = [](const Field<E>& field) { return field.info.key == "value"; };
    const auto value = std::find_if(E::fields().begin(), E::fields().end(), is_value);
    if (element.value->is_map() || value == E::fields().end()) {
      if (expect_map(*element.value, what)) read_as<void, E>(element, what, kind);
      continue;
    }
    const std::size_t before = mistakes_.size();
    E made;
    auto& into = made.*std::get<std::optional<Expr> E::*>(value->member);
    into = expression(*element.value, what, value->info.allow);
    ModelWriter writer = writer_for(element, what);
    if (mistakes_.size() == before) add_element(made, writer);
  }
}

void Reader::read_events(const Node* section) {
  read_section<EventElement>(section, "events", "event");
}

void Reader::read_tracking(const Node* section) {
  read_section<TrackingElement>(section, "tracking", "tracking");
  for (const Tracking& tracking : model_.tracking) {
    for (const Expr& force : tracking.forces) {
      names_.plain.emplace(std::string(force.name()), force);
    }
  }
}

void Reader::read_constraints(const Node& root) {
  read_section<CouplingElement>(root.find("couplings"), "couplings", "constraint");
  read_section<ConstraintElement>(root.find("constraints"), "constraints", "constraint");
  read_section<NonholonomicElement>(root.find("nonholonomic"), "nonholonomic", "constraint");
}

void Reader::read_forces(const Node* section) {
  for (const Element& element : elements(section, "forces")) {
    read_one_of<ForceElements>(element, "force");
  }
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at,
                        std::optional<Expr>& into) {
  into = info.allow == Allow::Parameters ? number(node, at.key(info)).e
                                         : expression(node, at.key(info), info.allow);
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, bool& into) {
  into = boolean(node, at.key(info));
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, Word& into) {
  into.value = word(node, at.key(info), info.words);
}

void Reader::read_value(const Node& node, const FieldInfo& /*info*/, Places& at,
                        std::optional<Place>& into) {
  const std::optional<Point> p = point(node, at.what);
  if (!p) return;
  at.points.push_back(*p);
  into = place_of(*p);
}

void Reader::read_value(const Node& node, const FieldInfo& /*info*/, Places& at, Ends& into) {
  if (!node.is_sequence() || node.items.size() != 2) {
    report(node.offset, "model.missing-key", at.what + " needs between: [first, second].",
           "Each a body, or a point of one such as rod.A; 'ground' is the world.");
    return;
  }
  const std::optional<Point> a = point(node.items[0], at.what), b = point(node.items[1], at.what);
  if (!a || !b) return;
  at.points = {*a, *b};
  into = {place_of(*a), place_of(*b)};
}

// With `at`, numbers are in the axes of the model; names are those of a body's own axes.
void Reader::read_value(const Node& node, const FieldInfo& /*info*/, Places& at,
                        std::optional<Direction>& into) {
  if (at.points.empty()) return;  // reported
  into.emplace();
  const Node* place = at.element.find("at");
  if (place != nullptr && !node.is_scalar() && at.points.size() == 2) {
    into->value = nonzero(vector(node, "axis of " + at.what), node, "axis of " + at.what).e;
    into->is_in_world = true;
  } else if (const auto axis = axis_of(node, at.points[0], at.what)) {
    into->value = axis->e;
  }
}

void Reader::read_value(const Node& node, const FieldInfo& /*info*/, Places& at, Directions& into) {
  if (!node.is_sequence() || node.items.size() != 2) {
    report(node.offset, "model.wrong-dimension",
           "axes of " + at.what + " must be two axes, one for each body.");
    return;
  }
  if (at.points.size() != 2) return;  // reported
  const auto a = axis_of(node.items[0], at.points[0], at.what);
  const auto b = axis_of(node.items[1], at.points[1], at.what);
  if (!a || !b) return;
  into = {Direction(a->e.x, a->e.y, a->e.z), Direction(b->e.x, b->e.y, b->e.z)};
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at,
                        std::optional<WorldPoint>& into) {
  into.emplace().value = vector(node, at.key(info)).e;
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at,
                        std::optional<WorldDirection>& into) {
  into.emplace().value = nonzero(vector(node, at.key(info)), node, at.key(info)).e;
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, Numbers& into) {
  const auto one = [&](const Node& n) {
    return info.allow == Allow::Parameters ? number(n, at.key(info)).e
                                           : expression(n, at.key(info), info.allow);
  };
  into.is_list = node.is_sequence();
  if (!into.is_list) into.values = {one(node)};
  for (const Node& item : node.items) into.values.push_back(one(item));
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, Rows& into) {
  if (!node.is_sequence()) {
    report(node.offset, "model.wrong-dimension",
           at.key(info) + " must be a list of numbers, the diagonal, or of rows; found no list.");
    return;
  }
  into.is_diagonal = node.items.empty() || !node.items[0].is_sequence();
  const auto row = [&](const Node& list) {
    Numbers numbers;
    read_value(list, info, at, numbers);
    return numbers.values;
  };
  if (into.is_diagonal) {
    into.rows = {row(node)};
  } else {
    for (const Node& item : node.items) into.rows.push_back(row(item));
  }
}

void Reader::read_value(const Node& node, const FieldInfo& /*info*/, Places& at,
                        std::optional<Coordinate>& into) {
  if (const int quantity = joint_coordinate(node, at.what); quantity >= 0) {
    into = Coordinate{quantity};
  }
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at,
                        std::optional<Observed>& into) {
  if (const int found = quantity(node, at.key(info)); found >= 0) {
    into = Observed{found};
  }
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, JointValue& into) {
  if (!node.is_map()) {
    return read_value(node, info, at, into.value);
  }
  check_keys(node, at.key(info), {"angle", "position"});
  if (const Node* n = node.find("angle")) read_value(*n, info, at, into.angle);
  if (const Node* n = node.find("position")) read_value(*n, info, at, into.position);
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, Assignments& into) {
  for (const Element& change : elements(&node, at.key(info))) {
    const auto it = names_.parameters.find(change.full_name);
    if (it == names_.parameters.end()) {
      report(change.offset, "model.unknown-name",
             at.what + " sets '" + change.name + "'; there is no such parameter.");
      continue;
    }
    into.values.push_back({it->second.symbol, expression(*change.value, at.key(info), info.allow)});
  }
}

void Reader::read_value(const Node& node, const FieldInfo& info, Places& at, Efforts& into) {
  for (const Element& effort : elements(&node, at.key(info))) {
    Node name;
    name.kind = Node::Kind::Scalar;
    name.offset = effort.offset;
    name.text = effort.name;
    const int on = quantity(name, at.key(info));
    const Expr size = expression(*effort.value, at.key(info), info.allow);
    if (on >= 0) into.values.push_back({on, size});
  }
}

}  // namespace koppel::yaml
