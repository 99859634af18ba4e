#include <koppel/results/reactions.hpp>

#include <algorithm>

#include <koppel/expr/calculus.hpp>
#include <koppel/expr/structure.hpp>

namespace koppel {
namespace {

// The rows of g by name: those of one owner have different names.
int find_row(const Equations& equations, const std::string& name) {
  const auto found = std::find(equations.lambda.begin(), equations.lambda.end(), name);
  return found == equations.lambda.end() ? -1 : static_cast<int>(found - equations.lambda.begin());
}

// δ and θ of (1), as symbols.
struct Displacement {
  explicit Displacement(Graph& graph) {
    for (const char* name : {"reaction.dx", "reaction.dy", "reaction.dz", "reaction.rx",
                             "reaction.ry", "reaction.rz"}) {
      symbols.push_back(graph.symbol(name));
    }
  }
  MarkerFrame applied_to(const MarkerFrame& frame) const {
    const Vec3e d{symbols[0], symbols[1], symbols[2]}, theta{symbols[3], symbols[4], symbols[5]};
    MarkerFrame out = frame;
    out.r += d;
    for (Vec3e& column : out.R.column) column += cross(theta, column);
    return out;
  }

  std::vector<Expr> symbols;
};

}  // namespace

Kinematics kinematics_of(const Model& model, const Equations& equations) {
  const std::string& set = equations.coordinates;
  if (set == "joint") return make_joint(model);
  if (set == "natural") return make_natural(model);
  if (set == "directors") return make_directors(model);
  if (set == "lagrange") return start_kinematics(model, "lagrange");
  return make_absolute(model, set == "cardan");
}

std::vector<Reaction> reactions_of(const Model& model, const Equations& equations,
                                   std::span<const Expr> lambda, ReactionAxes axes) {
  if (axes == ReactionAxes::None) return {};
  const Kinematics kinematics = kinematics_of(model, equations);
  const Displacement displaced(*model.graph);
  const std::vector<Expr> zero(displaced.symbols.size(), Expr(0));
  std::vector<Reaction> out;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const Kinematics::JointState& state = kinematics.joints[j];
    if (state.is_satisfied || state.shares_point || state.shares_axis) continue;
    Expr potential = 0;  // Σ λ_i g_i, whose gradient (1) is
    for (const ConstraintRow& row :
         constraints_of(joint, locate(kinematics, joint.a),
                        displaced.applied_to(locate(kinematics, joint.b)), state)) {
      const int i = find_row(equations, row.name);
      if (i >= 0) potential += lambda[static_cast<std::size_t>(i)] * row.residual;
    }
    const std::vector<Expr> world =
        substitute(gradient(potential, displaced.symbols), displaced.symbols, zero);
    const Vec3e load[2] = {{world[0], world[1], world[2]}, {world[3], world[4], world[5]}};
    const Mat3e R = transpose(locate(kinematics, joint.a).R);
    for (std::size_t k = 0; k < 6; ++k) {
      const Expr along_joint = (R * load[k / 3])[k % 3];
      const bool is_out_of_plane =
          axes == ReactionAxes::World ? k != 0 && k != 1 && k != 5 : along_joint.is_constant(0);
      if (model.is_planar && is_out_of_plane) continue;
      const std::string axis(1, "xyz"[k % 3]);
      out.push_back({joint.name + (k < 3 ? ".force." : ".torque.") + axis, k < 3 ? "N" : "N m",
                     axes == ReactionAxes::World ? -world[k] : -along_joint});
    }
  }
  return out;
}

}  // namespace koppel
