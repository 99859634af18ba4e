#include <koppel/equations/expected_start.hpp>

#include <algorithm>
#include <map>
#include <numbers>
#include <unordered_set>

#include <koppel/equations/derive.hpp>
#include <koppel/equations/quantities.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

constexpr double kAdded = 1e-6;  // as in placement.cpp

bool has_tree(const Model& model) {
  const std::vector<std::string> sets = coordinate_sets(model);
  return std::find(sets.begin(), sets.end(), "joint") != sets.end();
}

// As quaternion_of(kinematics.hpp); the largest component is chosen by the parameters' values.
std::array<Expr, 4> quaternion_near(const Mat3e& R, const Mat3<double>& value) {
  const std::array<double, 4> at = quaternion_of(value);
  std::size_t largest = 0;
  for (std::size_t i = 1; i < 4; ++i) {
    if (std::abs(at[i]) > std::abs(at[largest])) largest = i;
  }
  std::array<Expr, 4> e{};
  if (largest == 0) {
    e = {1 + R(0, 0) + R(1, 1) + R(2, 2), R(2, 1) - R(1, 2), R(0, 2) - R(2, 0), R(1, 0) - R(0, 1)};
  } else {
    const std::size_t i = largest - 1, j = (i + 1) % 3, k = (i + 2) % 3;
    e[0] = R(k, j) - R(j, k);
    e[1 + i] = 1 + R(i, i) - R(j, j) - R(k, k);
    e[1 + j] = R(j, i) + R(i, j);
    e[1 + k] = R(k, i) + R(i, k);
  }
  const Expr length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const double sign = at[largest] < 0 ? -1 : 1;
  for (Expr& component : e) component = sign * component / length;
  return e;
}

// The guesses of the coordinates of joints and free bodies, by name: what tree.cpp and absolute.cpp
// take from the placement.
class Guesses {
 public:
  explicit Guesses(const Model& model) : model_(model), values_(model) {
    for (const Joint& joint : model.joints) add(joint);
    for (const Body& body : model.bodies) add(body);
    for (const FreeCoordinate& c : model.coordinates) {
      all_[c.name] = initial(c.value);
      all_[c.name + '\''] = initial(c.rate);
    }
  }

  // Its own symbol, where nothing is known.
  Expr operator()(Expr symbol) const {
    const auto it = all_.find(symbol.name());
    return it == all_.end() ? symbol : it->second;
  }
  Expr initial(Expr symbol) const {
    for (const Initial& given : model_.initial) {
      if (given.symbol == symbol) return given.value;
    }
    return 0;
  }

 private:
  struct Frame {
    Vec3e r;
    Mat3e R;
  };
  Frame frame_of(const Marker& marker) const {
    const Body& body = model_.bodies[static_cast<std::size_t>(marker.body)];
    return {body.position + body.rotation * marker.point, body.rotation * marker.axes};
  }

  // The starts that a joint's motion would have as coordinates.
  class Starts : public JointMotion {
   public:
    Starts(Guesses& guesses, const Joint& joint, const Mat3e& Q0, const Vec3e& d0)
        : JointMotion(Q0, d0), guesses_(guesses), name_(joint.name) {}
    Coordinate add(const char* name, Expr start, const char* /*unit*/) override {
      guesses_.all_[name_ + '.' + name] = start;
      return {start, 0};
    }
    void turn_freely() override { guesses_.add_quaternion(name_, start_Q()); }

   private:
    Guesses& guesses_;
    const std::string& name_;
  };

  void add(const Joint& joint) {
    const Frame a = frame_of(joint.a), b = frame_of(joint.b);
    const Vec3e d = b.r - a.r;
    Starts starts(*this, joint, transpose(a.R) * b.R,
                  {dot(d, a.R.column[0]), dot(d, a.R.column[1]), dot(d, a.R.column[2])});
    joint.law->move(starts);
  }

  void add(const Body& body) {
    const Vec3e centre = body.position + body.rotation * body.com;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      all_[body.name + ".com." + "xyz"[axis]] = centre[axis];
    }
    const Mat3e& R = body.rotation;
    if (model_.is_planar) {
      all_[body.name + ".angle"] = atan2(R(1, 0), R(0, 0));
      return;
    }
    add_quaternion(body.name, R);
    all_[body.name + ".alpha"] = atan2(-R(1, 2), R(2, 2));
    all_[body.name + ".beta"] = atan2(R(0, 2), sqrt(R(0, 0) * R(0, 0) + R(0, 1) * R(0, 1)));
    all_[body.name + ".gamma"] = atan2(-R(0, 1), R(0, 0));
  }

  void add_quaternion(const std::string& name, const Mat3e& R) {
    const std::array<Expr, 4> e = quaternion_near(R, values_(R));
    for (std::size_t i = 0; i < 4; ++i) all_[name + ".e" + std::to_string(i)] = e[i];
  }

  const Model& model_;
  ParameterValues values_;
  std::map<std::string, Expr, std::less<>> all_;
};

