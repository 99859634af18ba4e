// A model made ready for the workbench: the page of its mechanism, and what the doctor says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/export/mechanism_page.hpp>
#include <koppel/model/yaml/parameter_origins.hpp>

namespace koppel {

struct Playable {
  MechanismPage page;
  std::vector<std::pair<std::string, std::string>> doctor;  // what, and the finding
};

// With a hand (model/grip.hpp). Throws Error as make_step_model and make_mechanism_page do.
Playable make_playable(const Model& model, std::vector<ParameterOrigin> origins);

// The scene at the start, as JSON.
std::string still_picture(const Model& model);

}  // namespace koppel
