#include <koppel/analysis/motion/position_jump.hpp>

namespace koppel {
namespace {

// The components of all centres and directions, body after body.
std::vector<Expr> components_of(const Placement& placement) {
  std::vector<Expr> out;
  const auto add = [&](const Vec3e& v) { out.insert(out.end(), {v.x, v.y, v.z}); };
  for (const PlacedBody& body : placement) {
    add(body.centre);
    for (const Vec3e& direction : body.directions) add(direction);
  }
  return out;
}

// ω of directions d with rates ḋ = ω × d: of three orthogonal ones in space ω = ½ Σ d × ḋ, of one
// in the plane ω = d × ḋ.
Vec3<double> spin_of(const std::vector<Vec3<double>>& d, const std::vector<Vec3<double>>& rate) {
  Vec3<double> sum{};
  for (std::size_t k = 0; k < d.size(); ++k) sum = sum + cross(d[k], rate[k]);
  return d.size() == 3 ? 0.5 * sum : sum;
}

// The placement with its bodies expected where and as fast as they are in the state.
Placement placed_at(const Evaluator& evaluator, Placement placement, const State& state) {
  const std::vector<Expr> components = components_of(placement);
  const Equations& e = evaluator.equations;
  const std::vector<double> value = VectorFunction(e, components)(state);
  const std::vector<double> rate = VectorFunction(e, rate_of(e, components))(state);
  std::size_t at = 0;
  const auto take = [](const std::vector<double>& from, std::size_t i) {
    return Vec3<double>{from[i], from[i + 1], from[i + 2]};
  };
  for (PlacedBody& body : placement) {
    body.start = take(value, at);
    body.velocity = take(rate, at);
    std::vector<Vec3<double>> rates;
    for (std::size_t k = 0; k < body.directions.size(); ++k) {
      at += 3;
      body.start_directions[k] = take(value, at);
      rates.push_back(take(rate, at));
    }
    body.spin = spin_of(body.start_directions, rates);
    at += 3;
  }
  return placement;
}

}  // namespace

Assembly assemble_after_jump(const Evaluator& evaluator, const Placement& placement,
                             const State& before, double t) {
  Equations without_wishes = evaluator.equations;
  without_wishes.wishes.clear();
  const Evaluator bare(without_wishes);
  State guess = before;
  guess.t = t;
  return assemble(bare, placed_at(bare, placement, before), guess);
}

}  // namespace koppel
