#include <koppel/expr/code/function.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <chrono>
#include <mutex>
#include <new>
#include <optional>

#include <koppel/base/stop.hpp>
#include <koppel/expr/code/diagnose.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/lane_function.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/prepared_program.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/tape.hpp>

namespace koppel {

namespace {

// With Auto, so many calls of operator() are on the tape. Generating takes 0.2 µs an operation, and
// an evaluation on the tape 2 to 7 ns an operation more than in machine code: it pays after 30 to
// 100 evaluations. Who asks for a workspace is going to evaluate in a loop.
constexpr unsigned kFewCalls = 50;
// A page and two calls of the system cost more than the tape of fewer operations does.
constexpr std::size_t kFewestForCode = 16;

}  // namespace

struct Function::Code {
  using Compiled = void(const double* in, double* out, double* work);

  Code(Program p, Native by, const RareInputs& rare) : program(std::move(p)), by_(by) {
    if (by_ == Native::Cc) load_native();
    if (native == nullptr && PreparedProgram::pays(program, rare)) prepared.emplace(program, rare);
    if (by_ == Native::Jit) machine();
  }

  // Made when it is first asked for, as the machine code is.
  const Tape& tape() const {
    std::call_once(has_tape_, [&] { tape_.emplace(program); });
    return *tape_;
  }
  // Null: there is none.
  const MachineCode* machine() const {
    std::call_once(has_machine_, [&] {
      machine_ = generate();
      is_generated_ = true;
    });
    return machine_.get();
  }
  // For several points at once.
  const LaneFunction& lanes() const {
    std::call_once(has_lanes_, [&] { lanes_.emplace(&program, by_ != Native::Off); });
    return *lanes_;
  }
  // Whether a single evaluation is better on the tape: one of few, and there is no code yet.
  bool is_one_of_few() const {
    return native == nullptr && !is_generated_ &&
           calls_.fetch_add(1, std::memory_order_relaxed) < kFewCalls;
  }

  std::vector<double> make_slots() const {
    std::vector<double> slots(tape().num_slots(), 0.0);
    std::copy(program.constants.begin(), program.constants.end(),
              slots.begin() + static_cast<std::ptrdiff_t>(program.num_inputs()));
    return slots;
  }
  // That it is run in a loop.
  void note_tape() const {
    if (!is_noted_.exchange(true, std::memory_order_relaxed)) note_interpreted(program.code.size());
  }
  // Null: there is none, and for few evaluations it is not worth making.
  const MachineCode* machine_for(Uses uses) const {
    return uses == Uses::Many || is_generated_ ? machine() : nullptr;
  }
  // Of the whole program.
  void run_tape(std::span<const double> in, std::span<double> out, double* s) const noexcept {
    std::copy(in.begin(), in.end(), s);
    tape_->run(s, program.tables.data());
    const auto& slots = tape_->outputs();
    for (std::size_t j = 0; j < slots.size(); ++j) out[j] = s[slots[j]];
  }

  const Program program;
  std::optional<PreparedProgram> prepared;  // where some inputs are rare
  std::shared_ptr<const LoadedLibrary> library;
  Compiled* native = nullptr;
  std::size_t native_work = 0;
  std::string why_not_native;

 private:
  void load_native() {
    const CCode c = emit_c(program, "koppel_function");
    NativeResult result = compile_native(emit_c_prelude() + c.source);
    library = std::move(result.library);
    why_not_native = std::move(result.why_not);
    if (library == nullptr) return;
    native = library->find<Compiled>("koppel_function");
    native_work = c.work_size;
    note_compiled(program.code.size());
  }
  std::unique_ptr<const MachineCode> generate() const {
    if (by_ == Native::Off || native != nullptr) return nullptr;
    if (program.code.size() < kFewestForCode) return nullptr;
    const auto start = std::chrono::steady_clock::now();
    try {
      auto code = prepared ? MachineCode::generate(prepared->rest(), 1, prepared->places())
                           : MachineCode::generate(program);
      if (code != nullptr) note_generated(program.code.size(), start);
      return code;
    } catch (const std::bad_alloc&) {  // the tape needs less
      return nullptr;
    }
  }

