// Scene: the bodies of a model as a picture, and where they are at the times of a trajectory.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <koppel/equations/equations.hpp>
#include <koppel/model/model.hpp>
#include <koppel/results/observe.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

struct Scene {
  struct BodyPicture {
    std::string name;
    std::vector<Shape> shapes;
    std::vector<Vec3<double>> points;  // named ones, and where joints and springs hold on to it
    Vec3<double> com;
  };
  struct End {
    int body = kGround;
    Vec3<double> point;
  };
  struct JointPicture {
    std::string name;
    std::string kind;
    End at;             // on the moving body
    End other;          // on the other one
    Vec3<double> axis;  // of `at.body`
  };
  struct SpringPicture {
    std::string name;
    End a, b;
    bool is_cable = false;  // its pull does not depend on its length
  };
  // A part of the model's own drawing. Its numbers stand in the frames: x, y, z of each point, and
  // of a box its turn.
  struct DrawnPicture {
    std::string name;
    Drawn::Kind kind;
    std::size_t num_points;
    Vec3<double> size;
    std::string text;
    bool moves;  // depends on coordinates or time
  };
  // Position and quaternion (scalar first) of a body frame in world axes.
  using Pose = std::array<double, 7>;
  struct Frame {
    std::vector<Pose> poses;    // by body
    std::vector<double> drawn;  // of all that is drawn
  };

  bool is_planar = false;           // seen along z
  Vec3<double> up;                  // against gravity; without it y in the plane, z in space
  std::vector<BodyPicture> bodies;  // the ground first
  std::vector<JointPicture> joints;
  std::vector<SpringPicture> springs;
  std::vector<DrawnPicture> drawing;
  std::vector<double> times;
  std::vector<Frame> frames;  // by time

  bool is_empty() const { return bodies.size() < 2 && drawing.empty(); }
};

// What a frame is computed from, of q, t and parameters: for every body r and the columns of R,
// then what is drawn.
std::vector<Expr> expressions_of_frame(const Equations& equations);
inline constexpr std::size_t kNumbersOfBody = 12;

// The picture without times: parameters have their values, and t = 0 where something depends on it.
Scene make_scene(const Model& model);

// Adds the poses at (at most `max_frames`, evenly chosen) rows of a trajectory.
void add_frames(const Equations& equations, const Observation& observation,
                const Trajectory& trajectory, std::size_t max_frames, Scene& scene);

// Adds those at a time.
void add_frame(const Equations& equations, double t, std::span<const double> q, Scene& scene);

}  // namespace koppel
