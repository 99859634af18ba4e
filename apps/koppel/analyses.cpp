#include "apps/koppel/analyses.hpp"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/driven_motion.hpp>
#include <koppel/analysis/motion/follow.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/analysis/motion/steady.hpp>
#include <koppel/analysis/rank/rank.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/simulate/floquet.hpp>

#include "apps/koppel/print_line.hpp"

namespace koppel::app {
namespace {

// Outputs of t, q, x and parameters: what a place has, whatever moves there.
std::vector<NamedExpr> outputs_of_places(const Equations& e) {
  std::unordered_set<NodeId> known = {e.t.id()};
  for (const auto* part : {&e.q, &e.x, &e.p}) {
    for (const Expr& symbol : *part) known.insert(symbol.id());
  }
  std::vector<NamedExpr> outputs;
  for (const NamedExpr& output : e.outputs) {
    const std::vector<Expr> symbols = symbols_of(output.value);
    const auto is_known = [&](const Expr& s) { return known.contains(s.id()); };
    if (std::all_of(symbols.begin(), symbols.end(), is_known)) outputs.push_back(output);
  }
  return outputs;
}

VectorFunction function_of(const Equations& e, const std::vector<NamedExpr>& outputs) {
  std::vector<Expr> values;
  for (const NamedExpr& output : outputs) values.push_back(output.value);
  return VectorFunction(e, values);
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::abs(x) < 1e-14 ? 0 : x);
  return text;
}

// Where modes are asked for: equations and a start.
struct Place {
  Evaluator evaluator;
  State start;
};

// Relative velocities are constant in more steady motions than others are: joint coordinates,
// unless the user chose.
Place place_of_motion(const Model& model, const Evaluator& evaluator, const State& start,
                      const AnalysisRequest& request) {
  const std::vector<std::string> sets = coordinate_sets(model);
  const bool has_joint = std::find(sets.begin(), sets.end(), "joint") != sets.end();
  if (request.is_set_given || !has_joint || evaluator.equations->coordinates == "joint") {
    return {evaluator, start};
  }
  Evaluator joint(derive(model, "joint"));
  Assembly assembly = assemble(joint);
  if (!assembly) return {evaluator, start};
  return {std::move(joint), std::move(assembly.state)};
}

void put(const LinearSystem& system, const Equations& e, Analyses::Modes& found) {
  Spectrum spectrum = find_spectrum(system);
  found.is_found = true;
  found.num_zero = spectrum.num_zero;
  found.modes = std::move(spectrum.modes);
  found.coordinate_set = e.coordinates;
  for (const Expr& q : e.q) found.coordinates.emplace_back(q.name());
}

Analyses::Modes modes_at_rest(const Evaluator& evaluator, const Equilibrium& equilibrium) {
  Analyses::Modes found;
  found.about = "rest";
  if (equilibrium.is_found) {
    found.in_equilibrium = true;
    found.text = "of small motions about the equilibrium.";
    put(linearize_at_rest(evaluator, equilibrium), evaluator.equations, found);
  } else {
    found.text = "none: " + equilibrium.text;
  }
  return found;
}

Analyses::Modes modes_of_motion(const Place& place) {
  Analyses::Modes found;
  found.about = "steady";
  const SteadyMotion motion = find_steady_motion(place.evaluator, place.start);
  if (motion.is_steady) {
    found.in_equilibrium = motion.is_at_rest;
    found.text = motion.is_at_rest ? "of small motions about the start, which is an equilibrium."
                                   : "of small motions about the steady motion of the start.";
    put(motion.system, place.evaluator.equations, found);
    return found;
  }
  found.text = "none: the motion of the start is not steady (in " +
               place.evaluator.equations->coordinates + " coordinates): " + motion.text +
               ". --at rest gives the modes of the equilibrium near it, --at periodic those of a "
               "periodic motion.";
  return found;
}

Analyses::Modes modes_of_period(const Model& model, const AnalysisRequest& request,
                                const std::string& set) {
  SimulateOptions options = options_of(model);
  options.coordinates = set;
  options.tolerance = 1e-12;
  options.step.reset();
  options.formulation = {};
  options.integrator = {};
  PeriodicMotion motion = find_periodic_motion(model, options, request.period);
  Analyses::Modes found;
  found.about = "periodic";
  found.is_found = motion.is_periodic;
  if (!motion.is_periodic) {
    found.text = "none: the motion of the start is not periodic: " + motion.text + ".";
    return found;
  }
  found.text = "of small motions about the periodic motion of the start, which has the period " +
               number(motion.period) + " s.";
  found.coordinate_set = motion.coordinate_set;
  found.coordinates = std::move(motion.coordinates);
  found.num_zero = motion.num_one;
  found.modes = std::move(motion.modes);
  found.period = motion.period;
  found.multipliers = std::move(motion.multipliers);
  found.error = motion.error;
  return found;
}

Analyses::Modes find_modes_of(const Model& model, const Evaluator& evaluator, const State& start,
                              const AnalysisRequest& request, const Equilibrium& equilibrium) {
  const bool is_moving =
      std::any_of(start.v.begin(), start.v.end(), [](double v) { return std::abs(v) > 1e-12; });
  if (request.at == "rest" || (request.at.empty() && !is_moving)) {
    return modes_at_rest(evaluator, equilibrium);
  }
  const Place place = place_of_motion(model, evaluator, start, request);
  if (request.at == "periodic") {
    return modes_of_period(model, request, place.evaluator.equations->coordinates);
  }
  return modes_of_motion(place);
}

Analyses::Motion follow(const Model& model, const Evaluator& evaluator, const State& start,
                        const VectorFunction& outputs) {
  Analyses::Motion motion;
  std::vector<State> states;
  motion.is_driven = analyze_rank(evaluator, start).degrees_of_freedom == 0;
  if (motion.is_driven) {
    DrivenMotion driven =
        solve_driven_motion(evaluator, start, {.end = model.run.end, .num_samples = 201});
    states = std::move(driven.states);
    motion.is_complete = driven.is_complete;
    motion.text = driven.text;
  } else {
    FreeMotion free = follow_freedom(evaluator, start);
    states = std::move(free.states);
    motion.is_complete = free.is_complete;
    motion.text = free.text;
  }
  const FollowOptions options;
  for (std::size_t i = 0; i < states.size(); ++i) {
    const double length = options.length / (options.num_samples - 1) * static_cast<double>(i);
    motion.places.push_back(motion.is_driven ? states[i].t : length);
    motion.values.push_back(outputs(states[i]));
  }
  motion.singular = find_singular_places(evaluator, states);
  return motion;
}

double place_of(const Analyses::Motion& motion, const SingularPlace& singular) {
  const auto i = static_cast<std::size_t>(singular.place);
  if (i + 1 >= motion.places.size()) return motion.places.back();
  const double part = singular.place - static_cast<double>(i);
  return motion.places[i] + part * (motion.places[i + 1] - motion.places[i]);
}

// The coordinates with the largest part in a mode.
std::string describe_shape(const Analyses::Modes& modes, const Mode& mode) {
  std::vector<std::size_t> order(mode.shape.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::abs(mode.shape[a]) > std::abs(mode.shape[b]) + 1e-9;
  });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(order.size(), 3); ++i) {
    if (std::abs(mode.shape[order[i]]) < 0.05) break;
    char part[32];
    std::snprintf(part, sizeof part, " %+.2f", mode.shape[order[i]].real());
    text += (i == 0 ? "" : ", ") + modes.coordinates[order[i]] + part;
  }
  return text;
}