  Native by_;
  mutable std::once_flag has_tape_, has_machine_, has_lanes_;
  mutable std::optional<Tape> tape_;
  mutable std::unique_ptr<const MachineCode> machine_;
  mutable std::optional<LaneFunction> lanes_;
  mutable std::atomic<bool> is_generated_ = false, is_noted_ = false;
  mutable std::atomic<unsigned> calls_ = 0;
};

Function::Function(std::span<const Expr> inputs, std::span<const Expr> outputs,
                   CompileOptions options)
    : Function(inputs, outputs, options, RareInputs{}) {}

Function::Function(std::span<const Expr> inputs, std::span<const Expr> outputs,
                   CompileOptions options, const RareInputs& rare) {
  check_stop();
  code_ = std::make_shared<const Code>(lower(inputs, outputs, options.fixed_cost),
                                       decide_native(options.native), rare);
}

Function::Function(std::initializer_list<Expr> inputs, std::initializer_list<Expr> outputs,
                   CompileOptions options)
    : Function(std::span<const Expr>(inputs.begin(), inputs.size()),
               std::span<const Expr>(outputs.begin(), outputs.size()), options) {}

std::size_t Function::num_inputs() const { return code_->program.num_inputs(); }
std::size_t Function::num_outputs() const { return code_->program.outputs.size(); }
std::size_t Function::num_instructions() const { return code_->program.code.size(); }
std::size_t Function::num_slots() const { return code_->tape().num_slots(); }
bool Function::is_machine_code() const { return code_->machine() != nullptr; }
bool Function::is_native() const { return code_->native != nullptr; }
const std::string& Function::why_not_native() const { return code_->why_not_native; }
const Program& Function::program() const { return code_->program; }

Workspace Function::make_workspace(Uses uses) const {
  if (is_native()) return Workspace(code_->native_work);
  Workspace work;
  work.machine_ = code_->machine_for(uses);
  if (work.machine_ != nullptr) {
    work.data_.assign(work.machine_->work_size(), 0.0);
  } else {
    work.data_ = code_->prepared ? code_->prepared->make_slots() : code_->make_slots();
    code_->note_tape();
  }
  if (code_->prepared) code_->prepared->add_kept(work.data_);
  return work;
}

void Function::evaluate(std::span<const double> in, std::span<double> out,
                        Workspace& work) const noexcept {
  assert(in.size() == num_inputs() && out.size() == num_outputs());
  double* s = work.data_.data();
  if (code_->native != nullptr) {
    code_->native(in.data(), out.data(), s);
    return;
  }
  if (code_->prepared) {
    const PreparedProgram& prepared = *code_->prepared;
    const bool is_tape = work.machine_ == nullptr;
    prepared.prepare(in.data(), s + work.data_.size(), is_tape ? prepared.inputs_in(s) : s);
    if (is_tape) return prepared.run_tape(in.data(), out.data(), s);
  }
  if (work.machine_ != nullptr) {
    work.machine_->run(in.data(), out.data(), s);
    return;
  }
  code_->run_tape(in, out, s);
}

void Function::rare_inputs_changed(Workspace& work) const noexcept {
  if (code_->prepared) code_->prepared->forget(work.data_.data() + work.data_.size());
}

Workspace Function::make_batch_workspace() const {
  const LaneFunction& lanes = code_->lanes();
  Workspace work(lanes.work_size() + (num_inputs() + num_outputs()) * lanes.lanes());
  lanes.prepare_work(work.data_.data());
  return work;
}

// The last points repeat one where there are fewer than lanes.
void Function::evaluate_batch(std::span<const double> in, std::span<double> out, std::size_t count,
                              Workspace& work) const noexcept {
  assert(in.size() == count * num_inputs() && out.size() == count * num_outputs());
  const LaneFunction& code = code_->lanes();
  const std::size_t lanes = code.lanes();
  double* const inside = work.data_.data();
  if (count == lanes) return code.evaluate(in.data(), out.data(), inside);
  double* const x = inside + code.work_size();
  double* const y = x + num_inputs() * lanes;
  for (std::size_t begin = 0; begin < count; begin += lanes) {
    const std::size_t points = std::min(lanes, count - begin);
    for (std::size_t i = 0; i < num_inputs(); ++i) {
      double* const to = std::copy_n(in.data() + i * count + begin, points, x + i * lanes);
      std::fill_n(to, lanes - points, x[i * lanes]);
    }
    code.evaluate(x, y, inside);
    for (std::size_t j = 0; j < num_outputs(); ++j) {
      std::copy_n(y + j * lanes, points, out.data() + j * count + begin);
    }
  }
}

std::vector<double> Function::operator()(std::span<const double> in) const {
  std::vector<double> out(num_outputs());
  if (code_->is_one_of_few()) {
    code_->run_tape(in, out, code_->make_slots().data());
    return out;
  }
  Workspace work = make_workspace();
  evaluate(in, out, work);
  return out;
}

std::vector<double> Function::operator()(std::initializer_list<double> in) const {
  return (*this)(std::span<const double>(in.begin(), in.size()));
}

std::optional<std::string> Function::diagnose(std::span<const double> in) const {
  return koppel::diagnose(code_->program, in);
}

}  // namespace koppel
