#include <koppel/export/mechanism_page.hpp>

#include <algorithm>
#include <cassert>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <koppel/equations/derive.hpp>
#include <koppel/export/holding_inputs.hpp>
#include <koppel/export/wasm.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/formulation/energy_terms.hpp>
#include <koppel/model/grip.hpp>
#include <koppel/results/json_text.hpp>
#include <koppel/results/loads.hpp>
#include <koppel/results/reactions.hpp>
#include <koppel/results/scene.hpp>
#include <koppel/results/scene_json.hpp>
#include <koppel/simulate/fixed_cost_choice.hpp>

namespace koppel {

extern const char* const kMechanismTemplate;  // embedded from viewer/

namespace {

constexpr std::string_view kMarker = "/*DATA*/null";

// What is plotted.
struct Curve {
  std::string name, unit, group;
  Expr value;
};

void add_text(JsonText& json, std::string_view key, const std::string& text) {
  json.key(key), json.string(text);
}

// max |g|
Expr violation_of(const Equations& e) {
  Expr largest = 0;
  for (const Expr& g : e.g) largest = max(largest, abs(g));
  return largest;
}

// A symbol of the layout for each row of [g; a]; 0 for those that were left out.
std::vector<Expr> multipliers_of(const StepModel& step) {
  const Equations& e = step.prepared.equations;
  std::vector<Expr> out(e.num_rows(), Expr(0));
  std::size_t next = 2 + step.q.size() + step.v.size() + step.x.size();
  for (const int row : step.prepared.problem.rows) {
    out[static_cast<std::size_t>(row)] = step.layout[next++];
  }
  return out;
}

void add_reactions(const Model& model, const StepModel& step, std::vector<Curve>& curves) {
  if (step.multipliers.empty()) return;
  for (const Reaction& reaction :
       reactions_of(model, step.prepared.equations, multipliers_of(step), ReactionAxes::World)) {
    curves.push_back({reaction.name, reaction.unit, "reactions", reaction.value});
  }
}

// A pull has the name of its spring, a load components as reactions have.
void add_loads(const Model& model, const Loads& loads, std::vector<Curve>& curves) {
  for (const Pull& pull : loads.pulls) {
    curves.push_back({pull.name + ".pull", "N", "forces", pull.value});
  }
  for (const PointLoad& load : loads.points) {
    for (std::size_t k = 0; k < (model.is_planar ? 2U : 3U); ++k) {
      curves.push_back({load.name + ".force." + "xyz"[k], "N", "forces", load.force[k]});
    }
  }
}

// Where they act; a second point of the same force has no columns of its own.
void add_loads(JsonText& json, const Model& model, const Loads& loads) {
  const ParameterValues values(model);
  json.key("loads");
  json.list(loads.points, [&](const PointLoad& load) {
    json.raw("{"), add_text(json, "name", load.name);
    json.raw(","), json.key("body"), json.raw(std::to_string(load.at.body));
    json.raw(","), json.key("point"), json.vector(values(load.at.point));
    json.raw("}");
  });
}

std::vector<Curve> all_curves(const Equations& e) {
  std::vector<Curve> curves;
  for (const Equations::Output& output : e.outputs) {
    curves.push_back({output.name, output.unit, "outputs", output.value});
  }
  curves.push_back({"kinetic_energy", "J", "energy", e.kinetic});
  curves.push_back({"potential_energy", "J", "energy", e.potential});
  curves.push_back({"energy", "J", "energy", e.kinetic + e.potential});
  if (!e.g.empty()) curves.push_back({"position_violation", "", "constraints", violation_of(e)});
  return curves;
}

// Whether the energy stays as it is while nobody touches the mechanism. A step with hands has no
// balance of its own: that of the model without them is looked at.
bool conserves_energy(const Model& model, const StepModel& step) {
  if (!model.inputs.empty()) return false;
  const auto& own = step.prepared.problem.energy;
  if (own) return own->is_known() && own->is_conservative();
  const Shared<Equations> equations = derive(model);
  const EnergyBalance balance(make_energy_terms(*equations, start_of(equations)));
  return balance.is_known() && balance.is_conservative();
}

// The parameters that constraints and places of the picture depend on: if they changed, the
// mechanism would have to jump, and the picture would no longer fit.
std::unordered_set<NodeId> symbols_of_places(const Model& model, const Equations& equations) {
  std::vector<Expr> all = equations.g;
  const auto add = [&](const Vec3e& v) { all.insert(all.end(), {v.x, v.y, v.z}); };
  const auto add_marker = [&](const Marker& marker) {
    add(marker.point);
    for (const Vec3e& column : marker.axes.column) add(column);
  };
  for (const Body& body : model.bodies) {
    add(body.com);
    for (const NamedVector& point : body.points) add(point.value);
  }
  for (const Joint& joint : model.joints) add_marker(joint.a), add_marker(joint.b);
  for (const Contact& contact : model.contacts)
    add_marker(contact.frame), add_marker(contact.point);
  for (const Quantity& quantity : model.quantities) {
    if (const auto* along = std::get_if<Quantity::DistanceBetween>(&quantity.of)) {
      add_marker(along->a), add_marker(along->b);
    }
  }
  std::unordered_set<NodeId> ids;
  for (const Expr& symbol : symbols_of(all)) ids.insert(symbol.id());
  return ids;
}

// All digits: what is sent back to the module must be what it has.
void add_exact(JsonText& json, std::string_view key, double value) {
  json.key(key), json.raw(std::isfinite(value) ? fmt::format("{}", value) : "null");
}

void add_inputs(JsonText& json, const StepModel& step) {
  const Equations& e = step.prepared.equations;
  const std::vector<double> held = holding_inputs(e, step.prepared.state);
  json.key("inputs"), json.raw("[");
  for (std::size_t i = 0; i < step.inputs.size(); ++i) {
    const CVariable& input = step.inputs[i];
    json.raw(i == 0 ? "{" : ",{"), add_text(json, "name", input.label);
    json.raw(","), add_text(json, "unit", input.unit);
    json.raw(","), add_exact(json, "start", held[i]);
    json.raw(","), add_exact(json, "min", e.about.u[i].min);
    json.raw(","), add_exact(json, "max", e.about.u[i].max);
    json.raw("}");
  }
  json.raw("]");
}

void add_parameters(JsonText& json, const Model& model, const StepModel& step) {
  const Equations& e = step.prepared.equations;
  const std::unordered_set<NodeId> places = symbols_of_places(model, e);
  json.key("parameters"), json.raw("[");
  for (std::size_t i = 0; i < step.parameters.size(); ++i) {
    const CVariable& parameter = step.parameters[i];
    const bool is_free = step.start.kinds[i] == ParameterKind::Free;
    json.raw(i == 0 ? "{" : ",{"), add_text(json, "name", parameter.label);
    json.raw(","), add_exact(json, "start", parameter.start);
    json.raw(","), json.key("settable");
    json.raw(is_free && !places.contains(e.p[i].id()) ? "true" : "false");
    json.raw(","), json.key("free"), json.raw(is_free ? "true" : "false");
    json.raw("}");
  }
  json.raw("]");
}

void add_column(JsonText& json, const std::string& name, const std::string& unit,
                const std::string& group) {
  json.raw("{"), add_text(json, "name", name);
  json.raw(","), add_text(json, "unit", unit);
  json.raw(","), add_text(json, "group", group);
  json.raw("}");
}

void add_curves(JsonText& json, const std::vector<Curve>& curves) {
  json.key("outputs");
  json.list(curves,
            [&](const Curve& curve) { add_column(json, curve.name, curve.unit, curve.group); });
}

// In the order of the module's memory.
void add_state(JsonText& json, const StepModel& step) {
  json.key("state"), json.raw("[");
  bool is_first = true;
  const auto add = [&](const std::vector<CVariable>& all, const char* group) {
    for (const CVariable& variable : all) {
      if (!std::exchange(is_first, false)) json.raw(",");
      add_column(json, variable.label, variable.unit, group);
    }
  };
  add(step.q, "coordinates"), add(step.v, "velocities"), add(step.x, "states");
  add(step.multipliers, "multipliers");
  json.raw("]");
}

// RFC 4648
std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    unsigned bits = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += k <= count ? kDigits[bits >> (18 - 6 * k) & 63] : '=';
    }
  }
  return out;
}

