// The section `drawing`: what a model without bodies looks like. Each part has one key that says
// what it is and where:
//
//   rope: {cable: [[s, 0], [x, y]]}
//   trolley: {box: [s, 0], size: [0.6, 0.2]}
#include <algorithm>
#include <array>

#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

struct DrawnKind {
  std::string_view key;
  Drawn::Kind kind;
  std::string_view needs;  // a further key; empty: none
};
constexpr std::array<DrawnKind, 6> kKinds = {{{"point", Drawn::Kind::Point, ""},
                                              {"line", Drawn::Kind::Line, ""},
                                              {"cable", Drawn::Kind::Cable, ""},
                                              {"circle", Drawn::Kind::Circle, "radius"},
                                              {"box", Drawn::Kind::Box, "size"},
                                              {"label", Drawn::Kind::Label, "text"}}};

}  // namespace

void Reader::read_drawing(const Node* section) {
  for (const Element& element : elements(section, "drawing")) {
    const std::string what = describe("drawing", element.name);
    if (expect_map(*element.value, what)) read_drawn(element, what);
  }
}

void Reader::read_drawn(const Element& element, const std::string& what) {
  const Node& node = *element.value;
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(),
                                 [&](const DrawnKind& k) { return node.find(k.key) != nullptr; });
  if (kind == kKinds.end()) {
    return report(element.offset, "model.missing-key", what + " does not say what is drawn.",
                  "Give one of point, line, cable, circle, box, label, with where it is.");
  }
  std::vector<std::string_view> keys = {kind->key};
  if (!kind->needs.empty()) keys.push_back(kind->needs);
  if (kind->kind == Drawn::Kind::Box) keys.push_back("turn");
  if (!check_keys(node, what, keys)) return;

  Drawn part{element.full_name, kind->kind};
  part.where = source_.at(element.offset);
  const Node& place = *node.find(kind->key);
  if (kind->kind == Drawn::Kind::Line || kind->kind == Drawn::Kind::Cable) {
    if (!place.is_sequence() || place.items.size() < 2) {
      return report(
          place.offset, "model.wrong-dimension",
          std::string(kind->key) + " of " + what + " must be a list of two or more points.");
    }
    for (const Node& p : place.items) part.points.push_back(drawn_point(p, what));
  } else {
    part.points.push_back(drawn_point(place, what));
  }
  const Node* more = kind->needs.empty() ? nullptr : node.find(kind->needs);
  if (!kind->needs.empty() && more == nullptr) {
    return report(element.offset, "model.missing-key",
                  what + " needs " + std::string(kind->needs) + ".");
  }
  const std::string of = std::string(kind->needs) + " of " + what;
  if (kind->kind == Drawn::Kind::Label) part.text = text(*more, of);
  if (kind->kind == Drawn::Kind::Circle) part.size.x = number(*more, of).value;
  if (kind->kind == Drawn::Kind::Box) {
    const bool is_flat = more->is_sequence() && more->items.size() == 2;
    const std::size_t count = is_flat ? 2 : 3;
    expressions(*more, count, of, Allow::Parameters);  // reports what is wrong
    for (std::size_t i = 0; more->is_sequence() && i < std::min(count, more->items.size()); ++i) {
      part.size[i] = number(more->items[i], of).value;
    }
    if (const Node* turn = node.find("turn")) {
      part.turn = expression(*turn, "turn of " + what, Allow::Positions);
    }
  }
  if (part.size.x < 0 || part.size.y < 0 || part.size.z < 0) {
    return report(more->offset, "model.bad-value", of + " must be positive.");
  }
  model_.drawing.push_back(std::move(part));
}

// Two numbers are in the x-y plane. A sub-assembly draws where it stands.
Vec3e Reader::drawn_point(const Node& node, const std::string& what) {
  const bool is_flat = node.is_sequence() && node.items.size() == 2;
  const std::size_t count = is_flat || model_.is_planar ? 2 : 3;
  const std::vector<Expr> x = expressions(node, count, "a point of " + what, Allow::Positions);
  return placement_.r.e + placement_.R.e * Vec3e{x[0], x[1], count == 3 ? x[2] : Expr(0)};
}

}  // namespace koppel::yaml
