#include <koppel/export/wasm.hpp>

#include <algorithm>
#include <bit>
#include <set>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/equations/evaluator.hpp>
#include <koppel/export/wasm_text.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/code/emit_wasm.hpp>
#include <koppel/expr/code/split.hpp>

namespace koppel {
namespace {

using Addresses = std::vector<std::uint32_t>;

void add_missing(const std::string& where, const std::vector<std::string>& functions,
                 std::vector<Diagnostic>& mistakes) {
  if (functions.empty()) return;
  mistakes.push_back(
      {"export.wasm-function",
       fmt::format("{} needs {}, which WebAssembly does not have.", where,
                   fmt::join(functions, ", ")),
       "It has + - * /, whole powers, sqrt, sin, cos, abs, sign, min, max, select and tables; a "
       "module that imports nothing has no others. Write the model with these, such as a table, or "
       "export C.",
       {},
       {}});
}

// What the outputs of a program need and WebAssembly lacks, each output by its name.
template <typename F>
void find_missing(const Program& program, F&& name_of, std::vector<Diagnostic>& mistakes) {
  const auto missing = functions_missing_in_wasm(program);
  for (std::size_t j = 0; j < missing.size(); ++j) add_missing(name_of(j), missing[j], mistakes);
}

class Writer {
 public:
  explicit Writer(const StepModel& model) : m_(model), kernels_(module_) {
    make_programs();
    lay_out();
  }

  std::string write() {
    const std::uint32_t prepare = add_prepare();
    module_.add_export("prepare", prepare);
    module_.add_export("derive", add_sequence(emit(derive_, layout(), derived_addresses())));
    module_.add_export("observe", add_sequence(emit(observe_.rest, inputs_of_observe(),
                                                    sequence(outputs_, m_.outputs.size()))));
    const std::uint32_t steps = add_steps();
    module_.add_export("steps", steps);
    wasm::Code step("", "i32");
    step.add(fmt::format("i32.const 1 call {} i32.eqz", steps));
    module_.add_export("step", module_.add(std::move(step)));
    add_reset(prepare);
    const std::pair<const char*, std::uint32_t> addresses[] = {
        {"t", kTime},        {"count", kCount},           {"state", kState},
        {"inputs", inputs_}, {"parameters", parameters_}, {"outputs", outputs_}};
    for (const auto& [name, address] : addresses) module_.add_constant(name, address);
    const wasm::Bytes bytes = module_.bytes();
    return {bytes.begin(), bytes.end()};
  }

 private:
  // The memory: t, start_time, count, h, state, inputs, parameters, which `reset` sets; then
  // outputs, prepared values, and what functions need.
  static constexpr std::uint32_t kTime = 0, kStartTime = 8, kCount = 16, kStepSize = 24,
                                 kState = 32;

  void make_programs() {
    const auto split_off = [&](const Program& program, bool has_fixed_step) {
      const std::size_t first = program.num_inputs() - m_.parameters.size();
      return split(program,
                   [=](std::size_t i) { return i >= first || (has_fixed_step && i == 1); });
    };
    const Program observe = make_observe();
    derive_ = make_derive();
    std::vector<Diagnostic> mistakes;
    find_missing_in_step(mistakes);
    find_missing(
        observe, [&](std::size_t j) { return "output '" + m_.outputs[j].label + '\''; }, mistakes);
    find_missing(
        derive_,
        [&](std::size_t j) { return "parameter '" + m_.parameters[derived_[j]].label + '\''; },
        mistakes);
    if (!mistakes.empty()) throw Error(std::move(mistakes));
    advance_ = split_off(m_.advance, true);
    observe_ = split_off(observe, false);
  }

  Program make_observe() const {
    const Equations& e = m_.prepared.equations;
    std::vector<Expr> values;
    for (const NamedExpr& output : e.outputs) values.push_back(output.value);
    return lower(symbols_of_state(e), values, true);
  }
  Program make_derive() {
    std::vector<Expr> values;
    for (std::size_t i = 0; i < m_.parameters.size(); ++i) {
      if (m_.start.kinds[i] != ParameterKind::Derived) continue;
      derived_.push_back(i);
      values.push_back(m_.start.parameters[i]);
    }
    return lower(m_.layout, share_reciprocals(values), true);
  }

