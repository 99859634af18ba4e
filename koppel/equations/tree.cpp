// Joint coordinates: relative coordinates along a spanning tree of the mechanism. Bodies are
// reached breadth first from the ground; joints not in the tree close loops and stay constraints.
// Every frame is an expression of its parent's, so that the graph grows linearly with the bodies.
#include <koppel/equations/kinematics.hpp>

#include <deque>

#include <koppel/expr/algebra/calculus.hpp>

namespace koppel {
namespace {

// What a tree needs of a joint's motion.
struct Motion {
  Mat3e Q = Mat3e::identity();
  Vec3e w, d, d_rate;
  Expr angle = 0;  // about z, for planar models
};

// The same seen from b: Qᵀ has angular velocity −Q w (axes of a), the displacement is −Qᵀ d, and
// d/dt(−Qᵀ d) = −Qᵀ d′ + w × Qᵀ d.
Motion reversed(const Motion& m) {
  Motion r;
  r.Q = transpose(m.Q);
  r.w = -(m.Q * m.w);
  r.d = -(r.Q * m.d);
  r.d_rate = cross(m.w, r.Q * m.d) - r.Q * m.d_rate;
  r.angle = -m.angle;
  return r;
}

// Makes the coordinates of a joint, starting where its markers are placed.
class TreeMotion : public JointMotion {
 public:
  TreeMotion(Kinematics& kinematics, Graph& graph, Equations::Owner joint, const NumericFrame& a,
             const NumericFrame& b)
      : JointMotion(as_expressions(transpose(a.R) * b.R), displacement(a, b)),
        kinematics_(kinematics),
        graph_(graph),
        joint_(std::move(joint)),
        start_(transpose(a.R) * b.R) {}

  Coordinate add(const char* name, Expr start, const char* unit) override {
    const Expr value =
        kinematics_.add_coordinate(graph_, joint_.name + '.' + name, start.value(), {joint_, unit});
    return {value, kinematics_.v.back()};
  }
  void turn_freely() override {
    const QuaternionCoordinates c = add_quaternion(kinematics_, graph_, joint_, start_);
    Q = rotation(c.e);
    w = c.omega;
  }

 private:
  static Mat3e as_expressions(const Mat3<double>& m) {
    Mat3e e;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) e(i, j) = m(i, j);
    }
    return e;
  }
  static Vec3e displacement(const NumericFrame& a, const NumericFrame& b) {
    const Vec3<double> d = b.r - a.r;
    return {dot(d, a.R.column[0]), dot(d, a.R.column[1]), dot(d, a.R.column[2])};
  }

  Kinematics& kinematics_;
  Graph& graph_;
  Equations::Owner joint_;
  Mat3<double> start_;
};

class Tree {
 public:
  explicit Tree(const Model& model)
      : model_(model),
        graph_(*model.graph),
        values_(model),
        kinematics_(start_kinematics(model, "joint")) {
    velocity_.resize(model.bodies.size());
    anchor_.resize(model.bodies.size());
    link_.assign(model.bodies.size(), -1);
    is_reached_.assign(model.bodies.size(), false);
    joints_at_.resize(model.bodies.size());
    for (std::size_t j = 0; j < model.joints.size(); ++j) {
      joints_at_[static_cast<std::size_t>(model.joints[j].a.body)].push_back(j);
      joints_at_[static_cast<std::size_t>(model.joints[j].b.body)].push_back(j);
    }
    grow_from(kGround);
    for (std::size_t i = 1; i < model.bodies.size(); ++i) {
      if (is_reached_[i]) continue;
      float_body(i);
      grow_from(static_cast<int>(i));
    }
  }

  Kinematics take() { return std::move(kinematics_); }

 private:
  void grow_from(int root) {
    is_reached_[static_cast<std::size_t>(root)] = true;
    std::deque<int> front = {root};
    while (!front.empty()) {
      const int parent = front.front();
      front.pop_front();
      for (const std::size_t j : joints_at_[static_cast<std::size_t>(parent)]) {
        const Joint& joint = model_.joints[j];
        const bool forward = joint.a.body == parent;
        const int child = forward ? joint.b.body : joint.a.body;
        if (joint.closes || !joint.law->has_motion() ||
            is_reached_[static_cast<std::size_t>(child)])
          continue;
        if (model_.bodies[static_cast<std::size_t>(child)].is_point) continue;
        const std::size_t first_v = kinematics_.v.size();
        const Motion motion = add_joint(j);
        place(forward ? joint.a : joint.b, forward ? joint.b : joint.a,
              forward ? motion : reversed(motion), first_v);
        is_reached_[static_cast<std::size_t>(child)] = true;
        front.push_back(child);
      }
    }
  }

  // Makes the coordinates of a tree joint.
  Motion add_joint(std::size_t index) {
    const Joint& joint = model_.joints[index];
    TreeMotion motion(kinematics_, graph_, owner_of_joint(model_, index), values_.marker(joint.a),
                      values_.marker(joint.b));
    joint.law->move(motion);
    Kinematics::JointState& state = kinematics_.joints[index];
    state.is_satisfied = true;
    state.angle = motion.angle;
    state.position = motion.position;
    return {motion.Q, motion.w, motion.d, motion.d_rate, motion.angle.value_or(0)};
  }

