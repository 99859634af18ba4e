// What is asked of a model beside runs: its faults, its equations, its linearisation, methods side
// by side, budgets, code.
#include <koppel/analysis/assembly/assembly.hpp>
#include <koppel/analysis/motion/linearize.hpp>
#include <koppel/analysis/motion/statics.hpp>
#include <koppel/analysis/motion/steady.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/equations/derive.hpp>
#include <koppel/export/c.hpp>
#include <koppel/export/cuda.hpp>
#include <koppel/export/fmu.hpp>
#include <koppel/export/octave.hpp>
#include <koppel/export/wasm.hpp>
#include <koppel/results/scene.hpp>
#include <koppel/simulate/budget.hpp>
#include <koppel/simulate/compare.hpp>

#include "apps/koppel/describe.hpp"
#include "python/src/options.hpp"

namespace koppel::python {
namespace {

std::string set_of(const py::dict& given, const Model& model) {
  std::string set;
  if (take(given, "coordinates", set) && !is_open(set)) return set;
  return model.run.coordinates.empty() ? coordinate_sets(model)[0] : model.run.coordinates;
}

std::string check(LoadedModel& of, const py::dict& given) {
  app::AnalysisRequest request;
  take_options(given, app::AnalysisRequest::options(), &request);
  request.is_set_given = given.contains("coordinates") && !given["coordinates"].is_none();
  const std::string set = set_of(given, of.model);
  return with_model(of, [&] { return app::check_json(of.model, set, request); });
}

std::string equations(LoadedModel& of, const py::dict& given, bool latex) {
  const std::string set = set_of(given, of.model);
  return with_model(of, [&] { return app::equations_text(of.model, set, latex); });
}

py::array_t<double> to_numpy(const Matrix& a) {
  py::array_t<double, py::array::f_style> out({a.rows, a.columns});
  std::copy(a.values.begin(), a.values.end(), out.mutable_data());
  return out;
}

struct Linear {
  LinearSystem system;
  Spectrum spectrum;
  std::vector<std::string> q;
  State state;
  std::string unsteady;  // why eigenvalues say nothing about how deviations grow; empty: they do
};

Linear linearize_at(const Model& model, const std::string& set, bool at_rest) {
  const Evaluator evaluator(derive(model, set));
  const Assembly start = assemble(evaluator, place_bodies(model, evaluator.equations));
  if (!start) throw Error("assembly.impossible", start.text);
  Linear out;
  if (at_rest) {
    const Equilibrium rest = find_equilibrium(evaluator, start.state);
    if (!rest.is_found) throw Error("statics.not-found", rest.text);
    out.state = rest.state;
    out.system = linearize_at_rest(evaluator, rest);
  } else {
    out.state = start.state;
    const SteadyMotion motion = find_steady_motion(evaluator, out.state);
    out.system = motion.is_steady ? motion.system : linearize(evaluator, out.state);
    if (!motion.is_steady) out.unsteady = motion.text;
  }
  out.spectrum = find_spectrum(out.system);
  for (const Expr& q : evaluator.equations->q) out.q.emplace_back(q.name());
  return out;
}

py::dict linear(LoadedModel& of, const py::dict& given, bool at_rest) {
  const std::string set = set_of(given, of.model);
  const Linear found = with_model(of, [&] { return linearize_at(of.model, set, at_rest); });
  py::dict out;
  out["A"] = to_numpy(found.system.A);
  out["B"] = to_numpy(found.system.B);
  out["C"] = to_numpy(found.system.C);
  out["D"] = to_numpy(found.system.D);
  out["states"] = found.system.states;
  out["inputs"] = found.system.inputs;
  out["outputs"] = found.system.outputs;
  out["q"] = found.q;
  out["at"] = found.state.q;
  out["unsteady"] = found.unsteady;
  out["num_zero"] = found.spectrum.num_zero;
  py::list modes;
  for (const Mode& mode : found.spectrum.modes) {
    modes.append(
        py::make_tuple(std::complex<double>(mode.eigenvalue), mode.frequency, mode.damping_ratio,
                       py::array_t<std::complex<double>>(
                           static_cast<py::ssize_t>(mode.shape.size()), mode.shape.data())));
  }
  out["modes"] = modes;
  return out;
}

py::tuple compare_methods(LoadedModel& of, const py::dict& given,
                          const std::vector<std::shared_ptr<LoadedModel>>& beside) {
  CompareOptions options;
  options.end = of.model.run.end;
  take(given, "coordinates", options.coordinates);
  take(given, "formulations", options.formulations);
  take(given, "integrators", options.integrators);
  take(given, "tolerances", options.tolerances);
  take(given, "steps", options.steps);
  take(given, "end", options.end);
  take(given, "baumgarte", options.baumgarte);
  take(given, "samples", options.samples);
  take(given, "limit", options.max_seconds);
  options.native = native_of(given);
  options.projection = projection_of(given);
  for (const auto& other : beside) options.beside.push_back(&other->model);
  const Comparison found = with_model(of, [&] {
    Comparison c =
        compare(of.model, options, [](const std::string&) { return !is_stop_requested(); });
    if (c.is_stopped) throw Stopped();
    return c;
  });
  return py::make_tuple(to_text(found), to_json(found));
}

py::tuple budget(LoadedModel& of, const py::dict& given) {
  const SimulateOptions options = simulate_options(given, of.model);
  const Budget found = with_model(of, [&] { return make_budget(of.model, options); });
  return py::make_tuple(to_text(found), to_json(found));
}

using Files = std::map<std::string, std::string>;

Files files_of(const StepModel& step, const std::string& to, bool is_float) {
  const std::string& name = step.name;
  if (to == "c") {
    const CFiles c = write_c(step, is_float);
    Files files = {{name + ".h", c.header}, {name + ".c", c.source}, {"example.c", c.example}};
    if (!c.start.empty()) files[name + "_start.c"] = c.start;
    return files;
  }
  if (to == "cuda") {
    const CudaFiles c = write_cuda(step, is_float);
    return {{name + ".h", c.header}, {name + ".cu", c.source}, {"example.c", c.example}};
  }
  const WasmFiles w = write_wasm(step);
  return {{name + ".wasm", w.module}, {name + ".js", w.wrapper}, {name + ".d.ts", w.types}};
}

// The files by name (an FMU is written to `path` itself), what was chosen, and why it should not be
// trusted; empty: it holds.
py::tuple export_model(LoadedModel& of, const py::dict& given, const std::string& to,
                       const std::string& path) {
  SimulateOptions options = simulate_options(given, of.model);
  std::string name;
  bool is_float = false;
  int fmi = 2;
  take(given, "name", name);
  take(given, "float", is_float);
  take(given, "fmi", fmi);
  if (!options.step) options.step = 1e-3;  // as `koppel export`
  std::string method, doubt;
  const Files files = with_model(of, [&]() -> Files {
    if (to == "octave") return write_octave(of.model, options, name);
    const StepModel step =
        make_step_model(of.model, options, name,
                        to == "fmu" ? StepKind::Accurate : StepKind::FixedCost, of.origins);
    method = fmt::format("{}; step {:g} s", step.method, step.step);
    const MethodTrial& trial = step.choice.trial;
    if (!trial.holds()) {
      doubt = fmt::format("{} does not hold at a step of {:g} s: {}", trial.integrator.text(),
                          trial.step, trial.text);
    }
    if (to != "fmu") return files_of(step, to, is_float);
    write_fmu(path, step, of.model.run.end, fmi == 3 ? FmiVersion::V3 : FmiVersion::V2);
    return {};
  });
  py::dict out;
  for (const auto& [file, text] : files) out[py::str(file)] = py::bytes(text);
  return py::make_tuple(out, method, doubt);
}

}  // namespace

void add_analyses(py::module_& /*m*/,
                  py::class_<LoadedModel, std::shared_ptr<LoadedModel>>& model) {
  model.def("check", &check, py::arg("options"));
  model.def("equations", &equations, py::arg("options"), py::arg("latex"));
  model.def("linearize", &linear, py::arg("options"), py::arg("at_rest"));
  model.def("compare", &compare_methods, py::arg("options"), py::arg("beside"));
  model.def("budget", &budget, py::arg("options"));
  model.def("export", &export_model, py::arg("options"), py::arg("to"), py::arg("path"));
}

}  // namespace koppel::python
