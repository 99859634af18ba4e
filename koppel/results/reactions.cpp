#include <koppel/results/reactions.hpp>

#include <map>
#include <numeric>
#include <tuple>

#include <koppel/equations/quantities.hpp>
#include <koppel/expr/algebra/calculus.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

// On a body: what acts on it, the torque about a point that the caller knows.
struct Load {
  Vec3e force, torque;
};

// δ and θ of (1), as symbols.
struct Displacement {
  explicit Displacement(Graph& graph) {
    for (const char* name : {"reaction.dx", "reaction.dy", "reaction.dz", "reaction.rx",
                             "reaction.ry", "reaction.rz"}) {
      symbols.push_back(graph.symbol(name));
    }
  }
  Vec3e theta() const { return {symbols[3], symbols[4], symbols[5]}; }
  MarkerFrame applied_to(const MarkerFrame& frame) const {
    MarkerFrame out = frame;
    out.r += Vec3e{symbols[0], symbols[1], symbols[2]};
    for (Vec3e& column : out.R.column) column += cross(theta(), column);
    return out;
  }

  std::vector<Expr> symbols;
};

// Whether all of the joint is held by equations with multipliers.
bool is_held(const Kinematics::JointState& state) {
  return !state.is_satisfied && !state.shares_point && !state.shares_axis;
}

// Equations of the model beside its joints, by their index: g = 0, and a v + b = 0.
struct Rows {
  std::vector<int> positions, velocities;
};

std::vector<int> all_of(const std::vector<Constraint>& rows) {
  std::vector<int> out(rows.size());
  std::iota(out.begin(), out.end(), 0);
  return out;
}

class Reactions {
 public:
  Reactions(const Model& model, const Equations& equations, std::span<const Expr> multipliers,
            ReactionAxes axes)
      : model_(model),
        axes_(axes),
        kinematics_(*equations.kinematics),
        values_(model),
        quantities_(model, kinematics_, values_),
        displaced_(*model.graph) {
    for (std::size_t i = 0; i < equations.rows.size(); ++i) {
      const Equations::Row& row = equations.rows[i];
      multiplier_[{row.owner.kind, row.owner.index, row.part}] = multipliers[i];
    }
  }

