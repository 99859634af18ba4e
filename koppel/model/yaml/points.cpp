// Points and vectors of the user's own, whose components are coordinates, and the body frames that
// follow from them.
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {

void Reader::read_elements(const Node* section, bool is_point) {
  const char* const kind = is_point ? "point" : "vector";
  if (section != nullptr && !prefix_.empty()) {
    report(section->offset, "model.wrong-kind",
           std::string(kind) + "s whose components are coordinates stand in the main file only.");
    return;
  }
  for (const Element& element : elements(section, is_point ? "points" : "vectors")) {
    const std::string what = describe(kind, element.name);
    if (claim(element, "element", kind)) read_element(element, what, is_point);
  }
}

void Reader::read_element(const Element& element, const std::string& what, bool is_point) {
  const Node& node = *element.value;
  const Node* start = &node;
  const Node* given = nullptr;
  std::string moves = model_.is_planar ? "xy" : "xyz";
  if (node.is_map()) {
    check_keys(node, what, {"start", "moves", "is"});
    start = node.find("start");
    given = node.find("is");
    const Node* directions = node.find("moves");
    if ((start == nullptr) == (given == nullptr)) {
      report(element.offset, "model.missing-key", what + " needs start, or is.",
             "start: expected values of its coordinates; is: what it is, by others.");
      return;
    }
    if (directions != nullptr && given != nullptr) {
      report(directions->offset, "model.unknown-key",
             "key 'moves' in " + what + " belongs to start.");
      return;
    }
    if (directions != nullptr) {
      moves = text(*directions, "moves of " + what);
      const char* const all = model_.is_planar ? "xy" : "xyz";
      if (moves.empty() || moves.find_first_not_of(all) != moves.npos) {
        report(directions->offset, "model.bad-value",
               "moves of " + what + " must be some of the letters of " + all + ", found '" +
                   moves.substr(0, 40) + "'.");
        return;
      }
    }
  }
  int index = 0;
  if (given != nullptr) {
    const std::size_t size = model_.is_planar ? 2 : 3;
    const std::vector<Expr> e = expressions(*given, size, what, Allow::Positions);
    for (const Expr& component : e) {
      if (!depends_on_coordinates_only(component)) {
        report(given->offset, "model.name-not-allowed",
               what + " may depend on coordinates, points, vectors and parameters only.");
        return;
      }
    }
    index = model_.add_given(element.full_name, {e[0], e[1], size == 3 ? e[2] : Expr(0)}, is_point);
  } else {
    const Vec3e value = vector(*start, what).e;
    index = is_point ? model_.add_point(element.full_name, value, moves)
                     : model_.add_vector(element.full_name, value, moves);
  }
  PointOrVector& added = model_.elements[static_cast<std::size_t>(index)];
  added.where = source_.at(element.offset);
  names_.elements.emplace(element.full_name, index);
  name_components(added);
}

// A.x and A.x' in expressions; and the point as a place for springs, where it stands still.
void Reader::name_components(const PointOrVector& element) {
  bool is_still = true;
  for (std::size_t i = 0; i < (model_.is_planar ? 2U : 3U); ++i) {
    const Expr value = element.value[i];
    std::vector<Expr> coordinates, rates;
    if (!value.is_constant()) coordinates = symbols_of(value);
    for (const Expr& symbol : coordinates) {
      const int quantity = model_.find_quantity(symbol.name());
      rates.push_back(quantity < 0 ? Expr(0)  // a parameter
                                   : model_.quantities[static_cast<std::size_t>(quantity)].rate);
      is_still = is_still && quantity < 0;
    }
    const std::string name = element.name + '.' + "xyz"[i];
    names_.plain.emplace(name, value);
    names_.plain.emplace(
        name + '\'', coordinates.empty() ? Expr(0) : time_derivative(value, coordinates, rates));
  }
  if (!element.is_point || !is_still) return;
  const Vector at{element.value, model_.number_at_start(element.value)};
  names_.points.emplace(element.name, Point{kGround, at, {}, {}, false});
}

bool Reader::depends_on_coordinates_only(Expr e) const {
  if (e.is_constant()) return true;
  for (const Expr& symbol : symbols_of(e)) {
    const int quantity = model_.find_quantity(symbol.name());
    if (symbol == model_.time) return false;
    if (quantity >= 0 && !std::holds_alternative<Quantity::Free>(
                             model_.quantities[static_cast<std::size_t>(quantity)].of)) {
      return false;
    }
  }
  return true;
}

// Whether the frame is right; else what is wrong is reported.
bool Reader::read_frame(const Node& frame, const Node& node, const std::string& what, Body& body) {
  for (const char* key : {"position", "angle", "rotation", "quaternion", "cardan"}) {
    if (const Node* other = node.find(key)) {
      report(other->offset, "model.contradiction",
             what + " has a frame of points and vectors; it has no " + std::string(key) + ".");
      return false;
    }
  }
  if (!frame.is_sequence()) {
    report(frame.offset, "model.wrong-kind",
           "frame of " + what + " must be a list of points and vectors.",
           "The origin, one on the x axis, and in space one in the x-y plane.");
    return false;
  }
  std::vector<int> list;
  for (const Node& item : frame.items) {
    const std::string name = with_indices(item.offset, text(item, "frame of " + what));
    const auto it = names_.elements.find(full(name));
    if (it == names_.elements.end()) {
      std::vector<std::string> known;
      for (const PointOrVector& e : model_.elements) known.push_back(e.name);
      report(item.offset, "model.unknown-point",
             "frame of " + what + " names '" + name + "'; there is no such point or vector.",
             one_of(name, "points and vectors", known));
      return false;
    }
    list.push_back(it->second);
  }
  try {
    model_.set_frame(body, list);
  } catch (const Error& error) {
    const Diagnostic& d = error.diagnostics().front();
    report(frame.offset, d.id, d.message, d.hint);
    return false;
  }
  return true;
}

// The body where it is expected at the start; its points are places for joints and springs.
void Reader::place_by_frame(int index) {
  const Body& body = model_.bodies[static_cast<std::size_t>(index)];
  Placement& pose = names_.poses[static_cast<std::size_t>(index)];
  pose.r = {body.position, model_.number_at_start(body.position)};
  pose.R.e = body.rotation;
  for (std::size_t j = 0; j < 3; ++j)
    pose.R.value.column[j] = model_.number_at_start(body.rotation.column[j]);
  for (const Body::Site& site : body.frame) {
    const PointOrVector& element = model_.elements[static_cast<std::size_t>(site.element)];
    if (!element.is_point) continue;
    const Vector at{site.local, model_.number_at_start(site.local)};
    names_.points.emplace(element.name, Point{index, at, {}, {}, false});
  }
}

}  // namespace koppel::yaml
