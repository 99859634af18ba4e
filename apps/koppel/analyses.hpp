// What `koppel check` computes on request: static equilibrium, modes, and the motion of a driven
// mechanism or of one with a single freedom, with its singular places.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include <koppel/analysis/linearize.hpp>
#include <koppel/analysis/singular.hpp>
#include <koppel/analysis/statics.hpp>
#include <koppel/model/model.hpp>

namespace koppel::app {

struct AnalysisRequest {
  bool statics = false, modes = false, motion = false;

  bool is_empty() const { return !statics && !modes && !motion; }
};

struct Analyses {
  // Names of outputs that depend on positions, and their values at the places below.
  std::vector<std::string> names;
  std::vector<double> at_start, at_rest;

  std::optional<Equilibrium> statics;
  struct Modes {
    bool in_equilibrium = false;
    std::vector<std::string> coordinates;  // what the shapes are in
    std::vector<Mode> modes;
  };
  std::optional<Modes> modes;
  struct Motion {
    bool is_driven = false;  // by time; otherwise along the only freedom
    bool is_complete = false;
    std::string text;
    std::vector<double> places;  // time, or length along the freedom
    std::vector<std::vector<double>> values;
    std::vector<SingularPlace> singular;
  };
  std::optional<Motion> motion;
};

// `start` is assembled.
Analyses analyze(const Model& model, const Evaluator& evaluator, const State& start,
                 const AnalysisRequest& request);

void print(const Analyses& analyses);
void add_to_json(const Analyses& analyses, nlohmann::json& out);

}  // namespace koppel::app
