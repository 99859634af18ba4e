// Robots from URDF, the XML format of ROS (wiki.ros.org/urdf/XML). Internal to the reader.
//
// Read are links with their inertial and the boxes, cylinders and spheres of their visuals, and
// joints of all six types with origin, axis, limit, mimic and damping. Elements of other programs
// (transmission, gazebo, collision, material, meshes, …) are passed over; those that look like a
// misspelt one of ours are mistakes.
#pragma once

#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/model/urdf/robot.hpp>
#include <koppel/model/yaml/tree.hpp>

namespace koppel::urdf {

// Appends every mistake of the file and goes on with some harmless value; what is read after a
// mistake does not matter. Throws Error with all of them when there are a hundred.
//
// Cost: linear in the size of the file, which is bounded as a model file's is. Nothing recurses.
Robot read_robot(const yaml::Source& source, std::vector<Diagnostic>& mistakes);

}  // namespace koppel::urdf
