// The law of a joint: all that the rest of Koppel knows about a kind of joint. It relates a marker
// of each of two bodies: with r the points, x, y, z the axes and d = r_b − r_a, a joint holds some
// of
//
//   points coincide           d = 0                                 (three rows)
//   z axes parallel           x_a·z_b = 0,  y_a·z_b = 0             (two)
//   no turning about z        x_a·y_b = 0                           (one, with parallel z axes)
//   point of b on z axis of a x_a·d = 0,  y_a·d = 0                 (two)
//   point of b in x-y plane   z_a·d = 0                             (one)
//
// and rows of its own. In a planar model the rows that hold by themselves are the number 0 and
// vanish. Along a tree of bodies the same joint is a motion in coordinates of its own.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/base/holds.hpp>
#include <koppel/model/model.hpp>

namespace koppel {

// The position and axes of a marker, in world axes.
struct MarkerFrame {
  Vec3e r;
  Mat3e R = Mat3e::identity();
};

// The rows of a joint between two frames, made by its law.
class JointRows {
 public:
  // `angle`: of the joint, where its law needs_angle(). What the coordinates hold by themselves is
  // shared.
  JointRows(const MarkerFrame& a, const MarkerFrame& b, std::optional<Expr> angle,
            bool shares_point, bool shares_axis);

  // With the unit of the residual, where it has one.
  void hold(const char* what, Expr residual, Holds holds = Holds::Other, const char* unit = "") {
    rows.push_back({what, residual, holds, unit});
  }
  void points_coincide();
  void axes_parallel();
  void no_turning();
  void point_on_axis();
  void point_in_plane();

  struct Row {
    const char* what;
    Expr residual;
    Holds holds;
    const char* unit;
  };
  std::vector<Row> rows;

  const Vec3e d, xa, ya, za, xb, yb, zb;
  const std::optional<Expr> angle;

 private:
  bool shares_point_, shares_axis_;
};

// The motion that a joint allows from marker a to marker b, in coordinates of its own: the rotation
// Q with angular velocity w (axes of b), the displacement d with rate d′ (axes of a).
class JointMotion {
 public:
  // Q and d as expected at the start.
  JointMotion(const Mat3e& start_Q, const Vec3e& start_d) : start_Q_(start_Q), start_d_(start_d) {}
  virtual ~JointMotion() = default;

  struct Coordinate {
    Expr value, rate;
  };
  // A new coordinate `joint.name`, with its unit.
  virtual Coordinate add(const char* name, Expr start, const char* unit) = 0;
  // The rotation Q in any way that has no singular positions.
  virtual void turn_freely() = 0;

  void turn();                                     // about z: the coordinate `angle`
  void slide(const char* name, std::size_t axis);  // along an axis of a
  const Mat3e& start_Q() const { return start_Q_; }
  const Vec3e& start_d() const { return start_d_; }

  Mat3e Q = Mat3e::identity();
  Vec3e w, d, d_rate;
  std::optional<Expr> angle, position;  // those that can be observed

 private:
  Mat3e start_Q_;
  Vec3e start_d_;
};

class JointLaw {
 public:
  virtual ~JointLaw() = default;

  virtual std::string_view type() const = 0;  // as in model files
  virtual void constrain(JointRows& rows) const = 0;

  // Along a tree; a law without motion is one of constraints only.
  virtual bool has_motion() const { return true; }
  virtual void move(JointMotion& /*motion*/) const {}

  // What can be observed: rotation of b against a about z, displacement of b along z of a.
  virtual bool has_angle() const { return false; }
  virtual bool has_position() const { return false; }
  virtual bool needs_angle() const { return false; }  // in its rows

  // What natural coordinates of the two bodies share. `line`: the point of b has one coordinate
  // along the z axis of a.
  struct Shared {
    bool point = false, axis = false, line = false;
  };
  virtual Shared shared(bool /*is_planar*/) const { return {}; }

  // Whether it is a pivot of rods: the points coincide and may turn.
  virtual bool is_pivot() const { return false; }

  // What it is given beside its markers.
  struct Term {
    const char* name;
    Expr value;
    bool may_change = false;  // with time
    bool must_be_positive = false;
  };
  virtual std::vector<Term> terms() const { return {}; }
};

}  // namespace koppel
