// Mechanism: a model built in code, as one writes it in a file.
//
//   Mechanism m("double pendulum", Plane::XY);
//   m.gravity(0, -9.81);
//   RodHandle upper = m.add_rod("upper", {.mass = 1, .length = 1});
//   RodHandle lower = m.add_rod("lower", {.mass = 1, .length = 1});
//   m.add("hip", Revolute{.between = {m.ground(), upper.start()}});
//   JointHandle knee = m.add("knee", Revolute{.between = {upper.end(), lower.start()}});
//   knee.angle().start(0.3);
//   Simulation s = simulate(m.model(), {.end = 10});
//
// The elements are those of model files, with the same fields (elements/list.hpp). What is added is
// known by a handle, which stands for a point, a coordinate or an expression wherever one is asked
// for. Joints need no arithmetic of places: assembly puts the bodies where they hold. Mistakes are
// collected; model() throws them all as one Error.
//
// A model that was read goes on as a mechanism: a robot with what it carries, say.
//
//   Mechanism m(read_model("arm.yaml"));
//   m.add("grasp", Fixed{.between = {m.body("arm.tool0"), load}});
#pragma once

#include <concepts>
#include <initializer_list>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/model/elements/list.hpp>
#include <koppel/model/model.hpp>
#include <koppel/model/smooth_curve.hpp>

namespace koppel {

class Mechanism;

enum class Plane { XY };  // of planar mechanisms

// A quantity of the motion: an expression, with a rate and a value at the start.
class QuantityHandle {
 public:
  QuantityHandle(Mechanism& mechanism, int quantity) : m_(&mechanism), quantity_(quantity) {}

  Expr value() const;
  Expr rate() const;
  operator Expr() const { return value(); }            // NOLINT(google-explicit-constructor)
  operator Coordinate() const { return {quantity_}; }  // NOLINT(google-explicit-constructor)
  operator Observed() const { return {quantity_}; }    // NOLINT(google-explicit-constructor)

  // At the start: exactly, or as near as the mechanism allows.
  const QuantityHandle& start(Expr value) const;
  const QuantityHandle& start_rate(Expr value) const;
  const QuantityHandle& start_near(Expr value) const;

 private:
  const QuantityHandle& wish(Expr symbol, Expr value, bool is_fixed) const;

  Mechanism* m_;
  int quantity_;
};

// A body; as a place, its origin.
class BodyHandle {
 public:
  BodyHandle(Mechanism& mechanism, int body) : m_(&mechanism), body_(body) {}

  operator Place() const { return {.body = body_}; }  // NOLINT
  Place point(Expr x, Expr y, Expr z = 0) const;
  // One that has a name. Throws Error `model.unknown-name`. Its coordinates: measure("tip.x").
  Place point(const std::string& name) const;
  // Where it is expected at the start; what joints say comes first.
  const BodyHandle& place(Expr x, Expr y, Expr z = 0) const;
  const BodyHandle& turn(Expr angle, const Direction& axis = {0, 0, 1}) const;

  QuantityHandle x() const { return measure("x"); }
  QuantityHandle y() const { return measure("y"); }
  QuantityHandle z() const { return measure("z"); }
  QuantityHandle angle() const { return measure("angle"); }  // in the plane
  // Any that model files know: roll, wx, …
  QuantityHandle measure(std::string_view member) const;
  int index() const { return body_; }

 protected:
  Mechanism* m_;
  int body_;
};

// A rod along the x axis of its body, with the points "start" and "end".
class RodHandle : public BodyHandle {
 public:
  RodHandle(Mechanism& mechanism, int body, Expr length)
      : BodyHandle(mechanism, body), length_(length) {}
  Place start() const { return point(0, 0); }
  Place end() const { return point(length_, 0); }

 private:
  Expr length_;
};

// A joint or a force.
class ElementHandle {
 public:
  ElementHandle(Mechanism& mechanism, std::string name) : m_(&mechanism), name_(std::move(name)) {}

  QuantityHandle angle() const { return measure("angle"); }
  QuantityHandle position() const { return measure("position"); }
  QuantityHandle length() const { return measure("length"); }
  QuantityHandle measure(std::string_view member) const;
  const std::string& name() const { return name_; }

 private:
  Mechanism* m_;
  std::string name_;
};
using JointHandle = ElementHandle;
using ForceHandle = ElementHandle;

struct BodyOptions {
  Expr mass = 0;
  Vec3e com = {};
  // Moments about the centre of mass: in the plane the last one only; then products xy, xz, yz.
  std::vector<Expr> inertia = {};
  bool is_point = false;  // a point mass
};
struct RodOptions {
  Expr mass = 0;
  Expr length = 1;
};

class Mechanism {
 public:
  explicit Mechanism(std::string name);  // in space
  Mechanism(std::string name, Plane plane);
  explicit Mechanism(Model model);       // what was read, to be added to
  Mechanism(const Mechanism&) = delete;  // handles refer to it
  Mechanism& operator=(const Mechanism&) = delete;

  void gravity(Expr x, Expr y, Expr z = 0) { model_.gravity = {x, y, z}; }
  Expr time() const { return model_.time; }
  Expr parameter(std::string_view name, double value);
  Expr input(std::string_view name, InputLimits limits = {});

