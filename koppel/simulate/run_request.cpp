#include <koppel/simulate/run_request.hpp>

#include <charconv>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/native.hpp>

namespace koppel {
namespace {

template <typename Items>
std::string auto_and(const Items& items) {
  std::string out = "auto";
  for (const auto& item : items) out += ", " + std::string(item.name);
  return out;
}

template <typename T>
std::optional<T> number_of(const std::string& text) {
  T number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && rest == end ? std::optional(number) : std::nullopt;
}

bool is_projection(const std::string& text) { return read_projection(text).has_value(); }
bool is_native(const std::string& text) { return read_native(text).has_value(); }
bool is_health(const std::string& text) {
  return text == "off" || number_of<double>(text).value_or(0) > 0;
}
bool is_samples(const std::string& text) {
  return text == "steps" || number_of<int>(text).value_or(0) >= 2;
}

Integrator integrator_of(const MethodRequest& method, const Integrator& unless_given) {
  Integrator out = method.integrator.empty() ? unless_given : Integrator(method.integrator);
  const std::string stiff = method.stiff.empty() ? "" : "stiff=" + method.stiff;
  for (const std::string& part : {method.jacobian, method.updates, stiff}) {
    if (part.empty()) continue;
    if (out.is_open() && !out.wants_fixed_cost()) out = "linear-implicit";
    if (!out.is_fixed_cost()) {
      throw Error("simulate.bad-option",
                  "integrator '" + out.text() + "' has no variant '" + part + "'.",
                  "`jacobian`, `updates` and `stiff` belong to `integrator = linear-implicit`; "
                  "`updates` to explicit-euler too, `stiff` to rosenbrock.");
    }
    out.add_variant(part);
  }
  return out;
}

}  // namespace

const OptionTable& MethodRequest::options() {
  using O = MethodRequest;
  static const OptionTable kOptions = {
      {{.name = "formulation", .text = "Formulation: " + auto_and(formulations()), .value = "F"},
       &O::formulation},
      {{.name = "projection",
        .text = "Projection onto the constraints after each step: none, once, full (default)",
        .value = "P",
        .is_known = &is_projection,
        .expected = "It is one of: none, once, full."},
       &O::projection},
      {{.name = "integrator",
        .text = "Integrator: " + auto_and(integrators()) +
                "; fixed-cost chooses one with fixed-cost steps",
        .value = "I"},
       &O::integrator},
      {{.name = "jacobian",
        .text = "Jacobian of linear-implicit: exact (default), J1, J2, J3",
        .value = "J"},
       &O::jacobian},
      {{.name = "updates",
        .text = "Order of updates in linear-implicit and explicit-euler: positions-first "
                "(default), velocities-first, new-positions",
        .value = "U"},
       &O::updates},
      {{.name = "stiff",
        .text = "Forces that linear-implicit and rosenbrock treat implicitly, by name; all "
                "(default, unless the model says otherwise), or auto: those that stability "
                "requires",
        .value = "NAMES"},
       &O::stiff},
      {{.name = "baumgarte",
        .text = "Baumgarte parameter times the step",
        .value = "EPS",
        .unless_given = "0.2"},
       &O::baumgarte},
      {{.name = "step", .text = "Fixed step", .value = "H", .unit = "s"}, &O::step}};
  return kOptions;
}

void MethodRequest::apply_to(SimulateOptions& options) const {
  if (step) options.step = step;
  if (!formulation.empty()) options.formulation = formulation;
  options.integrator = integrator_of(*this, options.integrator);
  options.baumgarte = baumgarte;
  options.projection = read_projection(projection).value_or(Method{}.projection);
}

const OptionTable& NativeRequest::options() {
  static const OptionTable kOptions = {
      {{.name = "native",
        .text = "What evaluates the equations: jit, machine code made at once; cc, the C "
                "compiler; off, the interpreter; auto (default): jit where it pays and the system "
                "allows it",
        .value = "CODE",
        .is_known = &is_native,
        .expected = "It is one of: auto, jit, cc, off."},
       &NativeRequest::text}};
  return kOptions;
}

Native NativeRequest::native() const { return read_native(text).value_or(Native::Auto); }

const OptionTable& HealthRequest::options() {
  static const OptionTable kOptions = {
      {{.name = "health",
        .text = "Relax the limits of a healthy run by this factor, or 'off'",
        .value = "X",
        .is_known = &is_health,
        .expected =
            "It is 'off', or a positive factor by which the limits are loosened, such as 10.",
        .python_type = "Union[float, str, None]"},
       &HealthRequest::text}};
  return kOptions;
}

HealthOptions HealthRequest::health() const {
  if (text.empty()) return {};
  if (text == "off") return {.is_watched = false};
  return {.loosen = number_of<double>(text).value_or(1)};
}

Option samples_option(OptionMember member) {
  return {{.name = "samples",
           .text = "Number of equally spaced rows (default: 1001), or 'steps' for one per step",
           .value = "N",
           .is_known = &is_samples,
           .expected = "Give a whole number from 2 on, or 'steps' for a row at every step.",
           .unknown = "is not a number of samples",
           .python_type = "Union[int, str, Sequence[float], None]"},
          member};
}

Sampling sampling_of(const std::string& samples, Sampling unless_given) {
  if (samples == "steps") {
    unless_given.every_step = true;
  } else if (!samples.empty()) {
    unless_given.count = number_of<int>(samples).value_or(unless_given.count);
  }
  return unless_given;
}

Option coordinates_option(OptionMember member) {
  return {{.name = "coordinates",
           .text = "Coordinates: absolute, cardan, joint, natural, directors; lagrange for models "
                   "without bodies",
           .value = "SET"},
          member};
}

Option end_option(OptionMember member, std::string unless_given) {
  return {{.name = "end",
           .text = "End time",
           .value = "T",
           .unit = "s",
           .unless_given = std::move(unless_given)},
          member};
}

Option tolerance_option(OptionMember member) {
  return {{.name = "tolerance",
           .text = "Error tolerance of a step",
           .value = "X",
           .unless_given = "1e-8",
           .typed = "tol"},
          member};
}

const OptionTable& RunRequest::options() {
  using O = RunRequest;
  static const OptionTable kOptions =
      OptionTable{coordinates_option(&O::coordinates), end_option(&O::end)} + within(&O::method) +
      OptionTable{tolerance_option(&O::tolerance),
                  {{.name = "order",
                    .text = "Order of Taylor series",
                    .value = "N",
                    .unless_given = "from the tolerance"},
                   &O::order},
                  samples_option(&O::samples)} +
      within(&O::health) +
      OptionTable{
          {{.name = "reactions",
            .text = "Add columns for joint forces and torques, in world axes (default) or the "
                    "joint's axes",
            .value = "[=world|joint]",
            .words = {"world", "joint"},
            .alone = "world"},
           &O::reactions},
          {{.name = "derivatives",
            .text = "Add columns for the time derivatives of the outputs, up to this order",
            .value = "N"},
           &O::derivatives}} +
      within(&O::native);
  return kOptions;
}

SimulateOptions RunRequest::options_for(const Model& model) const {
  SimulateOptions out = options_of(model);
  if (!coordinates.empty()) out.coordinates = coordinates;
  method.apply_to(out);
  if (end) out.end = *end;
  if (tolerance) out.tolerance = *tolerance;
  if (tolerance && !method.step) out.step.reset();
  if (order != 0) out.order = order;
  out.sampling = sampling_of(samples, out.sampling);
  out.health = health.health();
  if (!reactions.empty()) {
    out.reactions = reactions == "joint" ? ReactionAxes::Joint : ReactionAxes::World;
  }
  out.derivatives = derivatives;
  out.native = native.native();
  return out;
}

}  // namespace koppel