// Coordinates and velocities at the expected start: guesses, and what `initial` says about them.
struct Values {
  Exprs q, v;
};
Values expected_values(const Model& model, Kinematics& k, const Guesses& guesses) {
  const ParameterValues values(model);
  const Quantities quantities(model, k, values);
  Values out;
  for (const Expr& q : k.q) out.q.push_back(guesses(q));
  for (const Expr& v : k.v) {
    const Expr guess = guesses(v);
    out.v.push_back(guess == v ? Expr(0) : guess);
  }
  for (const Initial& initial : model.initial) {
    const Expr meaning = quantities.resolve(initial.symbol);
    for (std::size_t i = 0; i < k.q.size(); ++i) {
      if (k.q[i] == meaning) out.q[i] = initial.value;
    }
    for (std::size_t i = 0; i < k.v.size(); ++i) {
      if (k.v[i] == meaning) out.v[i] = initial.value;
    }
  }
  return out;
}

// The largest eigenvalue of a symmetric matrix [Smith 1961]: with m = tr E / 3 and B = (E − m I)/p,
// p² = ‖E − m I‖²/6, it is m + 2 p cos(⅓ arccos(½ det B)).
Expr largest_eigenvalue(const Mat3e& E) {
  const Expr m = (E(0, 0) + E(1, 1) + E(2, 2)) / 3;
  Mat3e B = E;
  Expr sum = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    B(i, i) -= m;
    for (std::size_t j = 0; j < 3; ++j) sum += B(i, j) * B(i, j);
  }
  const Expr p = sqrt(sum / 6), inverse = 1 / max(p, 1e-300);
  const Expr det = dot(B.column[0], cross(B.column[1], B.column[2]));
  const Expr half = max(-1, min(1, 0.5 * det * inverse * inverse * inverse));
  return m + 2 * p * cos(acos(half) / 3);
}

bool is_diagonal(const Mat3e& E) {
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      if (i != j && !E(i, j).is_constant(0)) return false;
    }
  }
  return true;
}

// Cholesky's L of a definite matrix, by columns.
Mat3e factor(const Mat3e& E) {
  Mat3e L;
  for (std::size_t j = 0; j < 3; ++j) {
    for (std::size_t i = 0; i < 3; ++i) L(i, j) = 0;
    for (std::size_t i = j; i < 3; ++i) {
      Expr sum = E(i, j);
      for (std::size_t k = 0; k < j; ++k) sum -= L(i, k) * L(j, k);
      L(i, j) = i == j ? sqrt(sum) : sum / L(j, j);
    }
  }
  return L;
}

// The second moments of a body about its centre, in its axes.
struct Moments {
  Mat3e E;
  bool is_point = false, is_planar = false;

  Expr largest() const {
    if (is_point) return 0;
    if (is_planar) return E(0, 0);
    if (is_diagonal(E)) return max(max(E(0, 0), E(1, 1)), E(2, 2));
    return largest_eigenvalue(E);
  }
  // Directions times the roots of their moments, with an addition to each moment.
  std::vector<Vec3e> directions(Expr added) const {
    if (is_point) return {};
    Mat3e sum = E;
    for (std::size_t i = 0; i < 3; ++i) sum(i, i) += added;
    if (is_planar) return {{sqrt(sum(0, 0)), 0, 0}};
    const Mat3e L = factor(sum);
    return {L.column[0], L.column[1], L.column[2]};
  }
};

Moments moments_of(const Model& model, const Body& body) {
  const Mat3e& J = body.inertia;
  Moments out{{}, body.is_point, model.is_planar};
  const Expr half = 0.5 * (J(0, 0) + J(1, 1) + J(2, 2));
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      const Expr e = (i == j ? half : Expr(0)) - J(i, j);
      out.E(i, j) = model.is_planar ? (i == j ? max(0, J(2, 2)) : Expr(0)) : i == j ? max(0, e) : e;
    }
  }
  return out;
}

class Maker {
 public:
  Maker(const Model& model, const Equations& equations)
      : model_(model), e_(equations), guesses_(model) {}