  BodyHandle ground() { return {*this, kGround}; }
  // What is there by this name. Throws Error `model.unknown-name`, with a suggestion.
  BodyHandle body(const std::string& name);
  JointHandle joint(const std::string& name);
  BodyHandle add_body(std::string_view name, const BodyOptions& options);
  // A thin homogeneous rod, its origin at one end.
  RodHandle add_rod(std::string_view name, const RodOptions& options);

  // A body as files describe it, by its shapes (elements/shapes.hpp), density, named points, …
  template <typename... S>
  BodyHandle add(std::string_view name, BodyElement body, const S&... shapes) {
    static_assert((ShapeElements::has<S>() && ...), "no shape");
    ModelWriter writer = writer_for(name, "body");
    (add_shape(body, shapes.make(writer)), ...);
    return add_made(body, writer);
  }

  // An element of elements/list.hpp. A signal is known by its name: m["way.x"].
  template <typename E>
  requires(!std::same_as<E, BodyElement>) ElementHandle
      add(std::string_view name, const E& element) {
    constexpr bool kIsOther = OtherElements::has<E>() || DrawingElements::has<E>();
    static_assert(
        JointElements::has<E>() || ForceElements::has<E>() || SignalElements::has<E>() || kIsOther,
        "no element of models");
    ModelWriter writer = writer_for(name, kIsOther                   ? E::kInfo.type
                                          : SignalElements::has<E>() ? "signal"
                                          : JointElements::has<E>()  ? "joint"
                                                                     : "force");
    if constexpr (requires { element.announce(writer); }) element.announce(writer);
    if (!writer.is_rejected()) add_element(element, writer);
    signals_.insert(writer.signals.begin(), writer.signals.end());
    return {*this, std::string(name)};
  }
  // What will be known by this name, for expressions of an element's own quantities: a spring's
  // tension of m.symbol("spring.length").
  Expr symbol(std::string_view name) { return model_.graph->symbol(name); }

  // What is kept zero: of quantities and time; and linear in rates.
  void constrain(std::string_view name, Expr residual);
  void constrain_rates(std::string_view name, Expr residual);

  // Coordinates of one's own, and the energies of what they describe (a Lagrangian model).
  QuantityHandle coordinate(std::string_view name);
  void kinetic(Expr energy) { model_.kinetic += energy; }
  void potential(Expr energy) { model_.potential += energy; }
  void dissipation(Expr power) { model_.dissipation += power; }

  // A state x with x' = rate, which may depend on x: give it by rate_of.
  Expr state(std::string_view name, Expr start = 0);
  void rate_of(Expr state, Expr rate);

  // Functions by points.
  // A table of one variable: m.table("r", TableData::spline(x, y))(angle).
  Table table(std::string_view name, const TableData& data) {
    return model_.graph->add_table(name, data);
  }
  // A curve through way-points, with `smoothness` continuous derivatives.
  Expr spline(std::string_view name, Expr of, std::span<const double> at,
              std::span<const double> through, int smoothness = 4,
              CurveEnds ends = CurveEnds::Rest);
  // A smooth curve of time within `tolerance` of samples. Throws Error `model.bad-value` where
  // there is none.
  Expr near_samples(std::string_view name, std::span<const double> t, std::span<const double> y,
                    double tolerance, int smoothness = 4, CurveEnds ends = CurveEnds::Rest);

  // Points and vectors of one's own, whose components are coordinates; and a body whose frame
  // follows from them (Model::set_frame).
  ElementHandle add_point(std::string_view name, Expr x, Expr y, Expr z = 0);
  ElementHandle add_vector(std::string_view name, Expr x, Expr y, Expr z = 0);
  void frame(const BodyHandle& body, std::initializer_list<ElementHandle> list);

  void output(std::string_view name, Expr value);
  void servo(std::string_view name, Expr output, Expr reference);
  // The body turns about one axis from an orientation to another, as `law` goes from 0 to 1.
  void servo_attitude(std::string_view name, const BodyHandle& of, const Mat3<double>& from,
                      const Mat3<double>& to, Expr law);
  void positive(std::string_view name, Expr value);
  void event(Event event) { model_.events.push_back(std::move(event)); }
  RunSettings& run() { return model_.run; }

  // By the name that it has in model files: knee.angle, rod.x', a parameter, a signal.
  // Throws Error `model.unknown-name`.
  Expr operator[](const std::string& name);

  // Throws Error with all mistakes.
  const Model& model() const;

 private:
  friend class QuantityHandle;
  friend class BodyHandle;
  friend class ElementHandle;
  ModelWriter writer_for(std::string_view name, std::string_view kind);
  QuantityHandle measure(const std::string& name);
  static void add_shape(BodyElement& body, std::optional<Solid> solid);
  BodyHandle add_made(const BodyElement& body, ModelWriter& writer);
  Body& body_at(int index) { return model_.bodies[static_cast<std::size_t>(index)]; }

  Model model_;
  ParameterValues values_;
  std::vector<Diagnostic> mistakes_;
  std::map<std::string, Expr> signals_;
};

}  // namespace koppel