void print_statics(const Analyses& a) {
  print_line("equilibrium", a.statics->text);
  if (!a.statics->is_found) return;
  std::printf("    %-24s %14s %14s\n", "", "at the start", "at rest");
  for (std::size_t i = 0; i < a.names.size(); ++i) {
    std::printf("    %-24s %14s %14s\n", a.names[i].c_str(), number(a.at_start[i]).c_str(),
                number(a.at_rest[i]).c_str());
  }
}

void print_modes(const Analyses::Modes& modes) {
  print_line("modes", modes.text);
  if (!modes.is_found) return;
  if (modes.num_zero > 0) {
    const bool is_one = modes.num_zero == 1;
    print_line("", std::to_string(modes.num_zero) +
                       (modes.period ? (is_one ? " multiplier is 1" : " multipliers are 1")
                                     : (is_one ? " eigenvalue is zero" : " eigenvalues are zero")) +
                       ": nothing depends on where these motions are.");
  }
  std::printf("    %12s %10s  %-26s %s\n", "frequency/Hz", "damping", "eigenvalue/(1/s)",
              "largest in");
  for (const Mode& mode : modes.modes) {
    const std::string imaginary =
        mode.eigenvalue.imag() == 0 ? "" : " ± " + number(mode.eigenvalue.imag()) + "i";
    const std::string eigenvalue = number(mode.eigenvalue.real()) + imaginary;
    // The sign ± has two bytes and one place.
    const int width = 26 + (imaginary.empty() ? 0 : 1);
    std::printf("    %12s %10s  %-*s %s\n", number(mode.frequency).c_str(),
                number(mode.damping_ratio).c_str(), width, eigenvalue.c_str(),
                describe_shape(modes, mode).c_str());
  }
}

void print_motion(const Analyses& a) {
  const Analyses::Motion& motion = *a.motion;
  if (motion.places.empty()) {
    print_line("motion", "none: " + motion.text);
    return;
  }
  print_line("motion", motion.is_driven ? "by its drives, over time; " + motion.text
                                        : "along its only freedom; " + motion.text);
  constexpr std::size_t kColumns = 5, kRows = 10;
  const std::size_t columns = std::min(a.names.size(), kColumns);
  std::printf("    %12s", motion.is_driven ? "t/s" : "length");
  for (std::size_t k = 0; k < columns; ++k) std::printf(" %12s", a.names[k].c_str());
  std::printf("\n");
  const std::size_t stride = std::max<std::size_t>(1, (motion.places.size() - 1) / kRows);
  for (std::size_t i = 0; i < motion.places.size(); i += stride) {
    std::printf("    %12s", number(motion.places[i]).c_str());
    for (std::size_t k = 0; k < columns; ++k) {
      std::printf(" %12s", number(motion.values[i][k]).c_str());
    }
    std::printf("\n");
  }
  if (motion.singular.empty()) print_line("singular", "nowhere along this motion.");
  for (const SingularPlace& place : motion.singular) {
    print_line("singular", std::string("at ") + (motion.is_driven ? "t = " : "length ") +
                               number(place_of(motion, place)) + ": " + place.text);
  }
}

}  // namespace

