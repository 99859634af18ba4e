// Joint coordinates, loops by its constraint solver, semi-implicit Euler steps.
#include <memory>

#include <dart/constraint/BallJointConstraint.hpp>
#include <dart/constraint/ConstraintSolver.hpp>
#include <dart/dynamics/BodyNode.hpp>
#include <dart/dynamics/RevoluteJoint.hpp>
#include <dart/dynamics/Skeleton.hpp>
#include <dart/simulation/World.hpp>

#include "others.hpp"

namespace koppel::benchmarks {
namespace {

using dart::dynamics::BodyNode;
using dart::dynamics::RevoluteJoint;
using Eigen::Vector3d;

struct Chains {
  dart::simulation::WorldPtr world = dart::simulation::World::create();
  dart::dynamics::SkeletonPtr skeleton = dart::dynamics::Skeleton::create();
  std::vector<BodyNode*> links;
  Eigen::VectorXd q, v;

  explicit Chains(double h) {
    world->setTimeStep(h);
    world->setGravity(Vector3d(0, -9.81, 0));
  }

  // A thin rod of 1 m and 1 kg along x from a hinge at a place of its parent.
  void add(BodyNode* parent, const Vector3d& at) {
    RevoluteJoint::Properties joint;
    joint.mName = "joint" + std::to_string(links.size());
    joint.mAxis = Vector3d::UnitZ();
    joint.mT_ParentBodyToJoint.translation() = at;
    BodyNode::Properties body;
    body.mName = "body" + std::to_string(links.size());
    body.mInertia.setMass(1);
    body.mInertia.setLocalCOM(Vector3d(0.5, 0, 0));
    body.mInertia.setMoment(1e-6 / 12, 1.0 / 12, 1.0 / 12, 0, 0, 0);
    links.push_back(
        skeleton->createJointAndBodyNodePair<RevoluteJoint>(parent, joint, body).second);
  }

  void restart() const {
    skeleton->setPositions(q);
    skeleton->setVelocities(v);
    world->setTime(0);
  }
};

Other other(const std::shared_ptr<Chains>& c, const char* mechanism, std::size_t link) {
  return {"DART",
          mechanism,
          "semi-implicit Euler",
          [=] { c->restart(); },
          [=] { c->world->step(); },
          [=] {
            const Vector3d at = c->links[link]->getTransform() * Vector3d(1, 0, 0);
            return std::array<double, 2>{at[0], at[1]};
          }};
}

Other four_bar(double h) {
  const auto c = std::make_shared<Chains>(h);
  for (int i = 0; i <= 2; ++i) c->add(nullptr, Vector3d(i, 0, 0));
  for (std::size_t i = 1; i <= 2; ++i) c->add(c->links[i - 1], Vector3d(1, 0, 0));
  c->q.resize(5);
  c->v.resize(5);
  const double right = dart::math::constantsd::pi() / 2;
  for (std::size_t i = 0; i < 5; ++i) {
    const std::size_t at = c->links[i]->getParentJoint()->getIndexInSkeleton(0);
    c->q[static_cast<Eigen::Index>(at)] = i < 3 ? right : -right;
    c->v[static_cast<Eigen::Index>(at)] = i < 3 ? -1 : 1;
  }
  c->world->addSkeleton(c->skeleton);
  c->restart();
  for (std::size_t i = 1; i <= 2; ++i) {
    const Vector3d at = c->links[i]->getTransform() * Vector3d(1, 0, 0);
    c->world->getConstraintSolver()->addConstraint(
        std::make_shared<dart::constraint::BallJointConstraint>(c->links[i], c->links[2 + i], at));
  }
  return other(c, "four_bar", 0);
}

Other double_pendulum(double h) {
  const auto c = std::make_shared<Chains>(h);
  c->add(nullptr, Vector3d::Zero());
  c->add(c->links[0], Vector3d(1, 0, 0));
  c->q = c->v = Eigen::VectorXd::Zero(2);
  c->world->addSkeleton(c->skeleton);
  return other(c, "double_pendulum", 1);
}

}  // namespace

std::vector<Other> dart_steps(double h) { return {four_bar(h), double_pendulum(h)}; }

}  // namespace koppel::benchmarks
