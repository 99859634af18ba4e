#include <koppel/export/wasm.hpp>

#include <algorithm>

#include <fmt/format.h>

#include <koppel/equations/evaluator.hpp>
#include <koppel/export/wasm_accurate.hpp>
#include <koppel/export/wasm_text.hpp>
#include <koppel/expr/algebra/reciprocals.hpp>
#include <koppel/expr/code/emit_wasm.hpp>
#include <koppel/expr/code/split.hpp>
#include <koppel/simulate/length.hpp>

namespace koppel {
namespace {

using Addresses = std::vector<std::uint32_t>;

class WasmWriter {
 public:
  WasmWriter(const StepModel& model, const WasmContents& contents)
      : m_(model), contents_(contents), kernels_(module_) {
    make_programs();
    lay_out();
  }

  std::string write() {
    const std::uint32_t prepare = add_prepare();
    module_.add_export("prepare", prepare);
    module_.add_export("derive", add_sequence(emit(derive_, layout(), derived_addresses())));
    module_.add_export("observe", add_observing(observe(), outputs_, contents_.outputs.size()));
    if (!contents_.frame.empty()) {
      module_.add_export("locate", add_observing(locate(), frame_, contents_.frame.size()));
      module_.add_constant("frame", frame_);
    }
    if (m_.tolerance) {
      add_accurate_steps();
    } else {
      add_fixed_cost_steps();
    }
    add_reset(prepare);
    const std::pair<const char*, std::uint32_t> addresses[] = {
        {"t", kTime},        {"count", kCount},           {"state", kState},
        {"inputs", inputs_}, {"parameters", parameters_}, {"outputs", outputs_}};
    for (const auto& [name, address] : addresses) module_.add_constant(name, address);
    const wasm::Bytes bytes = module_.bytes();
    return {bytes.begin(), bytes.end()};
  }

 private:
  // The memory: t, start_time, count, the step, the inner step to try next (of accurate ones),
  // state, inputs, parameters, which `reset` sets; then outputs, prepared values, and what
  // functions need.
  static constexpr std::uint32_t kTime = 0, kStartTime = 8, kCount = 16, kStepSize = 24,
                                 kInnerStep = 32, kState = 40;

  // A program, split: what it needs of the parameters is prepared from an address on.
  struct Part {
    SplitProgram programs;
    std::size_t num_parameters;
    std::uint32_t prepared = 0;
  };
  const Part& observe() const { return parts_[num_step_parts_]; }
  const Part& locate() const { return parts_[num_step_parts_ + 1]; }
  const Part& unheld() const { return parts_.back(); }

  void make_programs() {
    const std::vector<Program> step = make_step();
    std::vector<Expr> outputs;
    for (const NamedExpr& output : contents_.outputs) outputs.push_back(output.value);
    const Program observe = make_observing(outputs);
    const Program locate = make_observing(contents_.frame);
    derive_ = make_derive();
    for (const Program& program : step) add_part(program, !m_.tolerance);
    num_step_parts_ = parts_.size();
    add_part(observe, false);
    if (!contents_.frame.empty()) add_part(locate, false);
    if (contents_.unheld)
      add_part(contents_.unheld->advance, true, contents_.unheld->num_parameters);
  }
  // The last inputs are the parameters. A step of fixed cost has always the same length, its input
  // 1.
  void add_part(const Program& program, bool has_fixed_step) {
    add_part(program, has_fixed_step, m_.parameters.size());
  }
  void add_part(const Program& program, bool has_fixed_step, std::size_t num_parameters) {
    const std::size_t first = program.num_inputs() - num_parameters;
    parts_.push_back(
        {split(program, [=](std::size_t i) { return i >= first || (has_fixed_step && i == 1); }),
         num_parameters});
  }

