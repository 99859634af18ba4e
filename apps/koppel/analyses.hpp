// What `koppel check` computes on request: static equilibrium, modes (about rest, a steady or a
// periodic motion), and the motion of a driven mechanism or of one with a single freedom, with its
// singular places.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <vector>

#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/analysis/motion/statics.hpp>
#include <koppel/analysis/rank/singular.hpp>
#include <koppel/base/option.hpp>
#include <koppel/model/model.hpp>

namespace koppel::app {

struct AnalysisRequest {
  bool statics = false, modes = false, motion = false;
  std::string at;                // modes about: rest, steady, periodic; empty: as the start is
  std::optional<double> period;  // of a periodic motion; none: found
  bool is_set_given = false;     // the coordinates are the user's choice

  bool is_empty() const { return !statics && !modes && !motion; }
  static const OptionTable& options();
};

struct Analyses {
  // Names of outputs that depend on positions, and their values at the places below.
  std::vector<std::string> names;
  std::vector<double> at_start, at_rest;

  std::optional<Equilibrium> statics;
  struct Modes {
    std::string about;            // rest, steady, periodic
    bool is_found = false;        // else `text` says why not
    bool in_equilibrium = false;  // nothing moves
    std::string text;
    std::string coordinate_set;
    std::vector<std::string> coordinates;  // what the shapes are in
    int num_zero = 0;
    std::vector<Mode> modes;                        // those that are not zero
    std::optional<double> period;                   // of a periodic motion
    std::vector<std::complex<double>> multipliers;  // for each mode of it
    double error = 0;                               // of these
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