  // One sentence: nearly all results of a step need what one of them does.
  void find_missing_in_step(std::vector<Diagnostic>& mistakes) const {
    std::set<std::string> all;
    for (const auto& names : functions_missing_in_wasm(m_.advance)) {
      all.insert(names.begin(), names.end());
    }
    add_missing("the step", {all.begin(), all.end()}, mistakes);
  }

  void lay_out() {
    std::vector<double> image = {m_.start_time, m_.start_time, 0, m_.step};  // count: bits of 0
    for (const auto& part : {m_.state(), m_.inputs, m_.parameters}) {
      for (const CVariable& v : part) image.push_back(v.start);
    }
    num_of_image_ = image.size();
    module_.reserve(num_of_image_);
    module_.set_image(wasm::bytes_of(image));
    inputs_ = static_cast<std::uint32_t>(kState + 8 * m_.state_size());
    parameters_ = static_cast<std::uint32_t>(inputs_ + 8 * m_.inputs.size());
    outputs_ = module_.reserve(m_.outputs.size());
    prepared_of_step_ = module_.reserve(advance_.prepare.outputs.size());
    prepared_of_outputs_ = module_.reserve(observe_.prepare.outputs.size());
  }

  static Addresses sequence(std::uint32_t first, std::size_t count) {
    Addresses out;
    for (std::size_t i = 0; i < count; ++i)
      out.push_back(first + static_cast<std::uint32_t>(8 * i));
    return out;
  }
  static void append(Addresses& to, const Addresses& more) {
    to.insert(to.end(), more.begin(), more.end());
  }
  // t, h, state, inputs, parameters
  Addresses layout() const {
    Addresses out = {kTime, kStepSize};
    append(out, sequence(kState, m_.state_size() + m_.inputs.size() + m_.parameters.size()));
    return out;
  }
  Addresses parameters() const { return sequence(parameters_, m_.parameters.size()); }
  Addresses derived_addresses() const {
    Addresses out;
    for (const std::size_t i : derived_)
      out.push_back(parameters_ + static_cast<std::uint32_t>(8 * i));
    return out;
  }
  // What changes, then what is prepared; outputs do not read multipliers.
  Addresses inputs_of_step() const {
    Addresses out = {kTime};
    append(out, sequence(kState, m_.state_size() + m_.inputs.size()));
    append(out, sequence(prepared_of_step_, advance_.prepare.outputs.size()));
    return out;
  }
  Addresses inputs_of_observe() const {
    Addresses out = {kTime};
    append(out, sequence(kState, m_.state_size() - m_.multipliers.size()));
    append(out, sequence(inputs_, m_.inputs.size()));
    append(out, sequence(prepared_of_outputs_, observe_.prepare.outputs.size()));
    return out;
  }

  Addresses emit(const Program& program, const Addresses& inputs, const Addresses& outputs) {
    return emit_wasm_functions(program, inputs, outputs, kernels_);
  }
  // A function that calls others; the only one itself.
  std::uint32_t add_sequence(const Addresses& functions) {
    if (functions.size() == 1) return functions[0];
    wasm::Code code;
    for (const std::uint32_t function : functions) code.call(function);
    return module_.add(std::move(code));
  }

  std::uint32_t add_prepare() {
    Addresses of_step = {kStepSize};
    append(of_step, parameters());
    Addresses functions = emit(advance_.prepare, of_step,
                               sequence(prepared_of_step_, advance_.prepare.outputs.size()));
    append(functions, emit(observe_.prepare, parameters(),
                           sequence(prepared_of_outputs_, observe_.prepare.outputs.size())));
    return add_sequence(functions);
  }

  // for (done = 0; done < n; ++done) a step, unless it is not finite
  std::uint32_t add_steps() {
    wasm::Code code("n i32", "i32");
    code.add_local(wasm::Type::I32, "done");
    code.add_local(wasm::Type::I64, "count");
    code.add("block loop local.get done local.get n i32.ge_u br_if 1");
    if (is_one_wasm_function(advance_.rest)) {
      add_short_step(code);
    } else {
      add_long_step(code);
    }
    add_time(code);
    code.add("local.get done i32.const 1 i32.add local.set done br 0 end end local.get done");
    return module_.add(std::move(code));
  }

