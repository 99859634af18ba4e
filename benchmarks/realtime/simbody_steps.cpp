// Joint coordinates, constraints for loops, semi-explicit Euler steps.
#include <memory>

#include <Simbody.h>

#include "others.hpp"

namespace koppel::benchmarks {
namespace {

using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;

// A thin rod of 1 m and 1 kg along x from the origin of its body.
SimTK::Body::Rigid rod() {
  return SimTK::Body::Rigid(
      SimTK::MassProperties(1, Vec3(0.5, 0, 0), SimTK::Inertia(1e-6 / 3, 1.0 / 3, 1.0 / 3)));
}

struct World {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, Vec3(0, -9.81, 0)};
  std::vector<MobilizedBody::Pin> links;
  SimTK::State start;
  std::unique_ptr<SimTK::SemiExplicitEulerIntegrator> integrator;
  std::unique_ptr<SimTK::TimeStepper> stepper;
  long steps = 0;

  void add(MobilizedBody& parent, const Vec3& at) {
    links.emplace_back(parent, Transform(at), rod(), Transform());
  }
  void set(std::size_t link, double angle, double rate) {
    links[link].setAngle(start, angle);
    links[link].setRate(start, rate);
  }
};

Other other(const std::shared_ptr<World>& w, const char* mechanism, std::size_t link, double h) {
  return {"Simbody",
          mechanism,
          "semi-explicit Euler",
          [=] {
            w->integrator = std::make_unique<SimTK::SemiExplicitEulerIntegrator>(w->system, h);
            w->stepper = std::make_unique<SimTK::TimeStepper>(w->system, *w->integrator);
            w->stepper->initialize(w->start);
            w->steps = 0;
          },
          [=] { w->stepper->stepTo(static_cast<double>(++w->steps) * h); },
          [=] {
            const SimTK::State& state = w->stepper->getState();
            w->system.realize(state, SimTK::Stage::Position);
            const Vec3 at = w->links[link].findStationLocationInGround(state, Vec3(1, 0, 0));
            return std::array<double, 2>{at[0], at[1]};
          }};
}

Other four_bar(double h) {
  const auto w = std::make_shared<World>();
  const Vec3 tip(1, 0, 0);
  for (int i = 0; i <= 2; ++i) w->add(w->matter.updGround(), Vec3(i, 0, 0));
  w->links.reserve(5);
  for (std::size_t i = 1; i <= 2; ++i) {
    w->add(w->links[i - 1], tip);
    // Two of its three equations count in the plane; the third repeats what the hinges say.
    SimTK::Constraint::Ball(w->links[i], tip, w->links.back(), tip);
  }
  w->system.realizeTopology();
  w->start = w->system.getDefaultState();
  for (std::size_t i = 0; i <= 2; ++i) w->set(i, SimTK::Pi / 2, -1);
  for (std::size_t i = 3; i <= 4; ++i) w->set(i, -SimTK::Pi / 2, 1);
  return other(w, "four_bar", 0, h);
}

Other double_pendulum(double h) {
  const auto w = std::make_shared<World>();
  w->links.reserve(2);
  w->add(w->matter.updGround(), Vec3(0));
  w->add(w->links[0], Vec3(1, 0, 0));
  w->system.realizeTopology();
  w->start = w->system.getDefaultState();
  return other(w, "double_pendulum", 1, h);
}

}  // namespace

std::vector<Other> simbody_steps(double h) { return {four_bar(h), double_pendulum(h)}; }

}  // namespace koppel::benchmarks
