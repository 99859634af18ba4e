// What can be told to be wrong with a model without mathematics: names, indices, masses, inertias,
// axes, and which names stand in which expressions.
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/elements/joint_law.hpp>
#include <koppel/model/number_checks.hpp>
#include <koppel/model/point_masses.hpp>

namespace koppel {
namespace {

std::string quoted(const char* kind, const std::string& name) {
  return std::string(kind) + " '" + name + "'";
}

class Validator {
 public:
  explicit Validator(const Model& model) : model_(model) {}

  std::vector<Diagnostic> run() {
    check_names();
    check_expressions();
    if (mistakes_.empty()) mistakes_ = find_turned_point_masses(model_);
    if (!mistakes_.empty()) return std::move(mistakes_);
    check_numbers();  // needs symbols that are known
    for (const Joint& joint : model_.joints) check_ends(joint);
    return std::move(mistakes_);
  }

 private:
  void report(const Location& where, const char* id, std::string message, std::string hint = {}) {
    Location place = where;
    if (place.file.empty()) place.file = model_.file;
    mistakes_.push_back({id, std::move(message), std::move(hint), std::move(place), {}});
  }

  bool has_body(int body) const {
    return body >= 0 && static_cast<std::size_t>(body) < model_.bodies.size();
  }

  // Bodies, joints and forces share their names; so do parameters, inputs, coordinates and states.
  void check_names() {
    std::unordered_set<std::string> elements, plain, others;
    const auto claim = [&](auto& used, const char* kind, const std::string& name,
                           const Location& where) {
      if (name.empty()) report(where, "model.bad-name", std::string("a ") + kind + " has no name.");
      if (!used.insert(name).second) {
        report(where, "model.duplicate-name",
               "the name of " + quoted(kind, name) + " is used before.");
      }
    };
    for (const Body& body : model_.bodies) claim(elements, "body", body.name, body.where);
    for (const Joint& joint : model_.joints) claim(elements, "joint", joint.name, joint.where);
    for (const Force& force : model_.forces) claim(elements, "force", force.name, force.where);
    for (const PointOrVector& e : model_.elements) {
      claim(elements, e.is_point ? "point" : "vector", e.name, e.where);
    }
    plain.insert("t");
    for (const Parameter& p : model_.parameters)
      claim(plain, "parameter", std::string(p.symbol.name()), {});
    for (const Expr& input : model_.inputs) claim(plain, "input", std::string(input.name()), {});
    for (const FreeCoordinate& c : model_.coordinates) claim(plain, "coordinate", c.name, c.where);
    for (const FirstOrder& f : model_.first_order) claim(plain, "state", f.name, f.where);
    for (const Constraint& c : model_.constraints) claim(others, "constraint", c.name, c.where);
    for (const Constraint& c : model_.nonholonomic) claim(others, "constraint", c.name, c.where);
    others.clear();
    for (const Output& o : model_.outputs) claim(others, "output", o.name, o.where);
    others.clear();
    for (const Servo& s : model_.servos) claim(others, "servo constraint", s.name, s.where);
    others.clear();
    for (const Event& e : model_.events) claim(others, "event", e.name, e.where);
    others.clear();
    for (const Tracking& t : model_.tracking) claim(others, "tracking", t.name, t.where);
  }

  enum Class : unsigned {
    kParameter = 1,
    kTime = 2,
    kValue = 4,
    kRate = 8,
    kInput = 16,
    kState = 32
  };

  // Every symbol of an expression must be of an allowed class.
  void check(Expr e, unsigned allowed, const std::string& what, const Location& where) {
    if (e.is_constant()) return;
    for (const Expr& symbol : symbols_of(e)) {
      const auto it = class_of_.find(symbol.id());
      if (it == class_of_.end()) {
        report(where, "model.unknown-name",
               what + " has the unknown name '" + std::string(symbol.name()) + "'.");
      } else if ((it->second & allowed) == 0) {
        const char* const kind = it->second == kTime    ? "the time"
                                 : it->second == kValue ? "a quantity"
                                 : it->second == kRate  ? "a rate"
                                 : it->second == kInput ? "an input"
                                                        : "a state";
        report(where, "model.name-not-allowed",
               what + " must not depend on '" + std::string(symbol.name()) + "', " + kind + ".");
      }
    }
  }
  void check(const Vec3e& v, const std::string& what, const Location& where) {
    for (std::size_t i = 0; i < 3; ++i) check(v[i], kParameter, what, where);
  }

