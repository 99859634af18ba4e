// What commands tell about a model and its runs, as values: for the page and the terminal, and for
// other programs that show the same.
#pragma once

#include <string>

#include <koppel/control/inverse.hpp>
#include <koppel/model/model.hpp>
#include <koppel/results/report.hpp>
#include <koppel/simulate/simulate.hpp>

#include "apps/koppel/analyses.hpp"
#include "apps/koppel/result_files.hpp"

namespace koppel::app {

Lines describe(const Simulation& simulation);
Lines describe(const Inverse& result);

// The page of a run, with its lines and, where there are bodies, the moving mechanism.
Report make_report(const Model& model, const Simulation& simulation);
Report make_report(const Model& model, const Inverse& result);

// What `koppel equations` prints: M, f, g, G, … in a set of coordinates.
std::string equations_text(const Model& model, const std::string& set, bool latex);

// What `koppel check --json` prints.
std::string check_json(const Model& model, const std::string& set, const AnalysisRequest& request);

}  // namespace koppel::app