const OptionTable& AnalysisRequest::options() {
  using O = AnalysisRequest;
  static const OptionTable kOptions = {
      {{.name = "statics", .text = "Find the static equilibrium near the start"}, &O::statics},
      {{.name = "modes",
        .text = "Print frequencies, damping and mode shapes about the equilibrium near the start "
                "or, where the start moves, about its steady motion"},
       &O::modes},
      {{.name = "at",
        .text = "With --modes: about rest (the equilibrium near the start), or about a steady or "
                "periodic motion",
        .value = "rest|steady|periodic",
        .words = {"rest", "steady", "periodic"}},
       &O::at},
      {{.name = "period",
        .text = "With --at periodic: the period",
        .value = "T",
        .unit = "s",
        .unless_given = "found from the motion",
        .bound = OptionBound::Positive},
       &O::period},
      {{.name = "motion",
        .text = "Move along the drives, or the only freedom, and look for singular poses"},
       &O::motion}};
  return kOptions;
}

Analyses analyze(const Model& model, const Evaluator& evaluator, const State& start,
                 const AnalysisRequest& request) {
  Analyses a;
  const std::vector<NamedExpr> outputs = outputs_of_places(evaluator.equations);
  const VectorFunction values = function_of(evaluator.equations, outputs);
  for (const NamedExpr& output : outputs) a.names.push_back(output.name);
  a.at_start = values(start);
  if (request.statics || request.modes) {
    Equilibrium equilibrium = find_equilibrium(evaluator, start);
    a.at_rest = values(equilibrium.state);
    if (request.modes) {
      a.modes = find_modes_of(model, evaluator, start, request, equilibrium);
    }
    if (request.statics) a.statics = std::move(equilibrium);
  }
  if (request.motion) a.motion = follow(model, evaluator, start, values);
  return a;
}

void print(const Analyses& a) {
  if (a.statics) print_statics(a);
  if (a.modes) print_modes(*a.modes);
  if (a.motion) print_motion(a);
}

void add_to_json(const Analyses& a, nlohmann::json& out) {
  if (a.statics) {
    auto& statics = out["statics"] = {{"found", a.statics->is_found}, {"text", a.statics->text}};
    for (std::size_t i = 0; i < a.names.size(); ++i) statics["outputs"][a.names[i]] = a.at_rest[i];
  }
  if (a.modes) {
    out["modes"] = {{"about", a.modes->about},
                    {"found", a.modes->is_found},
                    {"text", a.modes->text},
                    {"in_equilibrium", a.modes->in_equilibrium},
                    {"list", nlohmann::json::array()}};
    if (a.modes->is_found) {
      out["modes"]["coordinates"] = a.modes->coordinate_set;
      out["modes"]["zero_eigenvalues"] = a.modes->num_zero;
    }
    if (a.modes->period) {
      out["modes"]["period"] = *a.modes->period;
      out["modes"]["error"] = a.modes->error;
    }
    for (std::size_t k = 0; k < a.modes->modes.size(); ++k) {
      const Mode& mode = a.modes->modes[k];
      nlohmann::json shape;
      for (std::size_t i = 0; i < mode.shape.size(); ++i) {
        shape[a.modes->coordinates[i]] = {mode.shape[i].real(), mode.shape[i].imag()};
      }
      nlohmann::json entry = {{"frequency", mode.frequency},
                              {"damping_ratio", mode.damping_ratio},
                              {"eigenvalue", {mode.eigenvalue.real(), mode.eigenvalue.imag()}},
                              {"shape", shape}};
      if (a.modes->period) {
        entry["multiplier"] = {a.modes->multipliers[k].real(), a.modes->multipliers[k].imag()};
      }
      out["modes"]["list"].push_back(std::move(entry));
    }
  }
  if (a.motion) {
    const Analyses::Motion& motion = *a.motion;
    auto& json = out["motion"] = {{"driven", motion.is_driven},
                                  {"complete", motion.is_complete},
                                  {"text", motion.text},
                                  {motion.is_driven ? "t" : "length", motion.places}};
    for (std::size_t k = 0; k < a.names.size(); ++k) {
      auto& column = json["outputs"][a.names[k]] = nlohmann::json::array();
      for (const auto& row : motion.values) column.push_back(row[k]);
    }
    json["singular"] = nlohmann::json::array();
    for (const SingularPlace& place : motion.singular) {
      json["singular"].push_back({{"at", place_of(motion, place)},
                                  {"pivot", place.pivot},
                                  {"owners", place.owners},
                                  {"text", place.text}});
    }
  }
}

}  // namespace koppel::app