  std::vector<Reaction> run() {
    const std::vector<Expr> efforts =
        efforts_of({all_of(model_.constraints), all_of(model_.nonholonomic)});
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      if (is_held(kinematics_.joints[j])) put_joint(j, efforts);
    }
    for (const Contact& contact : model_.contacts) put_contact(contact);
    return std::move(out_);
  }

 private:
  using Kind = Equations::Owner::Kind;

  // That of a row of g or a; 0 for one that vanished.
  Expr multiplier_of(Kind kind, std::size_t index, int part) const {
    const auto found = multiplier_.find({kind, static_cast<int>(index), part});
    return found == multiplier_.end() ? Expr(0) : found->second;
  }

  Expr power_of(const std::vector<Constraint>& all, Kind kind, const std::vector<int>& rows) const {
    Expr power = 0;
    for (const int row : rows) {
      const auto i = static_cast<std::size_t>(row);
      power += multiplier_of(kind, i, 0) * all[i].residual;
    }
    return power;
  }

  // Eq. (2) for every quantity.
  std::vector<Expr> efforts_of(const Rows& rows) const {
    std::vector<Expr> values, rates;
    for (const Quantity& quantity : model_.quantities) {
      values.push_back(quantity.value);
      rates.push_back(quantity.rate);
    }
    std::vector<Expr> efforts =
        gradient(power_of(model_.constraints, Kind::Constraint, rows.positions), values);
    const std::vector<Expr> more =
        gradient(power_of(model_.nonholonomic, Kind::Nonholonomic, rows.velocities), rates);
    for (std::size_t i = 0; i < efforts.size(); ++i) {
      efforts[i] = -quantities_.resolve(efforts[i] + more[i]);
    }
    return efforts;
  }

  // Eq. (1).
  Load load_of_rows(std::size_t index) const {
    const Joint& joint = model_.joints[index];
    Kinematics::JointState state = kinematics_.joints[index];
    const MarkerFrame a = locate(kinematics_, joint.a), b = locate(kinematics_, joint.b);
    if (joint.law->needs_angle()) {
      state.angle = *state.angle + dot(a.R.column[2], displaced_.theta());
    }
    Expr power = 0;
    for (const ConstraintRow& row : constraints_of(joint, a, displaced_.applied_to(b), state)) {
      power += multiplier_of(Kind::Joint, index, row.row.part) * row.residual;
    }
    const std::vector<Expr> zero(displaced_.symbols.size(), Expr(0));
    const std::vector<Expr> d =
        substitute(gradient(power, displaced_.symbols), displaced_.symbols, zero);
    return {-Vec3e{d[0], d[1], d[2]}, -Vec3e{d[3], d[4], d[5]}};
  }

  void put_joint(std::size_t index, const std::vector<Expr>& efforts) {
    const Joint& joint = model_.joints[index];
    const Mat3e A = locate(kinematics_, joint.a).R;
    const Vec3e turns_about = model_.is_planar ? Vec3e{0, 0, 1} : A.column[2];
    Load load = load_of_rows(index);
    for (std::size_t i = 0; i < efforts.size(); ++i) {
      const auto& of = model_.quantities[i].of;
      const auto* angle = std::get_if<Quantity::JointAngle>(&of);
      const auto* position = std::get_if<Quantity::JointPosition>(&of);
      if (angle != nullptr && angle->joint == static_cast<int>(index)) {
        load.torque += efforts[i] * turns_about;
      } else if (position != nullptr && position->joint == static_cast<int>(index)) {
        load.force += efforts[i] * A.column[2];
      }
    }
    put(joint.name + ".force.", "N", load.force, A);
    put(joint.name + ".torque.", "N m", load.torque, A);
  }

  void put_contact(const Contact& contact) {
    const std::vector<Expr> efforts = efforts_of({contact.constraints, contact.nonholonomic});
    const Mat3e axes = locate(kinematics_, contact.frame).R;
    Vec3e force;
    for (const int i : contact.coordinates) {
      const auto quantity = static_cast<std::size_t>(i);
      const auto& x = std::get<Quantity::PointCoordinate>(model_.quantities[quantity].of);
      const auto k = static_cast<std::size_t>(x.axis);
      force += efforts[quantity] * (x.reference ? axes : Mat3e::identity()).column[k];
    }
    put(contact.name + ".force.", "N", force, axes);
  }

  // The columns of one vector, given in world axes.
  void put(const std::string& name, const char* unit, const Vec3e& world, const Mat3e& R) {
    const Vec3e along_joint = transpose(R) * world;
    const bool is_torque = unit != std::string("N");
    for (std::size_t k = 0; k < 3; ++k) {
      const bool in_world = axes_ == ReactionAxes::World;
      const bool is_out_of_plane = in_world ? (k == 2) != is_torque : along_joint[k].is_constant(0);
      if (model_.is_planar && is_out_of_plane) continue;
      out_.push_back({name + "xyz"[k], unit, in_world ? world[k] : along_joint[k]});
    }
  }

  const Model& model_;
  ReactionAxes axes_;
  Kinematics kinematics_;
  ParameterValues values_;
  Quantities quantities_;
  Displacement displaced_;
  // By the owners of rows, and which of theirs they are.
  std::map<std::tuple<Equations::Owner::Kind, int, int>, Expr> multiplier_;
  std::vector<Reaction> out_;
};

}  // namespace

std::vector<Reaction> reactions_of(const Model& model, const Equations& equations,
                                   std::span<const Expr> multipliers, ReactionAxes axes) {
  if (axes == ReactionAxes::None) return {};
  return Reactions(model, equations, multipliers, axes).run();
}

std::vector<std::string> joints_without_reactions(const Model& model, const Equations& equations) {
  const Kinematics& kinematics = *equations.kinematics;
  std::vector<std::string> names;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (!is_held(kinematics.joints[j])) names.push_back(model.joints[j].name);
  }
  return names;
}

}  // namespace koppel
