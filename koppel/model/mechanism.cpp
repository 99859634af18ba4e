#include <koppel/model/mechanism.hpp>

#include <algorithm>

#include <koppel/base/suggest.hpp>
#include <koppel/expr/algebra/piecewise.hpp>
#include <koppel/expr/algebra/structure.hpp>
#include <koppel/model/attitude.hpp>

namespace koppel {
namespace {

template <typename Element>
std::vector<std::string> names_of(const std::vector<Element>& elements) {
  std::vector<std::string> names;
  for (const Element& element : elements) names.push_back(element.name);
  return names;
}

[[noreturn]] void throw_unknown(const std::string& kind, const std::string& name,
                                const std::vector<std::string>& names) {
  const std::string meant = suggest(name, names);
  throw Error("model.unknown-name", "there is no " + kind + " '" + name + "'.",
              meant.empty() ? "" : "Did you mean '" + meant + "'?");
}

}  // namespace

Expr QuantityHandle::value() const { return m_->model_.symbol_of(quantity_, false); }
Expr QuantityHandle::rate() const { return m_->model_.symbol_of(quantity_, true); }

const QuantityHandle& QuantityHandle::wish(Expr symbol, Expr at_start, bool is_fixed) const {
  m_->model_.initial.push_back({symbol, at_start, is_fixed, {}});
  return *this;
}
const QuantityHandle& QuantityHandle::start(Expr at_start) const {
  return wish(value(), at_start, true);
}
const QuantityHandle& QuantityHandle::start_rate(Expr at_start) const {
  return wish(rate(), at_start, true);
}
const QuantityHandle& QuantityHandle::start_near(Expr at_start) const {
  return wish(value(), at_start, false);
}

Place BodyHandle::point(Expr x, Expr y, Expr z) const {
  return {.body = body_, .at = {x, y, z}, .is_origin = false};
}

Place BodyHandle::point(const std::string& name) const {
  std::vector<std::string> names;
  for (const NamedVector& point : m_->body_at(body_).points) {
    if (point.name == name) return {.body = body_, .at = point.value, .is_origin = false};
    names.push_back(point.name);
  }
  throw_unknown("point", name, names);
}

const BodyHandle& BodyHandle::place(Expr x, Expr y, Expr z) const {
  m_->body_at(body_).position = {x, y, z};
  return *this;
}

const BodyHandle& BodyHandle::turn(Expr angle, const Direction& axis) const {
  Body& body = m_->body_at(body_);
  body.rotation = body.rotation * rotation(normalized(axis.value), angle);
  return *this;
}

QuantityHandle BodyHandle::measure(std::string_view member) const {
  return m_->measure(m_->body_at(body_).name + '.' + std::string(member));
}

QuantityHandle ElementHandle::measure(std::string_view member) const {
  return m_->measure(name_ + '.' + std::string(member));
}

Mechanism::Mechanism(std::string name) : values_(model_) { model_.name = std::move(name); }
Mechanism::Mechanism(std::string name, Plane /*plane*/) : Mechanism(std::move(name)) {
  model_.is_planar = true;
}

Mechanism::Mechanism(Model model) : model_(std::move(model)), values_(model_) {}

BodyHandle Mechanism::body(const std::string& name) {
  const int index = model_.find_body(name);
  if (index < 0) throw_unknown("body", name, names_of(model_.bodies));
  return {*this, index};
}

JointHandle Mechanism::joint(const std::string& name) {
  if (model_.find_joint(name) < 0) throw_unknown("joint", name, names_of(model_.joints));
  return {*this, name};
}

Expr Mechanism::parameter(std::string_view name, double value) {
  const Expr symbol = model_.add_parameter(name, value);
  values_.set_parameter(model_.parameters.back());
  return symbol;
}

Expr Mechanism::input(std::string_view name, InputLimits limits) {
  const Expr symbol = model_.add_input(name);
  model_.input_limits.back() = limits;
  return symbol;
}

BodyHandle Mechanism::add_body(std::string_view name, const BodyOptions& options) {
  Body body;
  body.name = name;
  body.mass = options.mass;
  body.com = options.com;
  body.is_point = options.is_point;
  const std::vector<Expr>& I = options.inertia;
  const std::size_t size = I.size();
  if (size == 1 && model_.is_planar) {
    body.inertia(2, 2) = I[0];
  } else if (size == 3 || size == 6) {
    for (std::size_t i = 0; i < 3; ++i) body.inertia(i, i) = I[i];
    constexpr std::size_t kProducts[][2] = {{0, 1}, {0, 2}, {1, 2}};
    for (std::size_t k = 3; k < size; ++k) {
      const auto [i, j] = kProducts[k - 3];
      body.inertia(i, j) = body.inertia(j, i) = I[k];
    }
  } else if (size != 0) {
    mistakes_.push_back(
        {"model.wrong-dimension",
         "inertia of body '" + body.name + "' must be " +
             (model_.is_planar ? "one number." : "three moments, or with the products six."),
         {},
         {},
         {}});
  }
  return {*this, model_.add_body(std::move(body))};
}

void Mechanism::add_shape(BodyElement& body, std::optional<Solid> solid) {
  body.shape.is_given = true;
  if (solid) body.shape.values.push_back(std::move(*solid));
}

BodyHandle Mechanism::add_made(const BodyElement& body, ModelWriter& writer) {
  Body made = body.make(writer, {});
  made.points = body.points.values;
  made.axes = body.axes.values;
  return {*this, model_.add_body(std::move(made))};
}

RodHandle Mechanism::add_rod(std::string_view name, const RodOptions& options) {
  const Expr l = options.length, I = options.mass * l * l / 12;
  const std::vector<Expr> inertia =
      model_.is_planar ? std::vector<Expr>{I} : std::vector<Expr>{0, I, I};
  const BodyHandle rod =
      add_body(name, {.mass = options.mass, .com = {l / 2, 0, 0}, .inertia = inertia});
  Shape line;
  line.kind = Shape::Kind::Line;
  line.points = {{0, 0, 0}, {values_(l), 0, 0}};
  Body& body = body_at(rod.index());
  body.shapes.push_back(std::move(line));
  body.points = {{"start", {}}, {"end", {l, 0, 0}}};
  return {*this, rod.index(), l};
}

ModelWriter Mechanism::writer_for(std::string_view name, std::string_view kind) {
  ModelWriter writer(model_, values_, std::string(name),
                     std::string(kind) + " '" + std::string(name) + "'", {},
                     [this, subject = std::string(name)](std::string_view, Diagnostic d) {
                       d.subject = subject;
                       mistakes_.push_back(std::move(d));
                     });
  writer.note_built_in = [this](Expr e) {
    if (e.is_constant()) return;
    for (const Expr& symbol : symbols_of(e)) {
      for (Parameter& parameter : model_.parameters) {
        if (parameter.symbol == symbol) parameter.is_built_in = true;
      }
    }
  };
  return writer;
}

void Mechanism::constrain(std::string_view name, Expr residual) {
  model_.constraints.push_back({std::string(name), residual, {}});
}

void Mechanism::constrain_rates(std::string_view name, Expr residual) {
  model_.nonholonomic.push_back({std::string(name), residual, {}});
}

QuantityHandle Mechanism::coordinate(std::string_view name) {
  return {*this, model_.add_coordinate(name)};
}

Expr Mechanism::state(std::string_view name, Expr start) {
  const Expr symbol = model_.graph->symbol(name);
  model_.first_order.push_back({std::string(name), symbol, 0, {}});
  model_.initial.push_back({symbol, start, true, {}});
  return symbol;
}

void Mechanism::rate_of(Expr state, Expr rate) {
  const auto it = std::find_if(model_.first_order.begin(), model_.first_order.end(),
                               [&](const FirstOrder& f) { return f.state == state; });
  if (it == model_.first_order.end()) {
    mistakes_.push_back(
        {"model.unknown-name", "a rate is given for what is not a state.", {}, {}, {}});
  } else {
    it->rate = rate;
  }
}

Expr Mechanism::spline(std::string_view name, Expr of, std::span<const double> at,
                       std::span<const double> through, int smoothness, CurveEnds ends) {
  const Curve curve = curve_through(at, through, smoothness, ends);
  return piecewise_polynomial(*model_.graph, name, of, curve.knots, curve.coefficients);
}

Expr Mechanism::near_samples(std::string_view name, std::span<const double> t,
                             std::span<const double> y, double tolerance, int smoothness,
                             CurveEnds ends) {
  const std::optional<NearCurve> near = curve_near(t, y, tolerance, smoothness, ends);
  if (!near) {
    throw Error("model.bad-value", "'" + std::string(name) + "': no curve with " +
                                       std::to_string(smoothness) +
                                       " continuous derivatives is that near to all samples.");
  }
  return piecewise_polynomial(*model_.graph, name, model_.time, near->curve.knots,
                              near->curve.coefficients);
}

ElementHandle Mechanism::add_point(std::string_view name, Expr x, Expr y, Expr z) {
  model_.add_point(name, {x, y, z}, model_.is_planar ? "xy" : "xyz");
  return {*this, std::string(name)};
}

ElementHandle Mechanism::add_vector(std::string_view name, Expr x, Expr y, Expr z) {
  model_.add_vector(name, {x, y, z}, model_.is_planar ? "xy" : "xyz");
  return {*this, std::string(name)};
}

void Mechanism::frame(const BodyHandle& of, std::initializer_list<ElementHandle> list) {
  std::vector<int> indices;
  for (const ElementHandle& handle : list) {
    const auto it = std::find_if(model_.elements.begin(), model_.elements.end(),
                                 [&](const PointOrVector& e) { return e.name == handle.name(); });
    if (it == model_.elements.end()) {
      throw Error("model.unknown-name", "'" + handle.name() + "' is no point or vector.");
    }
    indices.push_back(static_cast<int>(it - model_.elements.begin()));
  }
  model_.set_frame(body_at(of.index()), indices);
}

void Mechanism::output(std::string_view name, Expr value) {
  model_.outputs.push_back({std::string(name), value, {}});
}

void Mechanism::servo(std::string_view name, Expr output, Expr reference) {
  model_.servos.push_back({std::string(name), output, reference, {}});
}

void Mechanism::servo_attitude(std::string_view name, const BodyHandle& of,
                               const Mat3<double>& from, const Mat3<double>& to, Expr law) {
  ModelWriter writer = writer_for(name, "servo constraint");
  add_attitude_servo(writer, of.index(), from, to, law);
}

void Mechanism::positive(std::string_view name, Expr value) {
  model_.positive.push_back({std::string(name), value, {}});
}

Expr Mechanism::operator[](const std::string& name) {
  if (const auto it = signals_.find(name); it != signals_.end()) return it->second;
  if (const std::optional<Expr> symbol = model_.find_symbol(name)) return *symbol;
  throw Error("model.unknown-name",
              "'" + model_.name + "' has nothing by the name '" + name + "'.");
}

QuantityHandle Mechanism::measure(const std::string& name) {
  // Nothing is at hand that could stand for a missing one: it is an error at once.
  model_.find_symbol(name);
  const int quantity = model_.find_quantity(name);
  if (quantity >= 0) return {*this, quantity};
  if (!mistakes_.empty()) throw Error(mistakes_);
  throw Error("model.unknown-name", "'" + model_.name + "' has no quantity '" + name + "'.");
}

const Model& Mechanism::model() const {
  if (!mistakes_.empty()) throw Error(mistakes_);
  model_.validate();
  return model_;
}

}  // namespace koppel
