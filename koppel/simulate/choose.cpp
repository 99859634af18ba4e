#include <koppel/simulate/choose.hpp>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <koppel/analysis/motion/accelerations.hpp>
#include <koppel/analysis/rank/massless.hpp>
#include <koppel/analysis/structure/dae.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/equations/leave_out.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/expr/dae/signature.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/graph/traverse.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/simulate/stiffness.hpp>

namespace koppel {
namespace {

// The recursion along a tree has five times the products of the equations in natural coordinates,
// which have constraints instead; up to three bodies in the plane it is the cheaper one in series.
// Implicit integrators gain more from having no constraints.
constexpr std::size_t kMaxSmooth = 3, kMaxStiff = 20;

bool is_small(const Model& model) {
  return model.is_planar && model.bodies.size() - 1 <= kMaxSmooth;
}

// Whether joint coordinates satisfy all joints by themselves.
bool is_tree_of_joints(const Model& model) {
  std::vector<std::size_t> root(model.bodies.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](int body) {
    auto i = static_cast<std::size_t>(body);
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (const Joint& joint : model.joints) {
    if (!joint.law->has_motion()) return false;
    for (const Marker* marker : {&joint.a, &joint.b}) {
      if (model.bodies[static_cast<std::size_t>(marker->body)].is_point) return false;
    }
    const std::size_t a = find(joint.a.body), b = find(joint.b.body);
    if (a == b) return false;
    root[a] = b;
  }
  return true;
}

// Whether joint coordinates satisfy everything by themselves.
bool is_tree(const Model& model) {
  return model.constraints.empty() && model.nonholonomic.empty() && is_tree_of_joints(model);
}

// In space natural coordinates are twelve for a body, and joint coordinates one for a freedom: the
// rates of a tree by its recursion cost so much less than series of either that dop853 in joint
// coordinates takes a half to a quarter of the time, at tolerances to 1e-12 and for 3 to 60 bodies.
// In the plane that holds for large trees: the more bodies, the faster the motions that end the
// series and that a method of lower order does not see (chains at 1e-8, for 1 s: 0.73 of the time
// for 50 links, 0.6 for 200).
constexpr std::size_t kMaxSeries = 60;

bool suits_rates(const Model& model) {
  return (!model.is_planar || model.bodies.size() - 1 > kMaxSeries) && is_tree_of_joints(model);
}

bool may_take_rates(const Wanted& wanted) {
  return wanted.formulation.is_open() &&
         (wanted.integrator.is_open() || wanted.integrator.has_adaptive_stages());
}

// Constraints that count turns, as of a cable on a drum or of gears: such parts spin, and
// directions fixed in them go round with them, where angles grow evenly.
bool counts_turns(const Equations& e) {
  std::vector<Expr> turns;
  for (const Equations::Counted& counted : e.counted) {
    turns.push_back(e.q[static_cast<std::size_t>(counted.q)]);
  }
  return !turns.empty() && depends_on(e.g, turns);
}

bool has_corners(Op op) {
  switch (op) {
    case Op::Abs:
    case Op::Sign:
    case Op::Min:
    case Op::Max:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
    case Op::Select:
    case Op::Table: return true;
    default: return false;
  }
}

// The first operation of the equations that has corners and depends on the state.
std::optional<Op> find_corner(const Equations& e) {
  Postorder order(*e.graph);
  for (const auto* part : {&e.f, &e.g, &e.b, &e.r, &e.K.values, &e.a.values}) order.visit(*part);
  order.visit(e.kinetic);  // M is made of the same operations
  const auto is_rough = [&](std::size_t i) { return has_corners(order[i].op()); };
  bool any = false;
  for (std::size_t i = 0; i < order.size() && !any; ++i) any = is_rough(i);
  if (!any) return {};
  std::vector<Expr> state = e.q;
  state.insert(state.end(), e.v.begin(), e.v.end());
  state.insert(state.end(), e.x.begin(), e.x.end());
  const std::vector<char> depends = dependent_nodes(order, state);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (depends[i] && is_rough(i)) return order[i].op();
  }
  return {};
}

// Whether the series through the offsets exists at the start. By counting: where the matrix of the
// accelerations is regular, the values to choose are q and v less the constraints on them (and x);
// the system Jacobian is regular exactly when the offsets give the same number.
void find_series(const Evaluator& evaluator, const State& start, const RankReport& rank,
                 Findings& out) {
  const Equations& e = evaluator.equations;
  // The recursion along a tree divides by what may be round-off of a mass.
  const bool is_recursion = !e.v_rate.empty();
  out.is_determined = is_recursion ? find_massless(evaluator, start).empty()
                                   : !solve_accelerations(evaluator, start).is_underdetermined;
  if (is_recursion && e.num_rows() == 0) {  // an ODE, whatever the entries of its mass matrix
    out.index = 0;
    out.has_series = out.is_determined;
    return;
  }
  const Shared<Equations> independent = leave_out(evaluator.equations, rank.redundant_rows);
  const Structure structure = analyze_structure(make_dae(independent, {.with_servo = false}));
  out.index = structure.index;
  const int free =
      static_cast<int>(e.num_q() + e.num_v() + e.x.size() - independent->num_g()) - rank.rank;
  out.has_series =
      structure.is_regular && out.is_determined && structure.degrees_of_freedom == free;
}

// The integrator for a formulation. Some have a right-hand side only.
Integrator integrator_for(const FormulationInfo& formulation, const Findings& found) {
  using States = FormulationInfo::States;
  if (formulation.reduce != nullptr) return found.is_stiff ? "cvode" : "dop853";
  if (found.suits_rates && formulation.is_free && !found.is_stiff) return "dop853";
  const bool has_series = formulation.states == States::Positions || formulation.is_free;
  if (has_series && found.is_smooth && found.has_series && !found.is_stiff) return "taylor";
  return formulation.states == States::Accelerations && !found.is_stiff ? "dop853" : "radau5";
}

std::string joined(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out.empty() ? "none" : out;
}

std::string describe(const Findings& found) {
  const char* what = found.has_constraints ? "constraints" : "no constraints";
  if (found.is_stiff) {
    return fmt::format("{}, and stiff: some motion decays with {:.2g}/s", what,
                       found.fastest_decay);
  }
  if (!found.is_smooth) {
    return fmt::format("{}, and {} of the state is not smooth", what, found.rough);
  }
  if (!found.has_series) return fmt::format("{}, and no regular series at the start", what);
  if (found.suits_rates) return fmt::format("{}, and {}", what, found.tree);
  return fmt::format("{}, smooth and not stiff", what);
}

void check_step(const IntegratorInfo& integrator, bool has_step) {
  if (has_step && !integrator.has_fixed_step) {
    throw Error("simulate.wrong-step",
                fmt::format("integrator '{}' chooses its steps itself.", integrator.name),
                "Leave out the step and give a tolerance.")
        .because(Cause::Method);
  }
  if (!has_step && !integrator.has_adaptive_step) {
    throw Error("simulate.wrong-step",
                fmt::format("integrator '{}' has fixed steps, and none is given.", integrator.name),
                "Give a step, such as `step = 1e-3`.")
        .because(Cause::Method);
  }
}

// Whether joint coordinates suit implicit integrators, also where loops are closed by constraints.
// These take steps as long as the motion allows: directions in parts that spin go round with them,
// angles of joints grow evenly (a vehicle with a trailer: 324 steps in joint, 6585 in natural
// coordinates). In a large mechanism the mass matrix, with entries for all pairs of bodies on a
// branch, costs more than that.
bool suits_implicit(const Model& model) { return model.bodies.size() - 1 <= kMaxStiff; }

bool is_implicit(const Integrator& integrator) {
  return !integrator.is_open() && integrator.info().is_stiff_solver;
}

bool is_minimal(const Formulation& formulation) {
  return !formulation.is_open() && formulation.info().is_free;
}

}  // namespace

std::string choose_coordinates(const Model& model, const Wanted& wanted) {
  if (!is_open(wanted.coordinates)) return wanted.coordinates;
  const std::vector<std::string> sets = coordinate_sets(model);
  if (sets.size() == 1) return sets[0];
  if (wanted.reactions) return sets[0];
  if (is_implicit(wanted.integrator) && suits_implicit(model)) return "joint";
  if (may_take_rates(wanted) && suits_rates(model)) return "joint";
  const bool may_pay = is_minimal(wanted.formulation) || is_small(model) ||
                       (has_damping(model) && model.bodies.size() - 1 <= kMaxStiff);
  return may_pay && is_tree(model) ? "joint" : "natural";
}

std::optional<std::string> better_coordinates(const Model& model, const std::string& coordinates,
                                              const Wanted& wanted, const Findings& found) {
  if (!is_open(wanted.coordinates) || wanted.reactions) return {};
  const bool is_choice_implicit =
      is_implicit(wanted.integrator.is_open() ? choose(found, coordinates, wanted).integrator
                                              : wanted.integrator);
  if (coordinates == "natural" && is_choice_implicit && suits_implicit(model)) {
    const std::vector<std::string> sets = coordinate_sets(model);
    const bool has_joint = std::find(sets.begin(), sets.end(), "joint") != sets.end();
    return has_joint ? std::optional<std::string>("joint") : std::nullopt;
  }
  if (coordinates == "natural" && found.counts_turns && is_tree_of_joints(model)) return "joint";
  if (coordinates != "joint" || is_choice_implicit || found.is_stiff) return {};
  if (is_small(model) || is_minimal(wanted.formulation)) return {};
  if (may_take_rates(wanted) && found.suits_rates) return {};
  return "natural";
}

Findings find_out(const Model& model, const Evaluator& evaluator, const State& start,
                  const RankReport& rank, double end) {
  const Equations& e = evaluator.equations;
  Findings out;
  out.has_constraints = e.num_rows() > 0;
  out.suits_rates = e.coordinates == "joint" && suits_rates(model);
  out.tree = model.is_planar ? fmt::format("a tree of {} bodies", model.bodies.size() - 1)
                             : "a tree in space";
  out.counts_turns = counts_turns(e);
  if (const auto corner = find_corner(e)) {
    out.is_smooth = false;
    out.rough = *corner == Op::Table ? "a table" : fmt::format("'{}'", operation(*corner).name);
  }
  find_series(evaluator, start, rank, out);
  const Stiffness stiffness = find_stiffness(model, evaluator, start, end);
  out.is_stiff = stiffness.is_stiff;
  out.fastest_decay = stiffness.fastest_decay;
  return out;
}

Choice choose(const Findings& found, const std::string& coordinates, const Wanted& wanted) {
  Choice out{wanted, ""};
  out.coordinates = coordinates;
  const bool open_formulation = wanted.formulation.is_open();
  const bool open_integrator = wanted.integrator.is_open();
  if (open_formulation && open_integrator) {
    if (!found.has_constraints) {
      out.formulation = "minimal";
    } else if (!found.has_series) {
      out.formulation = "ggl";
    } else {
      // Implicit integrators take index 1 in three quarters of the time of ggl, as accurately.
      const bool has_series = found.is_smooth && !found.suits_rates && !found.is_stiff;
      out.formulation = has_series ? "index3" : "index1";
    }
  } else if (open_formulation) {
    out.formulation =
        found.has_constraints ? wanted.integrator.info().formulation : std::string_view("minimal");
  }
  if (open_integrator) out.integrator = integrator_for(out.formulation.info(), found);
  if (is_open(wanted.coordinates) || open_formulation || open_integrator) {
    out.reason = describe(found);
  }
  return out;
}

void check_pair(const Problem& problem, const Integrator& integrator, bool has_step,
                const Shared<Equations>& equations, const State& state) {
  const IntegratorInfo& info = integrator.info();
  const auto reason = why_not(info, problem);
  if (!reason) {
    check_step(info, has_step);
    return;
  }
  std::vector<std::string> good_formulations, good_integrators;
  for (const FormulationInfo& formulation : formulations()) {
    if (formulation.is_free && problem.formulation != formulation.name) continue;
    try {
      const Problem other = formulate(equations, formulation.name, state);
      if (!why_not(info, other)) good_formulations.emplace_back(formulation.name);
    } catch (const Error&) {
      // One that this mechanism does not have.
    }
  }
  for (const IntegratorInfo& other : integrators()) {
    if (!why_not(other, problem)) good_integrators.emplace_back(other.name);
  }
  throw Error("simulate.wrong-pair", *reason + (reason->ends_with('.') ? "" : "."),
              fmt::format("{} goes with the formulations: {}. {} goes with the integrators: {}.",
                          integrator.text(), joined(good_formulations), problem.formulation,
                          joined(good_integrators)))
      .because(Cause::Method);
}

}  // namespace koppel