  // The step itself; or rates, and where there are constraints, the projection onto them.
  std::vector<Program> make_step() const {
    if (!m_.tolerance) return {m_.advance};
    std::vector<Program> out = {m_.rates};
    if (m_.num_rows > 0) out.push_back(m_.project);
    return out;
  }
  Program make_observing(const std::vector<Expr>& values) const {
    return lower(m_.layout, values, true);
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

  void lay_out() {
    std::vector<double> image = {m_.start_time, m_.start_time, 0, m_.step,
                                 m_.step};  // count: bits of 0
    for (const auto& part : {m_.state(), m_.inputs, m_.parameters}) {
      for (const CVariable& v : part) image.push_back(v.start);
    }
    num_of_image_ = image.size();
    module_.reserve(num_of_image_);
    module_.set_image(wasm::bytes_of(image));
    inputs_ = static_cast<std::uint32_t>(kState + 8 * m_.state_size());
    parameters_ = static_cast<std::uint32_t>(inputs_ + 8 * m_.inputs.size());
    outputs_ = module_.reserve(contents_.outputs.size());
    frame_ = module_.reserve(contents_.frame.size());
    for (Part& part : parts_) {
      part.prepared = module_.reserve(part.programs.prepare.outputs.size());
    }
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
  Addresses derived_addresses() const {
    Addresses out;
    for (const std::size_t i : derived_)
      out.push_back(parameters_ + static_cast<std::uint32_t>(8 * i));
    return out;
  }
  static Addresses prepared_of(const Part& part) {
    return sequence(part.prepared, part.programs.prepare.outputs.size());
  }
  // What changes, then what is prepared.
  Addresses inputs_of_step() const {
    Addresses out = {kTime};
    append(out, sequence(kState, m_.state_size() + m_.inputs.size()));
    append(out, prepared_of(parts_[0]));
    return out;
  }
  // The function of a program that looks at the state.
  std::uint32_t add_observing(const Part& part, std::uint32_t into, std::size_t count) {
    Addresses in = {kTime, kStepSize};
    append(in, sequence(kState, m_.state_size() + m_.inputs.size()));
    append(in, prepared_of(part));
    return add_sequence(emit(part.programs.rest, in, sequence(into, count)));
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
    Addresses functions;
    for (const Part& part : parts_) {
      Addresses in;
      if (part.programs.prepare.num_inputs() > part.num_parameters) in.push_back(kStepSize);
      append(in, sequence(parameters_, part.num_parameters));
      append(functions, emit(part.programs.prepare, in, prepared_of(part)));
    }
    return add_sequence(functions);
  }

  // for (done = 0; done < n; ++done) a step, unless it is not finite
  void add_fixed_cost_steps() {
    wasm::Code code("n i32", "i32");
    code.add_local(wasm::Type::I32, "done");
    code.add_local(wasm::Type::I64, "count");
    code.add("block loop local.get done local.get n i32.ge_u br_if 1");
    int to_end = 1;  // blocks to leave where a step is not finite
    if (contents_.unheld) {
      code.add("block");
      code.call(add_unheld_step());
      code.add("br_if 0");
      ++to_end;
    }
    if (is_one_wasm_function(parts_[0].programs.rest)) {
      add_short_step(code, to_end);
    } else {
      add_long_step(code, to_end);
    }
    if (contents_.unheld) code.add("end");
    code.add(fmt::format("i32.const 0 {} f64.store {} ", next_time(), kTime) + set_count());
    code.add("local.get done i32.const 1 i32.add local.set done br 0 end end local.get done");
    const std::uint32_t steps = module_.add(std::move(code));
    module_.add_export("steps", steps);
    wasm::Code step("", "i32");
    step.add(fmt::format("i32.const 1 call {} i32.eqz", steps));
    module_.add_export("step", module_.add(std::move(step)));
  }

  // koppel_all_finite of runtime/step.h: 0 x is 0 for finite numbers only; four sums, so that
  // additions need not wait for another.
  void add_short_step(wasm::Code& code, int to_end) {
    const Addresses after = emit_wasm(parts_[0].programs.rest, inputs_of_step(), kernels_, code);
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
    code.add(fmt::format("f64.const 0 f64.ne br_if {}", to_end));
    for (std::size_t i = 0; i < after.size(); ++i) {
      code.store_at();
      code.get(after[i]);
      code.store(kState + static_cast<std::uint32_t>(8 * i));
    }
  }

  // The same, with what comes after in memory, up to a multiple of four numbers.
  void add_long_step(wasm::Code& code, int to_end) {
    const std::size_t n = m_.state_size(), blocks = std::max<std::size_t>((n + 3) / 4, 1);
    const std::uint32_t after = module_.reserve(4 * blocks);
    for (const std::uint32_t function :
         emit(parts_[0].programs.rest, inputs_of_step(), sequence(after, n))) {
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
                 "f64.const 0 f64.ne br_if {} ",
                 32 * blocks, to_end) +
             copy(kState, after, n));
  }

  // Whether it was taken: no hand holds anything, and it can be trusted. Forces that hands have
  // left are gone.
  std::uint32_t add_unheld_step() {
    const UnheldStep& step = *contents_.unheld;
    const std::size_t num_moved = m_.q.size() + m_.v.size() + step.num_x;
    const std::size_t num_multipliers = m_.multipliers.size(), size = num_moved + num_multipliers;
    const std::size_t num_forces = m_.x.size() - step.num_x;
    const auto multipliers = static_cast<std::uint32_t>(kState + 8 * (num_moved + num_forces));
    const std::uint32_t after = module_.reserve(size + 1);
    Addresses in = {kTime};
    append(in, sequence(kState, num_moved));
    append(in, sequence(multipliers, num_multipliers));
    append(in, sequence(inputs_, step.num_inputs));
    append(in, prepared_of(unheld()));
    wasm::Code code("", "i32");
    for (const std::size_t i : step.holding) {
      code.add(fmt::format("i32.const 0 f64.load {} f64.const 0 f64.ge if i32.const 0 return end",
                           parameters_ + 8 * i));
    }
    for (const std::uint32_t force :
         sequence(multipliers - static_cast<std::uint32_t>(8 * num_forces), num_forces)) {
      code.add(fmt::format("i32.const 0 f64.const 0 f64.store {}", force));
    }
    for (const std::uint32_t function :
         emit(unheld().programs.rest, in, sequence(after, size + 1))) {
      code.call(function);
    }
    code.add(fmt::format("i32.const 0 f64.load {} f64.const 1 f64.ne if i32.const 0 return end ",
                         after + 8 * size) +
             copy(kState, after, num_moved) +
             copy(multipliers, after + static_cast<std::uint32_t>(8 * num_moved), num_multipliers) +
             "i32.const 1");
    return module_.add(std::move(code));
  }

  static std::string copy(std::uint32_t to, std::uint32_t from, std::size_t count) {
    return fmt::format("i32.const {} i32.const {} i32.const {} memory.copy ", to, from, 8 * count);
  }

  // koppel_time of runtime/step.h after one more step, and that this one is counted.
  static std::string next_time() {
    return fmt::format(
        "i32.const 0 i64.load {0} i64.const 1 i64.add local.set count "
        "i32.const 0 f64.load {1} "
        "local.get count i64.const 32 i64.shr_u i32.wrap_i64 f64.convert_i32_u "
        "f64.const 4294967296 f64.mul local.get count i32.wrap_i64 f64.convert_i32_u f64.add "
        "i32.const 0 f64.load {2} f64.mul f64.add ",
        kCount, kStartTime, kStepSize);
  }
  static std::string set_count() {
    return fmt::format("i32.const 0 local.get count i64.store {} ", kCount);
  }

  // NAME_step of c.cpp: the state is read and written where the rates find it, and the model's own
  // is set after success.
  void add_accurate_steps() {
    const std::size_t n = m_.state_size(), num_moved = m_.q.size() + m_.v.size();
    WasmRates rates;
    rates.num_y = n;
    rates.num_moved = num_moved;
    rates.tolerance = *m_.tolerance;
    rates.scale = absolute_scale_for(m_.prepared.equations, m_.prepared.state);
    rates.t = module_.reserve(1);
    rates.h = module_.reserve(1);
    rates.y = module_.reserve(n);
    rates.rate = module_.reserve(n);
    rates.moved = module_.reserve(num_moved);
    const auto inputs_of = [&](const Part& part) {
      Addresses out = {rates.t, rates.h};
      append(out, sequence(rates.y, n));
      append(out, sequence(inputs_, m_.inputs.size()));
      append(out, prepared_of(part));
      return out;
    };
    rates.rates = emit(parts_[0].programs.rest, inputs_of(parts_[0]), sequence(rates.rate, n));
    if (num_step_parts_ > 1) {
      rates.projected =
          emit(parts_[1].programs.rest, inputs_of(parts_[1]), sequence(rates.moved, num_moved));
    }
    const std::uint32_t advance = add_accurate_advance(rates, module_);
    wasm::Code step("", "i32");
    step.add_local(wasm::Type::I64, "count");
    step.add_local(wasm::Type::F64, "t_end");
    step.add_local(wasm::Type::I32, "reason");
    step.add(next_time() + "local.set t_end " + copy(rates.t, kTime, 1) +
             copy(rates.h, kInnerStep, 1) + copy(rates.y, kState, n) +
             fmt::format("local.get t_end call {} local.tee reason i32.eqz if ", advance) +
             copy(kState, rates.y, n) + copy(kInnerStep, rates.h, 1) + set_count() +
             fmt::format("i32.const 0 local.get t_end f64.store {} end local.get reason", kTime));
    const std::uint32_t one = module_.add(std::move(step));
    module_.add_export("step", one);
    const std::uint32_t failure = module_.reserve(1);
    wasm::Code steps("n i32", "i32");
    steps.add_local(wasm::Type::I32, "done");
    steps.add_local(wasm::Type::I32, "reason");
    steps.add(
        fmt::format("block loop local.get done local.get n i32.ge_u br_if 1 "
                    "call {} local.tee reason br_if 1 "
                    "local.get done i32.const 1 i32.add local.set done br 0 end end "
                    "i32.const 0 local.get reason f64.convert_i32_u f64.store {} local.get done",
                    one, failure));
    module_.add_export("steps", module_.add(std::move(steps)));
    module_.add_constant("failure", failure);
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
  const WasmContents& contents_;
  wasm::Module module_;
  wasm::Kernels kernels_;
  std::vector<Part> parts_;  // of the step, then outputs and frame
  std::size_t num_step_parts_ = 0;
  Program derive_;                    // parameters that follow from others
  std::vector<std::size_t> derived_;  // which these are
  std::size_t num_of_image_ = 0;
  std::uint32_t inputs_ = 0, parameters_ = 0, outputs_ = 0, frame_ = 0;
};

}  // namespace

WasmFiles write_wasm(const StepModel& model) {
  const Equations& e = model.prepared.equations;
  WasmContents contents;
  contents.outputs.assign(e.outputs.begin(), e.outputs.end());
  return {write_wasm_module(model, contents), wasm_wrapper(model), wasm_types(model)};
}

std::string write_wasm_module(const StepModel& model, const WasmContents& contents) {
  refuse_events(model.prepared.equations);
  return WasmWriter(model, contents).write();
}

}  // namespace koppel
