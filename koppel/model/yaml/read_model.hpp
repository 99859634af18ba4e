// Models from text: the YAML format of docs/model-format.md.
//
//   Model model = read_model("crane.yaml", {.set = {{"l", "0.4"}}});
//
// All of a file's mistakes are thrown together as one Error, each with its line and column.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <koppel/model/model.hpp>

namespace koppel {

struct ReadOptions {
  // Parameters by name, with the text of a number or of an expression of other parameters of their
  // file. Those of a sub-assembly have its name before theirs: "front.m".
  std::vector<std::pair<std::string, std::string>> set;
};

// Files that the model includes are looked for beside it.
Model read_model(const std::filesystem::path& path, const ReadOptions& options = {});

// The same from a text; `file` is its name in messages and the place that included files are
// looked for from.
Model read_model_text(std::string_view text, const std::string& file,
                      const ReadOptions& options = {});

}  // namespace koppel