// As browsers decompress it: zlib's format, RFC 1950.
std::string deflated(std::string_view bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress2(reinterpret_cast<Bytef*>(out.data()), &size,
            reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_COMPRESSION);
  out.resize(size);
  return out;
}

}  // namespace

MechanismPage make_mechanism_page(const Model& model, const PageStep& page, bool with_reactions) {
  const StepModel& step = page.step;
  std::vector<std::string> notes;
  std::vector<Curve> curves = all_curves(step.prepared.equations);
  if (with_reactions) add_reactions(model, step, curves);
  const Loads loads = loads_of(model, step.prepared.equations);
  add_loads(model, loads, curves);
  const Scene scene = make_scene(model);
  if (scene.is_empty()) {
    notes.push_back("The model has neither bodies nor a drawing; there is no picture to show.");
  }
  if (model.bodies.size() > 1 && page.num_hands() == 0) {
    notes.push_back(
        "Bodies cannot be taken hold of here: that takes linear-implicit steps, which do not hold "
        "for this model, were not asked for, or would make the page too large.");
  }
  WasmContents contents;
  for (const Curve& curve : curves) contents.outputs.push_back({curve.name, curve.value});
  contents.frame = expressions_of_frame(step.prepared.equations);
  contents.unheld = page.unheld ? &*page.unheld : nullptr;

  JsonText json;
  json.raw("{"), add_text(json, "title", model.name);
  json.raw(","), add_text(json, "description", model.description);
  json.raw(","), add_text(json, "method", page.method());
  json.raw(","), add_exact(json, "step", step.step);
  json.raw(","), add_exact(json, "end", model.run.end);
  json.raw(","), json.key("conserves_energy");
  json.raw(conserves_energy(model, step) ? "true" : "false");
  json.raw(","), add_inputs(json, step);
  json.raw(","), add_parameters(json, model, step);
  json.raw(","), add_curves(json, curves);
  json.raw(","), add_state(json, step);
  json.raw(","), json.key("notes");
  json.list(notes, [&](const std::string& note) { json.string(note); });
  json.raw(","), add_loads(json, model, loads);
  json.raw(","), json.key("scene"), add_scene(json, scene);
  json.raw("}");
  return {json.take(), write_wasm_module(step, contents)};
}

