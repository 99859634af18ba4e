#include "apps/koppel/method_options.hpp"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/formulation/formulation.hpp>
#include <koppel/integrate/integrator.hpp>

namespace koppel::app {
namespace {

template <typename Items>
std::string names_of(const Items& items) {
  std::string out = "auto";
  for (const auto& item : items) out += ", " + std::string(item.name);
  return out;
}

Integrator integrator_of(const MethodOptions& method, const Integrator& of_model) {
  Integrator out = method.integrator.empty() ? of_model : Integrator(method.integrator);
  const std::string stiff = method.stiff.empty() ? "" : "stiff=" + method.stiff;
  for (const std::string& part : {method.jacobian, method.updates, stiff}) {
    if (part.empty()) continue;
    if (out.is_open() && !out.wants_fixed_cost()) out = "linear-implicit";
    if (!out.is_fixed_cost()) {
      throw Error("arguments.wrong",
                  "integrator '" + out.text() + "' has no variant '" + part + "'.",
                  "--jacobian, --updates and --stiff belong to --integrator linear-implicit; "
                  "--updates to explicit-euler too, --stiff to rosenbrock.");
    }
    out.add_variant(part);
  }
  return out;
}

}  // namespace

Projection projection_of(const std::string& text) {
  if (text.empty()) return Method{}.projection;
  if (const std::optional<Projection> read = read_projection(text)) return *read;
  throw Error("arguments.wrong", "--projection '" + text + "' is not known.",
              "It is one of: none, once, full.");
}

std::shared_ptr<MethodOptions> add_method_options(CLI::App& command) {
  auto options = std::make_shared<MethodOptions>();
  command
      .add_option("--formulation", options->formulation, "Formulation: " + names_of(formulations()))
      ->type_name("F");
  command
      .add_option("--projection", options->projection,
                  "Projection onto the constraints after each step: none, once, full (default)")
      ->type_name("P");
  command
      .add_option("--integrator", options->integrator,
                  "Integrator: " + names_of(integrators()) +
                      "; fixed-cost chooses one with fixed-cost steps")
      ->type_name("I");
  command
      .add_option("--jacobian", options->jacobian,
                  "Jacobian of linear-implicit: exact (default), J1, J2, J3")
      ->type_name("J");
  command
      .add_option(
          "--updates", options->updates,
          "Order of updates in linear-implicit and explicit-euler: positions-first (default), "
          "velocities-first, new-positions")
      ->type_name("U");
  command
      .add_option(
          "--stiff", options->stiff,
          "Forces that linear-implicit and rosenbrock treat implicitly, by name; all (default, "
          "unless the model says otherwise), or auto: those that stability requires")
      ->type_name("NAMES");
  command
      .add_option("--baumgarte", options->baumgarte,
                  "Baumgarte parameter times the step (default: 0.2)")
      ->type_name("EPS");
  command.add_option("--step", options->step, "Fixed step, in seconds")->type_name("H");
  return options;
}

void add_native_option(CLI::App& command, Native& native) {
  command
      .add_option_function<std::string>(
          "--native",
          [&native](const std::string& text) {
            const std::optional<Native> read = read_native(text);
            if (!read) {
              throw Error("arguments.wrong", "--native '" + text + "' is not known.",
                          "It is one of: auto, jit, cc, off.");
            }
            native = *read;
            // What is asked for here counts, for all that is evaluated.
            if (native != Native::Auto) {
              ::setenv("KOPPEL_NATIVE", native == Native::Off ? "off" : "", 1);
            }
          },
          "What evaluates the equations: jit, machine code made at once; cc, the C compiler; off, "
          "the interpreter; auto (default): jit where it pays and the system allows it")
      ->type_name("CODE");
}

SimulateOptions simulate_options(const MethodOptions& method, const ModelOptions& given,
                                 const Model& model) {
  SimulateOptions options = options_of(model);
  if (method.step) options.step = method.step;
  if (!given.coordinates.empty()) options.coordinates = given.coordinates;
  if (!method.formulation.empty()) options.formulation = method.formulation;
  options.integrator = integrator_of(method, options.integrator);
  options.baumgarte = method.baumgarte;
  options.projection = projection_of(method.projection);
  return options;
}

}  // namespace koppel::app