  // koppel_all_finite of runtime/step.h: 0 x is 0 for finite numbers only; four sums, so that
  // additions need not wait for another.
  void add_short_step(wasm::Code& code) {
    const Addresses after = emit_wasm(advance_.rest, inputs_of_step(), kernels_, code);
    code.real(0);
    for (std::size_t first = 0; first < std::min<std::size_t>(4, after.size()); ++first) {
      for (std::size_t i = first; i < after.size(); i += 4) {
        code.get(after[i]);
        code.real(0);
        code.add(wasm::Opcode::Mul);
        if (i != first) code.add(wasm::Opcode::Add);
      }
      code.add(wasm::Opcode::Add);
    }
    code.add("f64.const 0 f64.ne br_if 1");
    for (std::size_t i = 0; i < after.size(); ++i) {
      code.store_at();
      code.get(after[i]);
      code.store(kState + static_cast<std::uint32_t>(8 * i));
    }
  }

  // The same, with what comes after in memory, up to a multiple of four numbers.
  void add_long_step(wasm::Code& code) {
    const std::size_t n = m_.state_size(), blocks = std::max<std::size_t>((n + 3) / 4, 1);
    const std::uint32_t after = module_.reserve(4 * blocks);
    for (const std::uint32_t function : emit(advance_.rest, inputs_of_step(), sequence(after, n))) {
      code.call(function);
    }
    code.add_local(wasm::Type::I32, "at");
    for (const char* name : {"a", "b", "c", "d"}) code.add_local(wasm::Type::F64, name);
    code.add(
        "f64.const 0 local.set a f64.const 0 local.set b f64.const 0 local.set c "
        "f64.const 0 local.set d i32.const 0 local.set at loop");
    for (int k = 0; k < 4; ++k) {
      code.add(fmt::format(
          "local.get at f64.load {0} f64.const 0 f64.mul local.get {1} f64.add local.set {1}",
          after + static_cast<std::uint32_t>(8 * k), "abcd"[k]));
    }
    code.add(fmt::format(
        "local.get at i32.const 32 i32.add local.tee at i32.const {} i32.lt_u br_if 0 end "
        "local.get a local.get b f64.add local.get c local.get d f64.add f64.add "
        "f64.const 0 f64.ne br_if 1 "
        "i32.const {} i32.const {} i32.const {} memory.copy",
        32 * blocks, kState, after, 8 * n));
  }

  // koppel_time of runtime/step.h
  static void add_time(wasm::Code& code) {
    code.add(fmt::format(
        "i32.const 0 i32.const 0 i64.load {0} i64.const 1 i64.add local.tee count i64.store {0} "
        "i32.const 0 i32.const 0 f64.load {1} "
        "local.get count i64.const 32 i64.shr_u i32.wrap_i64 f64.convert_i32_u "
        "f64.const 4294967296 f64.mul local.get count i32.wrap_i64 f64.convert_i32_u f64.add "
        "i32.const 0 f64.load {2} f64.mul f64.add f64.store {3} ",
        kCount, kStartTime, kStepSize, kTime));
  }

  void add_reset(std::uint32_t prepare) {
    wasm::Code code;
    code.add(fmt::format("i32.const 0 i32.const 0 i32.const {} memory.init call {}",
                         8 * num_of_image_, prepare));
    const std::uint32_t reset = module_.add(std::move(code));
    module_.add_export("reset", reset);
    module_.set_start(reset);
  }

  const StepModel& m_;
  wasm::Module module_;
  wasm::Kernels kernels_;
  SplitProgram advance_, observe_;
  Program derive_;                    // parameters that follow from others
  std::vector<std::size_t> derived_;  // which these are
  std::size_t num_of_image_ = 0;
  std::uint32_t inputs_ = 0, parameters_ = 0, outputs_ = 0;
  std::uint32_t prepared_of_step_ = 0, prepared_of_outputs_ = 0;
};

}  // namespace

WasmFiles write_wasm(const StepModel& model) {
  refuse_events(model.prepared.equations);
  if (model.tolerance) {
    throw Error("export.wasm-integrator", "dop853 is not written as WebAssembly.",
                fmt::format("Take fixed-cost steps: {}.", names_of_fixed_cost()));
  }
  return {Writer(model).write(), wasm_wrapper(model), wasm_types(model)};
}

}  // namespace koppel
