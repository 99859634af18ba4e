#include <koppel/equations/quantities.hpp>

#include <cmath>
#include <numbers>
#include <unordered_set>

#include <koppel/expr/algebra/structure.hpp>

namespace koppel {

std::vector<Expr> rate_of(const Kinematics& kinematics, Expr time, std::span<const Expr> e) {
  std::vector<Expr> x = kinematics.q, rate = kinematics.rate;
  x.push_back(time);
  rate.push_back(1);
  return time_derivative(e, x, rate);
}

namespace {

// The symbols in all that a model says about its motion, initial values aside.
std::unordered_set<NodeId> symbols_in_use(const Model& model) {
  std::vector<Expr> all = {model.kinetic, model.potential, model.dissipation};
  std::unordered_set<NodeId> used;
  for (const Force& force : model.forces) {
    all.push_back(force.potential);
    for (const Action& action : force.actions) {
      all.push_back(action.effort);
      all.push_back(model.quantities[static_cast<std::size_t>(action.quantity)].value);
    }
  }
  for (const auto* constraints : {&model.constraints, &model.nonholonomic}) {
    for (const Constraint& c : *constraints) all.push_back(c.residual);
  }
  for (const FirstOrder& state : model.first_order) all.push_back(state.rate);
  for (const Output& output : model.outputs) all.push_back(output.value);
  for (const Drawn& part : model.drawing) {
    for (const Vec3e& p : part.points) all.insert(all.end(), {p.x, p.y, p.z});
    all.push_back(part.turn);
  }
  for (const Servo& servo : model.servos) all.push_back(servo.output);
  for (const Tracking& t : model.tracking) {
    all.insert(all.end(), t.outputs.begin(), t.outputs.end());
    all.insert(all.end(), t.targets.begin(), t.targets.end());
  }
  for (const Event& event : model.events) {
    all.push_back(event.when);
    for (const Event::Change& change : event.changes) all.push_back(change.value);
    for (const Action& impulse : event.impulses) {
      all.push_back(impulse.effort);
      all.push_back(model.quantities[static_cast<std::size_t>(impulse.quantity)].value);
    }
  }
  for (const Expr& symbol : symbols_of(all)) used.insert(symbol.id());
  return used;
}

}  // namespace

Quantities::Quantities(const Model& model, Kinematics& kinematics, const ParameterValues& values)
    : model_(model), k_(kinematics), values_(values) {
  const std::unordered_set<NodeId> used = symbols_in_use(model);
  for (const Quantity& quantity : model.quantities) {
    is_used_.push_back(used.contains(quantity.value.id()) || used.contains(quantity.rate.id()));
  }
  for (std::size_t i = 0; i < model_.joints.size(); ++i) {
    if (model_.joints[i].law->needs_angle()) angle_of_joint(static_cast<int>(i), true);
  }
  std::vector<Expr> meanings;
  for (std::size_t i = 0; i < model_.quantities.size(); ++i) {
    meanings.push_back(value_of(model_.quantities[i], is_used_[i] != 0));
  }
  rates_ = rate_of(k_, model_.time, meanings);
  for (std::size_t i = 0; i < rates_.size(); ++i) {
    const auto* x = std::get_if<Quantity::AngularVelocity>(&model_.quantities[i].of);
    if (x == nullptr) continue;
    Vec3e omega = body(x->body).omega - body(x->reference).omega;
    if (x->in_body_axes) omega = transpose(body(x->body).R) * omega;
    rates_[i] = omega[static_cast<std::size_t>(x->axis)];
  }
  for (std::size_t i = 0; i < meanings.size(); ++i) {
    symbol_.insert(symbol_.end(), {model_.quantities[i].value, model_.quantities[i].rate});
    meaning_.insert(meaning_.end(), {meanings[i], rates_[i]});
  }
}

Expr Quantities::resolve(Expr e) const {
  return substitute(std::span<const Expr>(&e, 1), symbol_, meaning_)[0];
}

namespace {

// The angle with this sine and cosine (times any length) that is within half a turn of the guess.
Expr angle_near(double guess, Expr sine, Expr cosine) {
  const double c = std::cos(guess), s = std::sin(guess);
  return guess + atan2(c * sine - s * cosine, c * cosine + s * sine);
}

}  // namespace

namespace {

// Of R = R_z(yaw) R_y(pitch) R_x(roll); singular where pitch is a right angle.
Expr cardan_angle(const Mat3e& R, int component) {
  switch (component) {
    case 0: return atan2(R(2, 1), R(2, 2));
    case 1: return atan2(-R(2, 0), sqrt(R(0, 0) * R(0, 0) + R(1, 0) * R(1, 0)));
    default: return atan2(R(1, 0), R(0, 0));
  }
}

// n or −n, of R with cos φ < 0: the longest column of ½ (R + Rᵀ) − cos φ I = (1 − cos φ) n nᵀ.
Vec3e axis_of(const Mat3e& R, Expr cosine) {
  const auto entry = [&](std::size_t i, std::size_t j) {
    return (R(i, j) + R(j, i)) / 2 - (i == j ? cosine : Expr(0));
  };
  const Expr is_x = min(entry(0, 0) - entry(1, 1), entry(0, 0) - entry(2, 2)) >= 0;
  const Expr is_y = entry(1, 1) - entry(2, 2) >= 0;
  Vec3e n;
  for (std::size_t i = 0; i < 3; ++i) {
    n[i] = select(is_x, entry(i, 0), select(is_y, entry(i, 1), entry(i, 2)));
  }
  // Where cos φ ≥ 0 this is not used, but must be finite.
  return 1 / sqrt(max(dot(n, n), 0.01)) * n;
}

// φ n from the skew part s = sin φ n of R and cos φ = ½ (tr R − 1): s φ/sin φ, where for small
// angles φ/sin φ is its series in s². Beyond a right angle n is taken from the symmetric part, and
// φ n = atan2(s·n, cos φ) n for either sign of n: at half a turn φ n jumps from π n to −π n.
Vec3e rotation_vector(const Mat3e& R) {
  const Vec3e s = Expr(0.5) * Vec3e{R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  const Expr cosine = (R(0, 0) + R(1, 1) + R(2, 2) - 1) / 2, square = dot(s, s);
  constexpr double kSmall = 1e-4;  // the next term, 35/1152 s⁸, is below the last bit
  const Expr series = 1 + square * (1.0 / 6 + square * (3.0 / 40 + square * (5.0 / 112)));
  const Expr sine = sqrt(max(square, kSmall * kSmall));
  const Expr stretch = select(square < kSmall, series, atan2(sine, cosine) / sine);
  const Vec3e n = axis_of(R, cosine);
  const Expr angle = atan2(dot(s, n), cosine);
  Vec3e out;
  for (std::size_t i = 0; i < 3; ++i) {
    out[i] = select(cosine < 0, angle * n[i], stretch * s[i]);
  }
  return out;
}

}  // namespace

// The angle of a joint that the coordinates do not have: in the plane a difference of the
// bodies' angles; else a further coordinate, whose rate is z·(ω_b − ω_a). An angle that only an
// initial value needs has not turned yet: it follows from the axes.
Expr Quantities::angle_of_joint(int index, bool is_used) {
  Kinematics::JointState& state = k_.joints[static_cast<std::size_t>(index)];
  if (state.angle) return *state.angle;
  const Joint& j = joint(index);
  const BodyFrame &a = body(j.a.body), &b = body(j.b.body);
  const double guess =
      with_turns(j.name + ".angle", relative_angle(values_.marker(j.a), values_.marker(j.b)));
  if (a.angle && b.angle) {
    const double shift = guess - (plane_angle(j.b.body) - plane_angle(j.a.body));
    state.angle = *b.angle - *a.angle + shift;
  } else {
    const Mat3e A = locate(k_, j.a).R, B = locate(k_, j.b).R;
    if (!is_used) {
      return angle_near(guess, dot(B.column[0], A.column[1]), dot(B.column[0], A.column[0]));
    }
    const Expr rate = dot(A.column[2], b.omega - a.omega);
    const Expr angle =
        k_.add_driven_coordinate(*model_.graph, j.name + ".angle", rate, guess,
                                 {owner_of_joint(model_, static_cast<std::size_t>(index)), "rad"});
    // The angle agrees with the axes, which is an invariant while the z axes are parallel.
    k_.invariants.push_back(dot(B.column[0], A.column[1]) * cos(angle) -
                            dot(B.column[0], A.column[0]) * sin(angle));
    state.angle = angle;
  }
  return *state.angle;
}

// In the plane: the angle of a body, a further coordinate where the set has none.
Expr Quantities::angle_of_body(int index, bool is_used) {
  BodyFrame& frame = k_.bodies[static_cast<std::size_t>(index)];
  const std::string name = model_.bodies[static_cast<std::size_t>(index)].name + ".angle";
  const double guess = with_turns(name, plane_angle(index));
  if (!frame.angle && !is_used) return angle_near(guess, frame.R(1, 0), frame.R(0, 0));
  if (!frame.angle) {
    const Expr angle =
        k_.add_driven_coordinate(*model_.graph, name, frame.omega.z, guess,
                                 {owner_of_body(model_, static_cast<std::size_t>(index)), "rad"});
    k_.invariants.push_back(frame.R(1, 0) * cos(angle) - frame.R(0, 0) * sin(angle));
    frame.angle = angle;
  }
  return *frame.angle;
}

// The angle with the whole turns that an initial value of the quantity counts.
double Quantities::with_turns(const std::string& name, double angle) const {
  const Expr symbol = model_.graph->symbol(name);
  for (const Initial& initial : model_.initial) {
    if (initial.symbol != symbol) continue;
    constexpr double kTurn = 2 * std::numbers::pi;
    return angle + kTurn * std::round((values_(initial.value) - angle) / kTurn);
  }
  return angle;
}

double Quantities::plane_angle(int index) const {
  const NumericFrame frame = values_.body(index);
  return std::atan2(frame.R(1, 0), frame.R(0, 0));
}

Expr Quantities::position_of_joint(int index) const {
  const Kinematics::JointState& state = k_.joints[static_cast<std::size_t>(index)];
  if (state.position) return *state.position;
  const MarkerFrame a = locate(k_, joint(index).a), b = locate(k_, joint(index).b);
  return dot(a.R.column[2], b.r - a.r);
}

Expr Quantities::value_of(const Quantity& quantity, bool is_used) {
  struct Visitor {
    Quantities& self;
    bool is_used;
    Expr operator()(const Quantity::JointAngle& x) const {
      return self.angle_of_joint(x.joint, is_used);
    }
    Expr operator()(const Quantity::JointPosition& x) const {
      return self.position_of_joint(x.joint);
    }
    Expr operator()(const Quantity::DistanceBetween& x) const {
      return norm(locate(self.k_, x.b).r - locate(self.k_, x.a).r);
    }
    Expr operator()(const Quantity::PointCoordinate& x) const {
      const Vec3e r = locate(self.k_, x.point).r;
      const auto axis = static_cast<std::size_t>(x.axis);
      if (!x.reference) return r[axis];
      const MarkerFrame reference = locate(self.k_, *x.reference);
      return dot(reference.R.column[axis], r - reference.r);
    }
    Expr operator()(const Quantity::BodyAngle& x) const {
      return self.angle_of_body(x.body, is_used);
    }
    Expr operator()(const Quantity::Orientation& x) const {
      const Mat3e R = transpose(locate(self.k_, x.a).R) * locate(self.k_, x.b).R;
      return x.component < 3 ? cardan_angle(R, x.component)
                             : rotation_vector(R)[static_cast<std::size_t>(x.component - 3)];
    }
    Expr operator()(const Quantity::AngularVelocity&) const { return 0; }
    Expr operator()(const Quantity::Free& x) const {
      return self.model_.coordinates[static_cast<std::size_t>(x.coordinate)].value;
    }
  };
  return std::visit(Visitor{*this, is_used}, quantity.of);
}

}  // namespace koppel