  ExpectedStart make() {
    if (has_tree(model_)) add_rows();
    find_free();
    Kinematics k = make_kinematics(model_, e_.coordinates);
    const Values values = expected_values(model_, k, guesses_);
    for (const Expr& q : e_.q) out_.q.push_back(value_of(q, k.q, values.q, q));
    for (const Expr& v : e_.v) out_.v.push_back(value_of(v, k.v, values.v, 0));
    for (const Expr& x : e_.x) out_.x.push_back(guesses_.initial(x));
    return std::move(out_);
  }

 private:
  static Expr value_of(Expr symbol, const Exprs& symbols, const Exprs& values, Expr otherwise) {
    const auto it = std::find(symbols.begin(), symbols.end(), symbol);
    return it == symbols.end() ? otherwise : values[static_cast<std::size_t>(it - symbols.begin())];
  }

  // Of the bodies carried along the tree of joints.
  struct Pose {
    Vec3e r, velocity, spin;
    Mat3e R;
  };
  std::vector<Pose> expected_poses() const {
    Kinematics k = make_joint(model_);
    const Values values = expected_values(model_, k, guesses_);
    Exprs symbols = k.q, at = values.q, wanted, centres;
    symbols.insert(symbols.end(), k.v.begin(), k.v.end());
    at.insert(at.end(), values.v.begin(), values.v.end());
    const auto add = [](Exprs& to, const Vec3e& a) { to.insert(to.end(), {a.x, a.y, a.z}); };
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      add(centres, k.bodies[i].r + k.bodies[i].R * model_.bodies[i].com);
    }
    const Exprs rates = rate_of(k, model_.time, centres);
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      add(wanted, k.bodies[i].r);
      add(wanted, {rates[3 * i], rates[3 * i + 1], rates[3 * i + 2]});
      add(wanted, k.bodies[i].omega);
      for (const Vec3e& column : k.bodies[i].R.column) add(wanted, column);
    }
    const Exprs found = substitute(wanted, symbols, at);
    std::vector<Pose> poses(model_.bodies.size());
    auto next = found.begin();
    const auto take = [&](Vec3e& a) {
      for (std::size_t axis = 0; axis < 3; ++axis) a[axis] = *next++;
    };
    for (Pose& pose : poses) {
      take(pose.r), take(pose.velocity), take(pose.spin);
      for (Vec3e& column : pose.R.column) take(column);
    }
    return poses;
  }

  void add_row(const Vec3e& value, const Vec3e& expected, const Vec3e& rate) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      out_.rows.push_back(value[axis]);
      out_.target.push_back(expected[axis]);
      out_.target_rate.push_back(rate[axis]);
    }
  }

  void add_rows() {
    const std::vector<Pose> poses = expected_poses();
    const Kinematics k = make_kinematics(model_, e_.coordinates);
    std::vector<Moments> moments;
    Expr mass = 0, moment = 0;
    for (const Body& body : model_.bodies) {
      moments.push_back(moments_of(model_, body));
      if (&body == &model_.bodies.front()) continue;
      mass = max(mass, body.mass);
      moment = max(moment, moments.back().largest());
    }
    mass = select(mass > 0, mass, select(moment > 0, moment, 1));
    moment = select(moment > 0, moment, mass);
    out_.weight = sqrt((1 + kAdded) * max(mass, moment));
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const Body& body = model_.bodies[i];
      const Pose& pose = poses[i];
      const Expr root = sqrt(max(0, body.mass) + kAdded * mass);
      add_row(root * (k.bodies[i].r + k.bodies[i].R * body.com),
              root * (pose.r + pose.R * body.com), root * pose.velocity);
      for (const Vec3e& d : moments[i].directions(kAdded * moment)) {
        const Vec3e in_world = k.bodies[i].R * d;
        add_row(in_world, pose.R * d, cross(pose.spin, in_world));
      }
    }
  }

  // As Distance does: what moves no body.
  void find_free() {
    std::unordered_set<NodeId> used;
    for (const Expr& symbol : symbols_of(out_.rows)) used.insert(symbol.id());
    for (const Expr& q : e_.q) out_.is_free.push_back(!used.contains(q.id()));
    for (const Equations::Counted& counted : e_.counted) {
      out_.is_free[static_cast<std::size_t>(counted.q)] = 0;
    }
  }

  const Model& model_;
  const Equations& e_;
  Guesses guesses_;
  ExpectedStart out_;
};

}  // namespace

ExpectedStart make_expected_start(const Model& model, const Equations& equations) {
  return Maker(model, equations).make();
}

}  // namespace koppel