namespace {

PageStep make_step_with_hand(const Model& model, const SimulateOptions& options, std::string name,
                             const std::vector<ParameterOrigin>& origins, int num_hands) {
  if (model.bodies.size() > 1 && options.integrator.is_open() && num_hands > 0) {
    try {
      const Model held = with_grip(model, {.hands = num_hands});
      std::vector<ParameterOrigin> all = origins;
      all.resize(held.parameters.size());  // those of the hand can be set
      SimulateOptions with_hand = options;
      with_hand.integrator = "linear-implicit";
      StepModel step = make_step_model(held, with_hand, name, StepKind::FixedCost, all);
      // Its steps damp: what moves by itself comes to rest in time, which is no fault here.
      if (step.choice.trial.holds() || step.choice.trial.only_damps) {
        std::optional<UnheldStep> unheld = make_unheld_step(model, step, options);
        return {std::move(step), std::move(unheld)};
      }
    } catch (const Error&) {
      // Without a hand it may do.
    }
  }
  return {make_step_model(model, options, std::move(name), StepKind::FixedCost, origins)};
}

}  // namespace

PageStep make_step_for_page(const Model& model, SimulateOptions options, const std::string& name,
                            const std::vector<ParameterOrigin>& origins, int num_hands) {
  constexpr double kStep = 1e-3;  // s
  constexpr double kTrial = 1;    // s of motion that methods are tried on: one waits for it
  const bool is_given = options.step || model.run.step;
  if (!options.step) options.step = model.run.step.value_or(kStep);
  options.end = std::min(model.run.end, kTrial);
  try {
    return make_step_with_hand(model, options, name, origins, num_hands);
  } catch (const Error& error) {
    if (!error.has(Cause::StepTooLong) || is_given) throw;
    const std::optional<double> shorter = find_step_that_holds(model, options);
    if (!shorter) throw;
    options.step = shorter;
  }
  return make_step_with_hand(model, options, name, origins, num_hands);
}

int PageStep::num_hands() const { return static_cast<int>(step.hands.size()); }

std::string PageStep::method() const {
  return unheld ? fmt::format("{}, and {} while nothing is held", step.method, unheld->method)
                : step.method;
}

std::string to_html(const MechanismPage& page) {
  const std::string_view text = kMechanismTemplate;
  const std::size_t place = text.find(kMarker);
  assert(place != std::string_view::npos);
  return fmt::format("{}{{\"mechanism\":{},\"module\":\"{}\"}}{}", text.substr(0, place), page.data,
                     base64(deflated(page.module)), text.substr(place + kMarker.size()));
}

}  // namespace koppel
