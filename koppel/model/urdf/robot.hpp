// What a robot file says: links and the joints that make a tree of them, in plain numbers.
// Internal to the reader.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <koppel/base/linear.hpp>
#include <koppel/model/model.hpp>

namespace koppel::urdf {

// Where a frame is, as seen from another.
struct Pose {
  Vec3<double> position;
  Mat3<double> rotation = Mat3<double>::identity();
};

struct Link {
  std::string name;
  std::size_t offset = 0;  // of its element in the file, in bytes
  double mass = 0;
  Vec3<double> com;      // in the link frame
  Mat3<double> inertia;  // about the centre of mass, along the link's axes
  std::vector<Shape> shapes;
  int joint = -1;  // the one whose child it is; −1: none

  bool has_inertia() const;  // or mass
};

enum class Motion { Revolute, Continuous, Prismatic, Fixed, Floating, Planar };

struct Limits {
  double lower = 0, upper = 0, effort = 0, velocity = 0;
};

// The joint's coordinate is multiplier × that of another joint + offset.
struct Mimic {
  int joint = -1;
  double multiplier = 1, offset = 0;
};

struct Joint {
  std::string name;
  std::size_t offset = 0;
  Motion motion = Motion::Fixed;
  int parent = -1, child = -1;  // links
  Pose origin;                  // of the child's frame in the parent's, at zero
  Vec3<double> axis{1, 0, 0};   // in the child's frame; planar: the normal
  double damping = 0;
  std::optional<Limits> limits;
  std::optional<Mimic> mimic;

  bool has_coordinate() const {
    return motion == Motion::Revolute || motion == Motion::Continuous ||
           motion == Motion::Prismatic;
  }
};

struct Robot {
  std::string name;
  std::vector<Link> links;
  std::vector<Joint> joints;
  std::vector<int> order;  // of the links: the root first, each after its parent
};

}  // namespace koppel::urdf