  // The frame of the child from its parent's, with the parent's marker p, the child's marker c:
  //   R_c = R_p A Q Bᵀ,   r_c = r_p + R_p (p + A d) − R_c c,
  //   ω_c = ω_p + R_c B w,   ṙ_c = ṙ_p + ω_p × R_p (p + A d) + R_p A d′ − ω_c × R_c c.
  void place(const Marker& p, const Marker& c, const Motion& m, std::size_t first_v) {
    const auto child = static_cast<std::size_t>(c.body);
    const BodyFrame parent = kinematics_.bodies[static_cast<std::size_t>(p.body)];
    BodyFrame& frame = kinematics_.bodies[child];
    if (model_.is_planar) {
      frame.angle = *parent.angle + (angle_of(p) - angle_of(c) + m.angle);
      frame.R = rotation(Vec3e{0, 0, 1}, *frame.angle);
    } else {
      frame.R = (parent.R * p.axes) * m.Q * transpose(c.axes);
    }
    const Mat3e RA = parent.R * p.axes;
    const Vec3e lever = parent.R * p.point + RA * m.d;
    const Vec3e arm = frame.R * c.point;
    frame.r = parent.r + lever - arm;
    const Vec3e turning = frame.R * (c.axes * m.w), sliding = RA * m.d_rate;
    frame.omega = parent.omega + turning;
    velocity_[child] = velocity_[static_cast<std::size_t>(p.body)] + cross(parent.omega, lever) +
                       sliding - cross(frame.omega, arm);
    add_inertia(child);
    anchor_[child] = arm;
    add_link(child, p.body, lever, turning, sliding, first_v);
  }

  // The angle of a marker in the plane: of its x axis, or of a z axis that lies in the plane.
  static Expr angle_of(const Marker& m) {
    const Vec3e& axis = m.axes.column[m.axes.column[2].z.is_constant(0) ? 2 : 0];
    return atan2(axis.y, axis.x);
  }

  // A body that no tree joint holds moves freely.
  void float_body(std::size_t index) {
    const std::size_t first_v = kinematics_.v.size();
    const Vec3e velocity = add_free_body(kinematics_, model_, values_, index, false);
    const BodyFrame& frame = kinematics_.bodies[index];
    anchor_[index] = frame.R * model_.bodies[index].com;
    velocity_[index] = velocity - cross(frame.omega, anchor_[index]);
    add_link(index, kGround, frame.r + anchor_[index], frame.omega, velocity, first_v);
  }

  // A link with its joint point at anchor_ from its origin, whose motion relative to the parent is
  // linear in the velocities from the first given; lever: from the parent's origin to that point.
  void add_link(std::size_t index, int parent, const Vec3e& lever, const Vec3e& turning,
                const Vec3e& sliding, std::size_t first_v) {
    const Body& body = model_.bodies[index];
    const BodyFrame& frame = kinematics_.bodies[index];
    Kinematics::Link link;
    link.parent = link_[static_cast<std::size_t>(parent)];
    link.lever = lever - anchor_[static_cast<std::size_t>(parent)];
    link.mass = body.mass;
    link.com = frame.R * body.com - anchor_[index];
    link.inertia = frame.R * body.inertia * transpose(frame.R);
    const std::vector<Expr> motion = {turning.x, turning.y, turning.z,
                                      sliding.x, sliding.y, sliding.z};
    for (std::size_t v = first_v; v < kinematics_.v.size(); ++v) {
      const std::vector<Expr> velocity = {kinematics_.v[v]}, unit = {Expr(1)};
      const std::vector<Expr> S = jacobian_times_vector(motion, velocity, unit);
      link.freedoms.push_back({v, {S[0], S[1], S[2]}, {S[3], S[4], S[5]}});
    }
    link_[index] = static_cast<int>(kinematics_.links.size());
    kinematics_.links.push_back(std::move(link));
  }

  void add_inertia(std::size_t index) {
    const Body& body = model_.bodies[index];
    const BodyFrame& frame = kinematics_.bodies[index];
    const Vec3e velocity = velocity_[index] + cross(frame.omega, frame.R * body.com);
    const Vec3e omega = model_.is_planar ? frame.omega : transpose(frame.R) * frame.omega;
    kinematics_.inertias.push_back(rigid_inertia(body, velocity, omega));
  }

  const Model& model_;
  Graph& graph_;
  ParameterValues values_;
  Kinematics kinematics_;
  std::vector<std::vector<std::size_t>> joints_at_;  // the joints of each body
  std::vector<Vec3e> velocity_;                      // of the frames' origins
  std::vector<Vec3e> anchor_;                        // from them to the joint points, world axes
  std::vector<int> link_;                            // of each body; −1: the ground
  std::vector<char> is_reached_;
};

}  // namespace

Kinematics make_joint(const Model& model) { return Tree(model).take(); }

}  // namespace koppel