  void check_expressions() {
    for (const Parameter& p : model_.parameters) class_of_[p.symbol.id()] = kParameter;
    class_of_[model_.time.id()] = kTime;
    for (const Quantity& q : model_.quantities) {
      class_of_[q.value.id()] = kValue;
      class_of_[q.rate.id()] = kRate;
    }
    for (const Expr& input : model_.inputs) class_of_[input.id()] = kInput;
    for (const FirstOrder& f : model_.first_order) class_of_[f.state.id()] = kState;
    constexpr unsigned kAll = kParameter | kTime | kValue | kRate | kInput | kState;
    constexpr unsigned kPosition = kParameter | kTime | kValue;

    check(model_.gravity, "gravity", {});
    for (const Body& body : model_.bodies) {
      const std::string what = quoted("body", body.name);
      check(body.mass, kParameter, "the mass of " + what, body.where);
      check(body.com, "the centre of mass of " + what, body.where);
      check(body.position, "the position of " + what, body.where);
      for (std::size_t i = 0; i < 3; ++i) {
        check(body.inertia.column[i], "the inertia of " + what, body.where);
        check(body.rotation.column[i], "the rotation of " + what, body.where);
      }
    }
    for (const PointOrVector& e : model_.elements) {
      const std::string what = quoted(e.is_point ? "point" : "vector", e.name);
      for (std::size_t i = 0; i < 3; ++i) check(e.value[i], kParameter | kValue, what, e.where);
    }
    for (const Joint& joint : model_.joints) {
      const std::string what = quoted("joint", joint.name);
      if (!joint.law) {
        report(joint.where, "model.bad-joint", what + " has no law: it says nothing.");
        continue;
      }
      for (const JointLaw::Term& term : joint.law->terms()) {
        check(term.value, term.may_change ? kParameter | kTime : kParameter,
              "the " + std::string(term.name) + " of " + what, joint.where);
      }
      for (const Marker* marker : {&joint.a, &joint.b}) {
        check(marker->point, what, joint.where);
        for (std::size_t i = 0; i < 3; ++i) check(marker->axes.column[i], what, joint.where);
      }
    }
    for (const Force& force : model_.forces) {
      const std::string what = quoted("force", force.name);
      for (const Action& action : force.actions) {
        if (action.quantity < 0 ||
            static_cast<std::size_t>(action.quantity) >= model_.quantities.size()) {
          report(force.where, "model.unknown-name",
                 what + " acts on a quantity that is not there.");
        }
        check(action.effort, kAll, what, force.where);
      }
      check(force.potential, kPosition, "the potential of " + what, force.where);
    }
    for (const Constraint& c : model_.constraints) {
      check(c.residual, kPosition, quoted("constraint", c.name), c.where);
      check_is_about_something(c);
    }
    std::vector<Expr> rates;
    for (const Quantity& q : model_.quantities) rates.push_back(q.rate);
    for (const Constraint& c : model_.nonholonomic) {
      const std::string what = quoted("constraint", c.name);
      check(c.residual, kPosition | kRate, what, c.where);
      check_is_about_something(c);
      if (!is_linear(c.residual, rates)) {
        report(c.where, "model.not-linear", what + " is not linear in the rates.",
               "A nonholonomic constraint is a sum of rates times functions of position and time.");
      }
    }
    check(model_.kinetic, kPosition | kRate, "the kinetic energy", {});
    check(model_.potential, kPosition, "the potential energy", {});
    check(model_.dissipation, kPosition | kRate, "the dissipation function", {});
    for (const FirstOrder& f : model_.first_order)
      check(f.rate, kAll, quoted("state", f.name), f.where);
    for (const Output& o : model_.outputs) check(o.value, kAll, quoted("output", o.name), o.where);
    for (const Output& o : model_.positive) {
      check(o.value, kPosition, "the positive expression '" + o.name + "'", o.where);
    }
    for (const Servo& s : model_.servos) {
      check(s.output, kPosition, "the output of " + quoted("servo constraint", s.name), s.where);
      check(s.reference, kParameter | kTime,
            "the reference of " + quoted("servo constraint", s.name), s.where);
    }
    for (const Tracking& t : model_.tracking) {
      const std::string what = quoted("tracking", t.name);
      for (const Expr& output : t.outputs) {
        check(output, kPosition, "the output of " + what, t.where);
      }
      for (const Expr& target : t.targets) {
        check(target, kAll & ~static_cast<unsigned>(kRate), "what " + what + " follows", t.where);
      }
      for (const Expr& number : {t.rho0, t.rho1, t.max_force, t.max_acceleration, t.max_speed,
                                 t.response, t.is_active}) {
        check(number, kParameter | kTime | kInput, what, t.where);
      }
    }
    for (const Event& e : model_.events) check_event(e, kAll, kPosition);
    for (const Initial& i : model_.initial) {
      const std::string what = "the initial value of '" + std::string(i.symbol.name()) + "'";
      check(i.symbol, kValue | kRate | kState, what, i.where);
      check(i.value, kParameter, what, i.where);
    }
  }

