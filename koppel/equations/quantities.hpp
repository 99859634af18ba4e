// What the quantities of a model (angles, lengths, coordinates of points) are in coordinates.
#pragma once

#include <span>
#include <vector>

#include <koppel/equations/kinematics.hpp>

namespace koppel {

// d/dt of expressions of q, v and t along q̇ = K v, for v̇ = 0.
std::vector<Expr> rate_of(const Kinematics& kinematics, Expr time, std::span<const Expr> e);

// Angles that the coordinates do not have are added to the kinematics as further coordinates, with
// the rates they have, if anything but an initial value needs them.
class Quantities {
 public:
  Quantities(const Model& model, Kinematics& kinematics, const ParameterValues& values);

  // An expression that the user wrote, in coordinates.
  Expr resolve(Expr e) const;

  Expr rate(int quantity) const { return rates_[static_cast<std::size_t>(quantity)]; }
  Expr value(int quantity) const { return meaning_[2 * static_cast<std::size_t>(quantity)]; }

 private:
  // `is_used`: by more than initial values.
  Expr value_of(const Quantity& quantity, bool is_used);
  Expr angle_of_joint(int index, bool is_used);
  Expr angle_of_body(int index, bool is_used);
  Expr position_of_joint(int index) const;
  double plane_angle(int body) const;
  double with_turns(const std::string& name, double angle) const;

  const BodyFrame& body(int index) const { return k_.bodies[static_cast<std::size_t>(index)]; }
  const Joint& joint(int index) const { return model_.joints[static_cast<std::size_t>(index)]; }

  const Model& model_;
  Kinematics& k_;
  const ParameterValues& values_;
  std::vector<char> is_used_;           // for each quantity
  std::vector<Expr> symbol_, meaning_;  // of quantities and their rates
  std::vector<Expr> rates_;
};

}  // namespace koppel
