#include <koppel/equations/kinematics.hpp>

namespace koppel {

std::vector<ConstraintRow> constraints_of(const Joint& joint, const MarkerFrame& a,
                                          const MarkerFrame& b,
                                          const Kinematics::JointState& state) {
  JointRows held(a, b, state.angle, state.shares_point, state.shares_axis);
  joint.law->constrain(held);
  std::vector<ConstraintRow> rows;
  for (const JointRows::Row& row : held.rows) {
    rows.push_back({joint.name, joint.name + '.' + row.what, row.residual});
  }
  return rows;
}

}  // namespace koppel
