// Loads: the forces of springs, tyres and the like on bodies, for pictures and plots.
//
// A force acts on quantities with efforts (model.hpp). On a length the effort −P is a pull P that
// draws its two points together; on coordinates of a point the efforts are the components of a
// force there, along world axes or those of a reference, whose body gets the opposite. Torques are
// left out.
#pragma once

#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// In the order of Scene::springs.
struct Pull {
  std::string name;  // of the spring
  Expr value;        // N, of the state
};

struct PointLoad {
  std::string name;  // of the force
  Marker at;
  Vec3e force;  // N, in world axes
};

struct Loads {
  std::vector<Pull> pulls;
  std::vector<PointLoad> points;
};

// In the coordinates of equations that were derived from the model.
Loads loads_of(const Model& model, const Equations& equations);

}  // namespace koppel
