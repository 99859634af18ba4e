// Mechanisms that start in singular configurations. The rates w1, w2, w3 choose a branch.
#pragma once

#include <string>

#include <koppel/model/yaml/read_model.hpp>

namespace koppel::testing {

using Settings = std::vector<std::pair<std::string, std::string>>;

// A parallelogram of rods 1, 2, 1 that lies flat, or is turned by `tilt` from that.
inline Model flat_parallelogram(const Settings& set = {}) {
  return read_model_text(R"(
name: flat parallelogram
dimension: 2
parameters: {tilt: 0, g: 9.81, w1: 0, w2: 0, w3: 0}
gravity: [0, -g]
bodies:
  crank: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}, angle: tilt}
  coupler: {mass: 2, shape: {rod: {to: [2, 0]}}, points: {C: [2, 0]}, position: [cos(tilt), sin(tilt)]}
  rocker: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [2, 0], angle: tilt}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [2, 0]}
initial: {crank.wz: w1, coupler.wz: w2, rocker.wz: w3}
outputs: {yB: crank.B.y, yC: rocker.C.y, xC: rocker.C.x, "yB'": "crank.B.y'"}
)",
                         "flat.yaml", {.set = set});
}

// Four rods of length 1, one of them the ground, stretched: B lies on the pivot of the rocker.
inline Model folded_rhombus(const Settings& set = {}) {
  return read_model_text(R"(
name: folded rhombus
dimension: 2
parameters: {g: 9.81, w1: 0, w2: 0, w3: 0}
gravity: [0, -g]
bodies:
  crank: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}}
  coupler: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [1, 0]}
  rocker: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [1, 0]}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b: {type: revolute, between: [crank.B, coupler]}
  c: {type: revolute, between: [coupler.C, rocker.C]}
  d: {type: revolute, between: [ground, rocker], at: [1, 0]}
initial: {crank.wz: w1, coupler.wz: w2, rocker.wz: w3}
outputs: {yB: crank.B.y, yC: rocker.C.y}
)",
                         "rhombus.yaml", {.set = set});
}

// Crank and rod of length 1, both upright, with the slider over the pivot of the crank.
inline Model upright_slider_crank(const Settings& set = {}) {
  return read_model_text(R"(
name: slider crank of equal lengths
dimension: 2
parameters: {g: 9.81, w1: 0, w2: 0, w3: 0}
gravity: [0, -g]
bodies:
  crank: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}, angle: 90 deg}
  rod: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {C: [1, 0]}, position: [0, 1], angle: -90 deg}
  slider: {mass: 1, inertia: 0.1}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0]}
  b: {type: revolute, between: [crank.B, rod]}
  c: {type: revolute, between: [rod.C, slider]}
  d: {type: prismatic, between: [ground, slider], at: [0, 0], axis: [1, 0]}
initial: {crank.wz: w1, rod.wz: w2, "slider.x'": w3}
outputs: {xS: slider.x, yB: crank.B.y, xB: crank.B.x}
)",
                         "slider.yaml", {.set = set});
}

// Two rods of length 1 between pivots 2 apart: they cannot move, but to first order they could.
inline Model stretched_rods() {
  return read_model_text(R"(
name: stretched rods
dimension: 2
gravity: [0, -9.81]
bodies:
  left: {mass: 1, shape: {rod: {to: [1, 0]}}, points: {B: [1, 0]}}
  right: {mass: 1, shape: {rod: {to: [1, 0]}}, position: [1, 0]}
joints:
  a: {type: revolute, between: [ground, left], at: [0, 0]}
  b: {type: revolute, between: [left.B, right]}
  c: {type: revolute, between: [right, ground], at: [2, 0]}
outputs: {y: left.B.y}
)",
                         "stretched.yaml");
}

// The flat parallelogram in space, with revolute joints: three equations repeat others always, and
// one more where it lies flat.
inline Model flat_in_space(const Settings& set = {}) {
  return read_model_text(R"(
name: flat parallelogram in space
parameters: {w1: 0, w2: 0, w3: 0}
gravity: [0, -9.81, 0]
bodies:
  crank: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0], points: {B: [1, 0, 0]}}
  coupler: {mass: 2, inertia: [0.01, 0.7, 0.7], com: [1, 0, 0], points: {C: [2, 0, 0]}, position: [1, 0, 0]}
  rocker: {mass: 1, inertia: [0.01, 0.1, 0.1], com: [0.5, 0, 0], points: {C: [1, 0, 0]}, position: [2, 0, 0]}
joints:
  a: {type: revolute, between: [ground, crank], at: [0, 0, 0], axis: [0, 0, 1]}
  b: {type: revolute, between: [crank.B, coupler], axis: [0, 0, 1]}
  c: {type: revolute, between: [coupler.C, rocker.C], axis: [0, 0, 1]}
  d: {type: revolute, between: [ground, rocker], at: [2, 0, 0], axis: [0, 0, 1]}
initial: {crank.wz: w1, coupler.wz: w2, rocker.wz: w3}
outputs: {yB: crank.B.y, yC: rocker.C.y}
)",
                         "space.yaml", {.set = set});
}

}  // namespace koppel::testing