  void check_event(const Event& event, unsigned all, unsigned position) {
    const std::string what = quoted("event", event.name);
    const bool is_impact = event.restitution.has_value();
    check(event.when, is_impact ? position : all, "the condition of " + what, event.where);
    if (event.when.is_constant()) {
      report(event.where, "model.bad-event", "the condition of " + what + " never changes.");
    }
    if (is_impact) {
      check(*event.restitution, kParameter, "the restitution of " + what, event.where);
    }
    for (const Event::Change& change : event.changes) {
      const auto it = class_of_.find(change.parameter.id());
      if (it == class_of_.end() || it->second != kParameter) {
        report(event.where, "model.bad-event", what + " changes something that is no parameter.");
      }
      check(change.value, all, "a change by " + what, event.where);
    }
    for (const Action& impulse : event.impulses) {
      check(impulse.effort, all, "an impulse of " + what, event.where);
    }
  }

  void check_is_about_something(const Constraint& c) {
    const std::vector<Expr> symbols = symbols_of(c.residual);
    const bool moves = std::any_of(symbols.begin(), symbols.end(), [&](Expr symbol) {
      const auto it = class_of_.find(symbol.id());
      return it == class_of_.end() || (it->second & (kValue | kRate)) != 0;
    });
    if (!moves) {
      report(c.where, "model.empty-constraint",
             quoted("constraint", c.name) + " does not depend on any quantity.");
    }
  }

  void check_ends(const Joint& joint) {
    const std::string what = quoted("joint", joint.name);
    if (!has_body(joint.a.body) || !has_body(joint.b.body)) {
      report(joint.where, "model.unknown-body", what + " is between bodies that are not there.");
    } else if (joint.a.body == joint.b.body) {
      report(joint.where, "model.self-joint",
             what + " joins body '" + model_.bodies[static_cast<std::size_t>(joint.a.body)].name +
                 "' to itself.");
    }
  }

  void check_numbers() {
    const NumberChecks checks(model_);
    NumberChecks::Work work = checks.make_work(Uses::Few);
    std::vector<double> values;
    for (const Parameter& p : model_.parameters) values.push_back(p.value);
    for (Diagnostic& fault : checks(values, work)) mistakes_.push_back(std::move(fault));
  }

  const Model& model_;
  std::vector<Diagnostic> mistakes_;
  std::unordered_map<NodeId, unsigned> class_of_;
};

}  // namespace

void Model::validate() const {
  std::vector<Diagnostic> mistakes = Validator(*this).run();
  if (!mistakes.empty()) throw Error(std::move(mistakes));
}

}  // namespace koppel
