// What the parameters of a model that is read follow from, for code that lets them be changed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/yaml/read_model.hpp>

namespace koppel {

struct ParameterOrigin {
  // Where the value follows from other parameters: of their symbols.
  std::optional<Expr> definition;
  // Settings of a run that follow from it: "end", "step", "tolerance", "samples". They are read
  // once, so that it is built into runs that keep them.
  std::set<std::string, std::less<>> run_settings;
};

// A run that gives a setting itself does not follow the parameters in it.
inline void give_setting(std::vector<ParameterOrigin>& origins, std::string_view setting) {
  for (ParameterOrigin& origin : origins) {
    if (const auto it = origin.run_settings.find(setting); it != origin.run_settings.end()) {
      origin.run_settings.erase(it);
    }
  }
}

// As without them; `origins` has one for each parameter of the model.
Model read_model(const std::filesystem::path& path, const ReadOptions& options,
                 std::vector<ParameterOrigin>& origins);
Model read_model_text(std::string_view text, const std::string& file, const ReadOptions& options,
                      std::vector<ParameterOrigin>& origins);

}  // namespace koppel
