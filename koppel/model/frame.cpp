// Points and vectors of the user's own, and body frames that follow from them.
//
// With the elements O, A, B as expected at the start, points taken relative to O,
//   x = A/|A|,   y = (B − (x·B) x)/|B − (x·B) x|,   z = x × y                               (1)
// are the body's axes, and O, A, B have the local coordinates
//   (0, 0, 0),   (|A|, 0, 0),   (x·B, |B − (x·B) x|, 0)                                     (2)
#include <koppel/model/model.hpp>

#include <algorithm>
#include <cmath>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/code/function.hpp>

namespace koppel {

int Model::add_element(std::string_view element, const Vec3e& start, std::string_view moves,
                       bool is_point) {
  PointOrVector added{std::string(element), is_point, false, start, {}};
  for (std::size_t i = 0; i < (is_planar ? 2U : 3U); ++i) {
    if (moves.find("xyz"[i]) == moves.npos) continue;
    const int quantity = add_coordinate(added.name + '.' + "xyz"[i]);
    added.value[i] = quantities[static_cast<std::size_t>(quantity)].value;
    initial.push_back({added.value[i], start[i], false, {}});
  }
  elements.push_back(std::move(added));
  return static_cast<int>(elements.size()) - 1;
}

int Model::add_point(std::string_view point, const Vec3e& start, std::string_view moves) {
  return add_element(point, start, moves, true);
}

int Model::add_vector(std::string_view vector, const Vec3e& start, std::string_view moves) {
  return add_element(vector, start, moves, false);
}

int Model::add_given(std::string_view element, const Vec3e& value, bool is_point) {
  elements.push_back({std::string(element), is_point, true, value, {}});
  return static_cast<int>(elements.size()) - 1;
}

Vec3e Model::at_start(const Vec3e& e) const {
  Vec3e out = e;
  for (std::size_t i = 0; i < 3; ++i) {
    if (e[i].is_constant()) continue;
    std::vector<Expr> from, to;
    for (const Expr symbol : symbols_of(e[i])) {
      const int quantity = find_quantity(symbol.name());
      if (quantity < 0) continue;  // a parameter
      const auto wish = std::find_if(initial.begin(), initial.end(),
                                     [&](const Initial& w) { return w.symbol == symbol; });
      from.push_back(symbol);
      to.push_back(wish == initial.end() ? Expr(0) : wish->value);
    }
    out[i] = substitute(std::span<const Expr>(&e[i], 1), from, to)[0];
  }
  return out;
}

Vec3<double> Model::number_at_start(const Vec3e& e) const {
  const Vec3e start = at_start(e);
  std::vector<Expr> symbols, components;
  std::vector<double> values;
  for (const Parameter& p : parameters) {
    symbols.push_back(p.symbol);
    values.push_back(p.value);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    components.push_back(Expr(*graph, graph->adopt(start[i])));
  }
  const std::vector<double> out = Function(symbols, components)(values);
  return {out[0], out[1], out[2]};
}

void Model::set_frame(Body& body, std::span<const int> list) const {
  const std::string what = "frame of body '" + body.name + "'";
  const std::size_t least = body.is_point ? 1 : is_planar ? 2 : 3;
  const std::size_t most = body.is_point ? 1 : is_planar ? 2 : 4;
  if (list.size() < least || list.size() > most) {
    throw Error("model.bad-frame", what + " must have " + std::to_string(least) +
                                       (most > least ? " or " + std::to_string(most) : "") +
                                       (most == 1 ? " point" : " points and vectors") + "; found " +
                                       std::to_string(list.size()) + ".");
  }
  const auto element = [&](std::size_t i) -> const PointOrVector& {
    return elements[static_cast<std::size_t>(list[i])];
  };
  if (!element(0).is_point) {
    throw Error("model.bad-frame",
                what + " starts with vector '" + element(0).name + "'; its origin is a point.");
  }
  const auto place = [&](std::size_t i) {
    return element(i).is_point && i > 0 ? element(i).value - element(0).value : element(i).value;
  };
  const auto refuse_unless = [&](bool is_right, const std::string& message) {
    if (!is_right) throw Error("model.bad-frame", what + ": " + message);
  };
  constexpr double kRounding = 1e-9;  // of the elements' sizes
  body.frame = {{list[0], {}}};
  body.position = at_start(place(0));
  body.rotation = Mat3e::identity();
  if (list.size() == 1) return;

  const Vec3<double> a = number_at_start(place(1));
  refuse_unless(norm(a) > 0, element(1).is_point
                                 ? "points '" + element(0).name + "' and '" + element(1).name +
                                       "' coincide at the start."
                                 : "vector '" + element(1).name + "' has length zero.");
  const Vec3e A = at_start(place(1));
  const Vec3e x = normalized(A);  // Eq. (1)
  body.frame.push_back({list[1], {norm(A), 0, 0}});
  if (is_planar) {
    body.rotation = {{x, {-x.y, x.x, 0}, {0, 0, 1}}};
    return;
  }
  const Vec3<double> b = number_at_start(place(2));
  refuse_unless(norm(cross(a, b)) > kRounding * norm(a) * norm(b),
                "'" + element(0).name + "', '" + element(1).name + "' and '" + element(2).name +
                    "' are on one line at the start.");
  const Vec3e B = at_start(place(2));
  const Expr along = dot(x, B);
  const Vec3e rest = B - along * x;
  const Vec3e y = normalized(rest);
  body.frame.push_back({list[2], {along, norm(rest), 0}});  // Eq. (2)
  body.rotation = {{x, y, cross(x, y)}};
  if (list.size() == 3) return;
  const Vec3<double> c = number_at_start(place(3)), n = cross(a, b);
  refuse_unless(std::abs(dot(n, c)) > kRounding * norm(n) * norm(c),
                "its four elements are in one plane at the start.");
  body.frame.push_back({list[3], transpose(body.rotation) * at_start(place(3))});
}

}  // namespace koppel
