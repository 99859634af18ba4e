// Directors: each body by the position of its centre of mass and the three columns d₁ d₂ d₃ of its
// rotation, twelve coordinates with six constraints dᵢ·dⱼ = δᵢⱼ [Yang 2017, ch. 2]. Velocities are
// the rates of the coordinates, the mass matrix is constant (affine.hpp). In the plane d₂ is d₁
// turned by a right angle: four coordinates, one constraint.
#include <koppel/equations/affine.hpp>
#include <koppel/equations/kinematics.hpp>

namespace koppel {
Kinematics make_directors(const Model& model) {
  Graph& graph = *model.graph;
  const ParameterValues values(model);
  const std::size_t dimension = model.is_planar ? 2 : 3;
  Kinematics kinematics = start_kinematics(model, "directors");
  for (std::size_t i = 1; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Equations::Owner owner = owner_of_body(model, i);
    int part = 0;
    BodyFrame& frame = kinematics.bodies[i];
    const NumericFrame start = values.body(static_cast<int>(i));
    std::vector<Vec3e> rates;
    const auto add_vector = [&](const std::string& name, const Vec3<double>& guess,
                                const char* unit) {
      Vec3e vector, rate;
      for (std::size_t axis = 0; axis < dimension; ++axis) {
        const std::string component = name + '.' + "xyz"[axis];
        vector[axis] = kinematics.add_coordinate(graph, component, guess[axis], {owner, unit});
        rate[axis] = kinematics.v.back();
      }
      rates.push_back(rate);
      return vector;
    };
    const Vec3e r = add_vector(body.name + ".com", start.r + start.R * values(body.com), "m");
    if (body.is_point) {
      frame.R = body.rotation;
    } else {
      for (std::size_t j = 0; j < (model.is_planar ? 1u : 3u); ++j) {
        frame.R.column[j] =
            add_vector(body.name + ".d" + std::to_string(j + 1), start.R.column[j], "");
        frame.omega +=
            (model.is_planar ? Expr(1) : Expr(0.5)) * cross(frame.R.column[j], rates.back());
        for (std::size_t k = 0; k <= j; ++k) {
          kinematics.internal.push_back(
              {{body.name + ".d" + std::to_string(k + 1) + 'd' + std::to_string(j + 1), owner,
                part++},
               dot(frame.R.column[k], frame.R.column[j]) - (k == j ? 1 : 0)});
        }
      }
      if (model.is_planar) frame.R.column[1] = cross(Vec3e{0, 0, 1}, frame.R.column[0]);
    }
    frame.r = r - frame.R * body.com;
    kinematics.inertias.push_back(affine_inertia(body, rates, model.is_planar));
  }
  return kinematics;
}

}  // namespace koppel
