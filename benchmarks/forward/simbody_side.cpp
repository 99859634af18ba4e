#include "simbody_side.hpp"

#include <cmath>
#include <exception>
#include <memory>
#include <utility>
#include <vector>

#include <Simbody.h>

namespace koppel::benchmarks {
namespace {

using SimTK::MobilizedBody;
using SimTK::Transform;
using SimTK::Vec3;

// A thin rod along x from the origin of its body, with a point mass at its end.
SimTK::Body::Rigid rod(double length, double mass, double tip = 0) {
  const double all = mass + tip, centre = (mass / 2 + tip) * length / all;
  const double inertia = (mass / 3 + tip) * length * length;  // about the origin
  return SimTK::Body::Rigid(SimTK::MassProperties(
      all, Vec3(centre, 0, 0), SimTK::Inertia(inertia * 1e-6, inertia, inertia)));
}

struct Mechanism {
  SimTK::MultibodySystem system;
  SimTK::SimbodyMatterSubsystem matter{system};
  SimTK::GeneralForceSubsystem forces{system};
  SimTK::Force::Gravity gravity{forces, matter, Vec3(0, -9.81, 0)};
  std::vector<MobilizedBody::Pin> links;
  std::vector<std::pair<int, Vec3>> points;  // what is compared: of a link; x and y
  std::vector<bool> only_x;
  SimTK::State start, end;

  MobilizedBody::Pin add(MobilizedBody& parent, const Vec3& at, const SimTK::Body& body) {
    links.emplace_back(parent, Transform(at), body, Transform());
    return links.back();
  }
};

Contestant contestant(std::shared_ptr<Mechanism> m, double end) {
  return {"Simbody", tolerances(1e-3, 1e-12),
          [=](double accuracy) {
            try {
              SimTK::RungeKuttaMersonIntegrator integrator(m->system);
              integrator.setAccuracy(accuracy);
              SimTK::TimeStepper stepper(m->system, integrator);
              stepper.initialize(m->start);
              stepper.stepTo(end);
              m->end = stepper.getState();
            } catch (const std::exception&) {
              return false;
            }
            return true;
          },
          [=] {
            m->system.realize(m->end, SimTK::Stage::Position);
            std::vector<double> result;
            for (std::size_t i = 0; i < m->points.size(); ++i) {
              const auto& [link, station] = m->points[i];
              const Vec3 at = m->links[static_cast<std::size_t>(link)].findStationLocationInGround(
                  m->end, station);
              result.push_back(at[0]);
              if (!m->only_x[i]) result.push_back(at[1]);
            }
            return result;
          }};
}

}  // namespace

Contestant simbody_slider_crank(const problems::SliderCrank& data, double end) {
  const auto m = std::make_shared<Mechanism>();
  MobilizedBody::Pin crank = m->add(m->matter.updGround(), Vec3(0), rod(data.a, data.crank));
  MobilizedBody::Pin coupler =
      m->add(crank, Vec3(data.a, 0, 0), rod(data.b, data.rod, data.slider));
  SimTK::Constraint::PointInPlane(m->matter.updGround(), SimTK::UnitVec3(0, 1, 0), 0, coupler,
                                  Vec3(data.b, 0, 0));
  m->points = {{0, Vec3(data.a, 0, 0)}, {1, Vec3(data.b, 0, 0)}};
  m->only_x = {false, true};
  m->system.realizeTopology();
  m->start = m->system.getDefaultState();
  const auto y = data.start();
  const double d = y[2] - y[0], omega = -y[3] / y[1];
  crank.setAngle(m->start, std::atan2(y[1], y[0]));
  coupler.setAngle(m->start, std::atan2(-y[1], d) - std::atan2(y[1], y[0]));
  crank.setRate(m->start, omega);
  coupler.setRate(m->start, -y[4] / d - omega);
  return contestant(m, end);
}

Contestant simbody_four_bar(std::size_t N, double end) {
  const auto m = std::make_shared<Mechanism>();
  const Vec3 tip(1, 0, 0);
  std::vector<std::size_t> uprights, couplers;
  for (std::size_t i = 0; i <= N; ++i) {
    uprights.push_back(m->links.size());
    m->add(m->matter.updGround(), Vec3(static_cast<double>(i), 0, 0), rod(1, 1));
  }
  for (std::size_t i = 1; i <= N; ++i) {
    couplers.push_back(m->links.size());
    m->add(m->links[uprights[i - 1]], tip, rod(1, 1));
    SimTK::Constraint::Ball(m->links[uprights[i]], tip, m->links[couplers.back()], tip);
  }
  m->points = {{0, tip}};
  m->only_x = {false};
  m->system.realizeTopology();
  m->start = m->system.getDefaultState();
  for (const std::size_t i : uprights) {
    m->links[i].setAngle(m->start, SimTK::Pi / 2);
    m->links[i].setRate(m->start, -1);
  }
  for (const std::size_t i : couplers) {
    m->links[i].setAngle(m->start, -SimTK::Pi / 2);
    m->links[i].setRate(m->start, 1);
  }
  return contestant(m, end);
}

Contestant simbody_chain(std::size_t n, double end) {
  const auto m = std::make_shared<Mechanism>();
  const double length = 1 / static_cast<double>(n);
  for (std::size_t i = 0; i < n; ++i) {
    if (i == 0) {
      m->add(m->matter.updGround(), Vec3(0), rod(length, 1));
    } else {
      m->add(m->links[i - 1], Vec3(length, 0, 0), rod(length, 1));
    }
  }
  m->points = {{static_cast<int>(n) - 1, Vec3(length, 0, 0)}};
  m->only_x = {false};
  m->system.realizeTopology();
  m->start = m->system.getDefaultState();
  return contestant(m, end);
}

}  // namespace koppel::benchmarks
