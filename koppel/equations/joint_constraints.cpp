#include <koppel/equations/kinematics.hpp>

namespace koppel {

std::vector<ConstraintRow> constraints_of(const Joint& joint, const MarkerFrame& a,
                                          const MarkerFrame& b,
                                          const Kinematics::JointState& state) {
  JointRows held(a, b, state.angle, state.shares_point, state.shares_axis);
  joint.law->constrain(held);
  std::vector<ConstraintRow> rows;
  for (const JointRows::Row& row : held.rows) {
    const Equations::Owner owner{Equations::Owner::Kind::Joint, -1, joint.name};
    const int part = static_cast<int>(rows.size());
    rows.push_back(
        {{joint.name + '.' + row.what, owner, part, 0, row.unit, row.holds}, row.residual});
  }
  return rows;
}

}  // namespace koppel
