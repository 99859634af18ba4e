#include <koppel/equations/derive.hpp>

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/suggest.hpp>
#include <koppel/equations/articulated.hpp>
#include <koppel/equations/force_parts.hpp>
#include <koppel/equations/kinematics.hpp>
#include <koppel/equations/placement.hpp>
#include <koppel/equations/quantities.hpp>
#include <koppel/equations/round_off_rows.hpp>
#include <koppel/equations/units.hpp>
#include <koppel/expr/algebra/structure.hpp>

namespace koppel {
namespace {

using Exprs = std::vector<Expr>;

// A·B, both sparse.
SparseExpr multiply(const SparseExpr& A, const SparseExpr& B) {
  SparseExpr C;
  C.pattern.num_rows = A.pattern.num_rows;
  C.pattern.num_columns = B.pattern.num_columns;
  C.pattern.column_start.assign(1, 0);
  std::vector<Expr> column(static_cast<std::size_t>(A.pattern.num_rows));
  std::vector<int> rows;
  for (std::size_t j = 0; j < static_cast<std::size_t>(B.pattern.num_columns); ++j) {
    rows.clear();
    for (int kb = B.pattern.column_start[j]; kb < B.pattern.column_start[j + 1]; ++kb) {
      const auto k = static_cast<std::size_t>(B.pattern.row[static_cast<std::size_t>(kb)]);
      for (int ka = A.pattern.column_start[k]; ka < A.pattern.column_start[k + 1]; ++ka) {
        const int row = A.pattern.row[static_cast<std::size_t>(ka)];
        column[static_cast<std::size_t>(row)] +=
            A.values[static_cast<std::size_t>(ka)] * B.values[static_cast<std::size_t>(kb)];
        rows.push_back(row);
      }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    for (const int row : rows) {
      Expr& entry = column[static_cast<std::size_t>(row)];
      if (!entry.is_constant(0)) {
        C.pattern.row.push_back(row);
        C.values.push_back(entry);
      }
      entry = 0;
    }
    C.pattern.column_start.push_back(C.pattern.num_entries());
  }
  return C;
}

class Derivation {
 public:
  Derivation(const Model& model, Kinematics kinematics)
      : model_(model), values_(model), k_(std::move(kinematics)) {
    out_.graph = model.graph;
    out_.model = model.name;
    out_.coordinates = k_.set;
    out_.t = model.time;
    const std::size_t first_q = k_.q.size(), first_h = k_.invariants.size();
    quantities_.emplace(model_, k_, values_);
    for (std::size_t i = first_q; i < k_.q.size(); ++i) {  // each with an invariant
      out_.counted.push_back(
          {static_cast<int>(i), static_cast<int>(first_h + i - first_q), Expr(0)});
    }
  }

  Equations run() {
    symbols();
    constraints();
    dynamics();
    observables();
    events();
    out_.kinematics = std::make_shared<const Kinematics>(std::move(k_));
    return std::move(out_);
  }

 private:
  // d/dt of expressions of q, v and t, for v̇ = 0.
  Exprs rate_of(const Exprs& e) const { return koppel::rate_of(k_, model_.time, e); }
  Expr rate_of(Expr e) const { return rate_of(Exprs{e})[0]; }

  // What the user wrote, in coordinates.
  Expr resolve(Expr e) const { return quantities_->resolve(e); }

  void symbols() {
    out_.q = k_.q;
    out_.v = k_.v;
    out_.about.q = k_.about_q;
    out_.about.v = k_.about_v;
    out_.q_guess = k_.q_guess;
    out_.v_guess.assign(k_.v.size(), 0);
    out_.K = jacobian(k_.rate, k_.v);
    out_.h = k_.invariants;
    for (const Parameter& parameter : model_.parameters) {
      out_.p.push_back(parameter.symbol);
      out_.p_value.push_back(parameter.value);
    }
    out_.u = model_.inputs;
    for (std::size_t i = 0; i < out_.u.size(); ++i) {
      const InputLimits& limits = model_.input_limits[i];
      const Equations::Owner owner{Equations::Owner::Kind::Input, static_cast<int>(i),
                                   std::string(out_.u[i].name())};
      out_.about.u.push_back({owner, "", limits.min, limits.max});
    }
    for (const FirstOrder& state : model_.first_order) {
      const Equations::Owner owner{Equations::Owner::Kind::State, static_cast<int>(out_.x.size()),
                                   state.name};
      out_.about.x.push_back({owner});
      out_.x.push_back(state.state);
      out_.r.push_back(resolve(state.rate));
      out_.x_start.push_back(expected_value(model_, values_, state.state));
    }
  }

  void constraints() {
    std::vector<ConstraintRow> rows = k_.internal;
    for (std::size_t i = 0; i < model_.joints.size(); ++i) {
      if (k_.joints[i].is_satisfied) continue;
      const Joint& j = model_.joints[i];
      for (ConstraintRow& row : constraints_of(j, locate(k_, j.a), locate(k_, j.b), k_.joints[i])) {
        row.row.owner.index = static_cast<int>(i);
        rows.push_back(std::move(row));
      }
    }
    for (std::size_t i = 0; i < model_.constraints.size(); ++i) {
      const Constraint& c = model_.constraints[i];
      const Equations::Owner owner{Equations::Owner::Kind::Constraint, static_cast<int>(i), c.name};
      Equations::Row row{c.name, owner};
      row.pulls = c.pulls;
      rows.push_back({std::move(row), resolve(c.residual)});
    }
    Exprs residuals;
    for (const ConstraintRow& row : rows) residuals.push_back(row.residual);
    const SparseExpr by_q = jacobian(residuals, out_.q);
    std::vector<char> is_trivial(rows.size(), true);
    for (const int i : by_q.pattern.row) is_trivial[static_cast<std::size_t>(i)] = false;
    const std::vector<char> is_round_off = rows_of_round_off(model_, k_, rows);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (is_round_off[i]) continue;
      if (is_trivial[i]) {
        check_trivial(rows[i]);
        continue;
      }
      out_.g.push_back(rows[i].residual);
      out_.rows.push_back(std::move(rows[i].row));
    }
    out_.G = multiply(jacobian(out_.g, out_.q), out_.K);
    const Exprs t = {model_.time}, one = {1};
    out_.g_t = time_derivative(out_.g, t, one);
    out_.gamma = rate_of(rate_of(out_.g));

    Exprs nonholonomic;
    for (std::size_t i = 0; i < model_.nonholonomic.size(); ++i) {
      const Constraint& c = model_.nonholonomic[i];
      nonholonomic.push_back(resolve(c.residual));
      const Equations::Owner owner{Equations::Owner::Kind::Nonholonomic, static_cast<int>(i),
                                   c.name};
      Equations::Row row{c.name, owner};
      row.level = Equations::Row::Level::Velocity;
      out_.rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < out_.rows.size(); ++i) out_.rows[i].number = static_cast<int>(i);
    auto form = linear_form(nonholonomic, out_.v);
    if (!form) {
      throw Error("equations.not-linear", "a nonholonomic constraint is not linear in the rates.",
                  "Write it as a(q) v + b(q, t) = 0.");
    }
    out_.a = std::move(form->A);
    out_.b = std::move(form->b);
  }

  // A row without coordinates holds by itself, at all times, or never.
  void check_trivial(const ConstraintRow& row) const {
    constexpr double kRoundOff = 1e-9;  // of metres or of direction cosines, in the data
    const Exprs time = {model_.time};
    const bool moves = depends_on(row.residual, time);
    for (const double t : {0.0, 0.37, 1.9}) {
      ParameterValues values(model_);
      values.set(model_.time, t);
      const double gap = values(row.residual);
      if (std::abs(gap) < kRoundOff) continue;
      throw Error(
          "equations.contradiction",
          fmt::format("'{}' cannot be satisfied by any motion: it is off by {:.6g}{}.",
                      row.row.name, std::abs(gap), moves ? fmt::format(" at t = {:g} s", t) : ""),
          "Check the points and axes of '" + row.row.owner.name + "'.")
          .about(row.row.name);
    }
  }

  void dynamics() {
    // Velocities of masses, their momenta, and the inertia forces at v̇ = 0.
    Exprs w, momentum, inertia_force;
    for (const Inertia& inertia : k_.inertias) {
      const Exprs part = inertia.times(inertia.w);
      w.insert(w.end(), inertia.w.begin(), inertia.w.end());
      momentum.insert(momentum.end(), part.begin(), part.end());
    }
    const Exprs w_rate = rate_of(w);
    std::size_t first = 0;
    out_.kinetic = 0;
    for (const Inertia& inertia : k_.inertias) {
      const std::size_t n = inertia.w.size();
      const auto begin = w_rate.begin() + static_cast<std::ptrdiff_t>(first);
      Exprs part = inertia.times({begin, begin + static_cast<std::ptrdiff_t>(n)});
      for (std::size_t i = 0; i < n; ++i) {
        if (!inertia.gyro.empty()) part[i] += inertia.gyro[i];
        inertia_force.push_back(-part[i]);
        out_.kinetic += 0.5 * (inertia.w[i] * momentum[first + i]);
      }
      first += n;
    }

    // Quantities with efforts, gravity on the centres of mass.
    Exprs rates = w, efforts = std::move(inertia_force), values, value_efforts;
    Origins origins;
    origins.add("inertia", rates.size());
    for (const Force& force : model_.forces) {
      origins.add(force.name, force.actions.size());
      if (force.is_stiff) out_.stiff.push_back(force.name);
      for (const Action& action : force.actions) {
        rates.push_back(quantities_->rate(action.quantity));
        efforts.push_back(resolve(action.effort));
        values.push_back(quantities_->value(action.quantity));
        value_efforts.push_back(efforts.back());
      }
    }
    out_.potential = resolve(model_.potential);
    Expr conservative = out_.potential;  // acts as −dV/dq
    for (std::size_t i = 1; i < model_.bodies.size(); ++i) {
      const Body& b = model_.bodies[i];
      const Vec3e centre = k_.bodies[i].r + k_.bodies[i].R * b.com;
      conservative -= b.mass * dot(model_.gravity, centre);
    }
    out_.potential = conservative;
    for (const Force& force : model_.forces) out_.potential += resolve(force.potential);
    origins.add("potential", 1);
    rates.push_back(rate_of(conservative));
    efforts.push_back(-1);
    values.push_back(conservative);
    value_efforts.emplace_back(-1);
    for (Equations::Counted& counted : out_.counted) {
      const Exprs along = {out_.q[static_cast<std::size_t>(counted.q)]};
      counted.force = vector_times_jacobian(value_efforts, values, along)[0];
    }

    out_.f = vector_times_jacobian(efforts, rates, out_.v);
    Exprs p = vector_times_jacobian(momentum, w, out_.v);
    lagrangian(p);
    out_.M = Lazy<SparseExpr>([p, v = out_.v] { return jacobian(p, v); });
    out_.parts = Lazy<std::vector<Equations::ForcePart>>(
        [origins, rates, efforts, v = out_.v, more = lagrangian_, friction = friction_] {
          return origins.parts(rates, efforts, v, more, friction);
        });
    const bool is_free_tree = !k_.links.empty() && model_.coordinates.empty() && out_.rows.empty();
    if (is_free_tree) out_.v_rate = articulated_accelerations(k_, out_.f);
  }

  // Energies in free coordinates: d/dt ∂T/∂v − ∂T/∂q = −∂D/∂v + …; p and f get their parts.
  void lagrangian(Exprs& p) {
    const Expr T = resolve(model_.kinetic), D = resolve(model_.dissipation);
    out_.kinetic += T;
    Exprs free_q, free_v;
    for (const FreeCoordinate& c : model_.coordinates) {
      free_q.push_back(c.value);
      free_v.push_back(c.rate);
    }
    check_kinetic(T, free_q, free_v);
    const Exprs momentum = gradient(T, free_v), by_q = gradient(T, free_q);
    const Exprs drift = rate_of(momentum);
    for (std::size_t i = 0; i < free_v.size(); ++i) {  // they come first among the velocities
      p[i] += momentum[i];
      lagrangian_.push_back(by_q[i] - drift[i]);
      out_.f[i] += lagrangian_[i];
    }
    friction_ = gradient(D, out_.v);
    for (std::size_t i = 0; i < out_.v.size(); ++i) out_.f[i] -= friction_[i];
  }

  void check_kinetic(Expr T, const Exprs& free_q, const Exprs& free_v) const {
    for (const Expr& symbol : symbols_of(T)) {
      const auto is_in = [&](const Exprs& e) {
        return std::find(e.begin(), e.end(), symbol) != e.end();
      };
      if (is_in(free_q) || is_in(free_v) || is_in(out_.p) || symbol == model_.time) continue;
      throw Error(
          "equations.kinetic-energy",
          "the kinetic energy depends on '" + std::string(symbol.name()) +
              "', which is not one of the model's own coordinates.",
          "Masses of bodies are counted by themselves; write only the energy of coordinates "
          "listed under 'coordinates'.")
          .about(symbol.name());
    }
  }

  void observables() {
    for (const Servo& servo : model_.servos) {
      out_.s.push_back({servo.name, resolve(servo.output)});
      out_.reference.push_back(servo.reference);
    }
    for (const Tracking& tracking : model_.tracking) out_.tracking.push_back(resolve(tracking));
    for (const Output& e : model_.positive) {
      out_.positive.push_back({e.name, resolve(e.value)});
    }
    for (const Output& output : model_.outputs) {
      out_.outputs.push_back({{output.name, resolve(output.value)}, unit_of(model_, output.value)});
    }
    for (std::size_t i = 0; model_.outputs.empty() && i < out_.q.size(); ++i) {
      out_.outputs.push_back({{std::string(out_.q[i].name()), out_.q[i]}, out_.about.q[i].unit});
    }
    for (const Drawn& part : model_.drawing) {
      for (const Vec3e& p : part.points) {
        for (std::size_t i = 0; i < 3; ++i) k_.drawing.push_back(resolve(p[i]));
      }
      if (part.kind == Drawn::Kind::Box) k_.drawing.push_back(resolve(part.turn));
    }
    for (const Initial& initial : model_.initial) {
      const Expr value = resolve(initial.symbol);
      const bool is_state = std::find(out_.x.begin(), out_.x.end(), value) != out_.x.end();
      if (is_state) continue;
      out_.wishes.push_back({value - initial.value, depends_on(value, out_.v), initial.fixed,
                             std::string(initial.symbol.name())});
      set_guess(value, values_(initial.value));
    }
  }

  Equations::Tracking resolve(const Tracking& t) const {
    Equations::Tracking out{.name = t.name,
                            .outputs = {},
                            .targets = {},
                            .forces = {},
                            .method = t.method,
                            .rho0 = t.rho0,
                            .rho1 = t.rho1,
                            .max_force = t.max_force,
                            .max_acceleration = t.max_acceleration,
                            .max_speed = t.max_speed,
                            .response = t.response,
                            .is_active = t.is_active,
                            .compensates = t.compensates};
    for (std::size_t i = 0; i < t.outputs.size(); ++i) {
      out.outputs.push_back(resolve(t.outputs[i]));
      out.targets.push_back(resolve(t.targets[i]));
      const auto x = std::find(out_.x.begin(), out_.x.end(), t.forces[i]);
      out.forces.push_back(static_cast<std::size_t>(x - out_.x.begin()));
    }
    return out;
  }

  void events() {
    for (const Event& event : model_.events) {
      Equations::Event out;
      out.name = event.name;
      out.when = resolve(event.when);
      out.when_rate = rate_of(out.when);
      out.direction = event.direction;
      out.stops = event.stops;
      out.restitution = event.restitution;
      for (const Event::Change& change : event.changes) {
        const auto place = std::find(out_.p.begin(), out_.p.end(), change.parameter);
        out.changes.emplace_back(static_cast<std::size_t>(place - out_.p.begin()),
                                 resolve(change.value));
      }
      for (const Action& impulse : event.impulses) {
        out.impulse_rates.push_back(quantities_->rate(impulse.quantity));
        out.impulses.push_back(resolve(impulse.effort));
      }
      out_.events.push_back(std::move(out));
    }
  }

  // A wish for a coordinate or a velocity itself is its guess.
  void set_guess(Expr symbol, double value) {
    for (std::size_t i = 0; i < out_.q.size(); ++i) {
      if (out_.q[i] == symbol) out_.q_guess[i] = value;
    }
    for (std::size_t i = 0; i < out_.v.size(); ++i) {
      if (out_.v[i] == symbol) out_.v_guess[i] = value;
    }
  }

  const Model& model_;
  ParameterValues values_;
  Kinematics k_;
  std::optional<Quantities> quantities_;
  Exprs lagrangian_, friction_;  // parts of f: ∂T/∂q − …, and ∂D/∂v
  Equations out_;
};

// Whether bodies have frames of points and vectors, whose components are the coordinates.
bool has_own_points(const Model& model) {
  return std::any_of(model.bodies.begin(), model.bodies.end(),
                     [](const Body& body) { return !body.frame.empty(); });
}

// A coordinate set: which models it describes, and how.
struct CoordinateSet {
  const char* name;
  bool (*suits)(const Model&);
  Kinematics (*make)(const Model&);
  bool places = false;  // takes the expected start from the placement by itself
};

bool is_lagrangian(const Model& model) { return model.bodies.size() == 1; }
bool has_bodies(const Model& model) { return !is_lagrangian(model) && !has_own_points(model); }

// The first that suits is the default of derive.
constexpr CoordinateSet kSets[] = {
    {"lagrange", is_lagrangian, [](const Model& m) { return start_kinematics(m, "lagrange"); }},
    {"absolute", has_bodies, [](const Model& m) { return make_absolute(m, false); }},
    {"joint", has_bodies, make_joint, true},
    {"natural", [](const Model& m) { return !is_lagrangian(m); }, make_natural},
    {"directors", has_bodies, make_directors},
    {"cardan", [](const Model& m) { return has_bodies(m) && !m.is_planar; },
     [](const Model& m) { return make_absolute(m, true); }}};

}  // namespace

std::vector<std::string> coordinate_sets(const Model& model) {
  std::vector<std::string> names;
  for (const CoordinateSet& set : kSets) {
    if (set.suits(model)) names.emplace_back(set.name);
  }
  return names;
}

namespace {

const CoordinateSet& find_set(const Model& model, const std::string& name) {
  for (const CoordinateSet& set : kSets) {
    if (set.name == name && set.suits(model)) return set;
  }
  std::string all;
  for (const std::string& set : coordinate_sets(model)) all += (all.empty() ? "" : ", ") + set;
  throw Error("equations.unknown-coordinates",
              "'" + model.name + "' has no equations in '" + name + "' coordinates.",
              has_own_points(model)
                  ? "Its coordinates are the points and vectors of its frames: natural ones. For "
                    "others, give its bodies a position and join them."
                  : "It can have: " + all + ".")
      .because(Cause::Method);
}

}  // namespace

Equations derive(const Model& model, const std::string& coordinates) {
  const std::string set = coordinates.empty() ? coordinate_sets(model)[0] : coordinates;
  const Model placed = placed_for(model, set);
  return Derivation(placed, make_kinematics(placed, set)).run();
}

Kinematics make_kinematics(const Model& model, const std::string& set) {
  return find_set(model, set).make(model);
}

Model placed_for(const Model& model, const std::string& set) {
  return find_set(model, set).places ? model : carried_along_joints(model);
}

}  // namespace koppel
