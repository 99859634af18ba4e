// The models that come with the program, in ../share/koppel/models as seen from its folder: in an
// installation, and by a link also where it was built.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace koppel::app {

// Model files, by name. Empty where the folder is not there.
std::vector<std::filesystem::path> builtin_models();

// The file that a user means: the path itself where there is such a file, or else the built-in
// model of that name. Throws Error model.no-file.
std::filesystem::path find_model(const std::string& name);

}  // namespace koppel::app
