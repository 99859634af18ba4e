// A model made ready for the workbench: the page of its mechanism, and what the doctor says.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <koppel/export/mechanism_page.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

namespace koppel {

struct Playable {
  MechanismPage page;
  std::vector<std::pair<std::string, std::string>> doctor;  // what, and the finding
  std::vector<std::string> redundant;  // joints and constraints that repeat others
  // Positions and velocities, in the order of the module's state, next to the pose that was asked
  // for; empty: the mechanism cannot be assembled there, or nothing of it is known.
  std::vector<double> present;
};

// With hands (model/grip.hpp). Where the model names no step and none holds at a millisecond, the
// step is shorter. `pose`: values of coordinates and velocities by name, as many as are known.
// Throws Error as make_step_model and make_mechanism_page do.
Playable make_playable(const Model& model, const std::vector<ParameterOrigin>& origins,
                       const std::map<std::string, double>& pose = {});

// Singular configurations along the motion that the drives or the only freedom leave, in words.
// Empty where there are none, or where the mechanism has more freedoms or is too large.
std::vector<std::string> find_singular_ahead(const Model& model);

// The scene at the start, as JSON.
std::string still_picture(const Model& model);

}  // namespace koppel
