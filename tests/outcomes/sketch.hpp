// A mechanism in numbers, written as a model file: bodies as placed at the start, joints at world
// points between them. What is known of a joint is written in the frames of its bodies, so that a
// body may also be written at another place than it has: a rough start.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include <koppel/base/linear.hpp>

namespace koppel::testing {

using Vec = Vec3<double>;
using Mat = Mat3<double>;

// Numbers that are the same with every standard library.
class Dice {
 public:
  explicit Dice(std::uint64_t seed) : engine_(seed * 0x9E3779B97F4A7C15U + 0x1234567U) {}
  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  int below(int n) { return static_cast<int>(engine_() % static_cast<std::uint64_t>(n)); }
  bool once_in(int n) { return below(n) == 0; }
  Vec vector(double size) {
    return {uniform(-size, size), uniform(-size, size), uniform(-size, size)};
  }
  Vec direction() {
    for (;;) {
      const Vec d = vector(1);
      const double r = norm(d);
      if (r > 0.1 && r < 1) return (1 / r) * d;
    }
  }

 private:
  std::mt19937_64 engine_;
};

struct SketchBody {
  std::string name;
  double mass = 1;
  Vec com = {};
  // In the plane the last number alone; in space Ixx Iyy Izz Ixy Ixz Iyz. Empty: a point mass.
  std::vector<double> inertia = {};
  Vec position = {};
  Vec turn = {};            // the rotation vector
  Vec end = {};             // of a rod, from its position: its point E
  Vec written_off = {};     // added to the position that is written
  double written_turn = 0;  // added to the planar angle that is written
};

class Sketch {
 public:
  Sketch(std::string name, bool is_planar) : name_(std::move(name)), is_planar_(is_planar) {}

  // Body 0 is the ground.
  int add(SketchBody body);
  SketchBody& body(int i) { return bodies_[static_cast<std::size_t>(i) - 1]; }
  int num_bodies() const { return static_cast<int>(bodies_.size()); }
  // At a world point with a world axis; `more` are further keys, as `pitch: 0.1`.
  std::string join(const std::string& type, int a, int b, const Vec& point, const Vec& axis = {},
                   const std::string& more = {});
  // A rod between two world points, of the distance that they have.
  std::string rod(int a, int b, const Vec& from, const Vec& to);
  // A line under a section of the file.
  void force(const std::string& line) { forces_ += "  " + line + "\n"; }
  void initial(const std::string& line) { initial_ += "  " + line + "\n"; }
  void output(const std::string& line) { outputs_ += "  " + line + "\n"; }
  void gravity(const Vec& g) { gravity_ = g; }
  void write_last_body_first() { is_reversed_ = true; }
  // A point of a body, for forces: `{b1: [x, y, z]}`.
  std::string at(int body, const Vec& world) const;
  std::string name_of(int body) const;
  Vec to_local(int body, const Vec& world_direction) const;

  std::string text() const;

 private:
  std::string vector(const Vec& v) const;
  std::string text_of(const SketchBody& body) const;

  std::string name_;
  bool is_planar_;
  bool is_reversed_ = false;
  int num_joints_ = 0;
  Vec gravity_ = {};
  std::vector<SketchBody> bodies_;
  std::string joints_, forces_, initial_, outputs_;
};

// The matrix of a rotation vector.
Mat rotation_of(const Vec& turn);
std::string number(double value);  // all digits

// The inertia of a box-like body of size l: three different moments, and products.
std::vector<double> general_inertia(Dice& dice, double mass, double l);
// A thin rod along local x from the origin: com and inertia.
SketchBody planar_rod(const std::string& name, const Vec& from, const Vec& to, double mass);

}  // namespace koppel::testing
