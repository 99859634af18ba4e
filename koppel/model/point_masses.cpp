#include <koppel/model/point_masses.hpp>

#include <algorithm>
#include <unordered_map>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/elements/joint_law.hpp>

namespace koppel {
namespace {

class Search {
 public:
  explicit Search(const Model& model) : model_(model) {
    for (const Quantity& quantity : model.quantities) {
      const Body* const body = point_mass_that_turns(quantity);
      if (body == nullptr) continue;
      turned_by_[quantity.value.id()] = body;
      turned_by_[quantity.rate.id()] = body;
    }
  }

  std::vector<Diagnostic> run() {
    for (const Joint& joint : model_.joints) check_joint(joint);
    for (const Force& force : model_.forces) {
      check_actions("force '" + force.name + "' acts on", force.actions, force.where);
    }
    for (const Event& event : model_.events) {
      check_actions("event '" + event.name + "' has an impulse on", event.impulses, event.where);
    }
    for (const auto* constraints : {&model_.constraints, &model_.nonholonomic}) {
      for (const Constraint& constraint : *constraints) check_constraint(constraint);
    }
    return std::move(mistakes_);
  }

 private:
  void report(const Location& where, const char* id, std::string message, std::string hint) {
    Location place = where;
    if (place.file.empty()) place.file = model_.file;
    mistakes_.push_back({id, std::move(message), std::move(hint), std::move(place), {}});
  }

  bool has_body(int body) const {
    return body >= 0 && static_cast<std::size_t>(body) < model_.bodies.size();
  }
  const Body& body(int i) const { return model_.bodies[static_cast<std::size_t>(i)]; }

  const Body* point_mass_of(std::initializer_list<int> bodies) const {
    for (const int i : bodies) {
      if (has_body(i) && body(i).is_point) return &body(i);
    }
    return nullptr;
  }

  // Where the quantity is a rotation of a point mass, or against one; else none.
  const Body* point_mass_that_turns(const Quantity& quantity) const {
    if (const auto* angle = std::get_if<Quantity::JointAngle>(&quantity.of)) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(angle->joint)];
      return point_mass_of({joint.a.body, joint.b.body});
    }
    if (const auto* angle = std::get_if<Quantity::BodyAngle>(&quantity.of)) {
      return point_mass_of({angle->body});
    }
    if (const auto* rotation = std::get_if<Quantity::Orientation>(&quantity.of)) {
      return point_mass_of({rotation->a.body, rotation->b.body});
    }
    if (const auto* rate = std::get_if<Quantity::AngularVelocity>(&quantity.of)) {
      return point_mass_of({rate->body, rate->reference});
    }
    return nullptr;
  }

  void report_turned(const std::string& what, const Body& body, const Location& where) {
    report(where, "model.point-mass-turned",
           what + " the rotation of point mass '" + body.name + "', which does not turn.",
           "Give mass and inertia in place of point_mass.");
  }

  void check_actions(const std::string& what, const std::vector<Action>& actions,
                     const Location& where) {
    for (const Action& action : actions) {
      if (action.effort.is_constant(0)) continue;
      const Quantity& on = model_.quantities[static_cast<std::size_t>(action.quantity)];
      const auto found = turned_by_.find(on.rate.id());
      if (found == turned_by_.end()) continue;
      return report_turned(what, *found->second, where);
    }
  }

  // Its multiplier would be a torque.
  void check_constraint(const Constraint& constraint) {
    for (const Expr& symbol : symbols_of(constraint.residual)) {
      const auto found = turned_by_.find(symbol.id());
      if (found == turned_by_.end()) continue;
      return report_turned("constraint '" + constraint.name + "' prescribes", *found->second,
                           constraint.where);
    }
  }

  // A joint that holds the axes of a point mass to those of another body keeps that body from
  // turning, which nobody means.
  void check_joint(const Joint& joint) {
    if (!has_body(joint.a.body) || !has_body(joint.b.body)) return;
    const Body &a = body(joint.a.body), &b = body(joint.b.body);
    if (a.is_point == b.is_point || joint.a.body == kGround || joint.b.body == kGround) return;
    if (!holds_axes(joint)) return;
    report(joint.where, "model.point-mass-axes",
           "joint '" + joint.name + "' holds the axes of point mass '" + (a.is_point ? a : b).name +
               "', which does not turn: body '" + (a.is_point ? b : a).name +
               "' could not turn either.",
           model_.is_planar ? "Use revolute or point-on-line, or give mass and inertia in place of "
                              "point_mass."
                            : "Use spherical, point-on-line or point-on-plane, or give mass and "
                              "inertia in place of point_mass.");
  }

  // Whether a row of the joint is of orientations alone, with the bodies turned and placed anyhow.
  bool holds_axes(const Joint& joint) const {
    Graph& graph = *model_.graph;
    std::vector<Expr> turns, places;
    const auto frame_of = [&](const Marker& marker, const char* side) {
      const auto symbol = [&](const char* what, std::size_t i) {
        return graph.symbol(std::string("anyhow.") + side + '.' + what + std::to_string(i));
      };
      MarkerFrame frame;
      for (std::size_t i = 0; i < 3; ++i) places.push_back(frame.r[i] = symbol("r", i));
      if (!body(marker.body).is_point) {
        if (model_.is_planar) {
          turns.push_back(symbol("angle", 0));
          frame.R = rotation(Vec3e{0, 0, 1}, turns.back());
        } else {
          for (std::size_t i = 0; i < 9; ++i) {
            turns.push_back(frame.R(i / 3, i % 3) = symbol("R", i));
          }
        }
      }
      frame.R = frame.R * marker.axes;
      return frame;
    };
    const MarkerFrame a = frame_of(joint.a, "a"), b = frame_of(joint.b, "b");
    const Expr angle = graph.symbol("anyhow.angle");
    places.push_back(angle);
    JointRows rows(a, b, angle, false, false);
    joint.law->constrain(rows);
    return std::any_of(rows.rows.begin(), rows.rows.end(), [&](const JointRows::Row& row) {
      return depends_on(row.residual, turns) && !depends_on(row.residual, places);
    });
  }

  const Model& model_;
  std::vector<Diagnostic> mistakes_;
  std::unordered_map<NodeId, const Body*> turned_by_;  // by the symbols of the quantity
};

}  // namespace

std::vector<Diagnostic> find_turned_point_masses(const Model& model) {
  const bool any = std::any_of(model.bodies.begin(), model.bodies.end(),
                               [](const Body& body) { return body.is_point; });
  return any ? Search(model).run() : std::vector<Diagnostic>();
}

}  // namespace koppel
