#include <koppel/expr/code/function.hpp>

#include <algorithm>
#include <cassert>
#include <mutex>

#include <koppel/base/stop.hpp>
#include <koppel/expr/code/diagnose.hpp>
#include <koppel/expr/code/emit_c.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/native.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/tape.hpp>

namespace koppel {

struct Function::Code {
  using Native = void(const double* in, double* out, double* work);

  explicit Code(Program p) : program(std::move(p)), tape(program) {}

  void load_native() {
    const CCode c = emit_c(program, "koppel_function");
    NativeResult result = compile_native(emit_c_prelude() + c.source);
    library = std::move(result.library);
    why_not_native = std::move(result.why_not);
    if (library == nullptr) return;
    native = library->find<Native>("koppel_function");
    native_work = c.work_size;
  }

  // Machine code for several points at once; made when it is asked for first. Null: the tape.
  const MachineCode* lanes() const {
    std::call_once(has_lanes_, [&] {
      if (machine != nullptr) lanes_ = MachineCode::generate(program, MachineCode::kLanes);
    });
    return lanes_.get();
  }

  Program program;
  Tape tape;
  std::unique_ptr<const MachineCode> machine;
  std::shared_ptr<const NativeLibrary> library;
  Native* native = nullptr;
  std::size_t native_work = 0;
  std::string why_not_native;

 private:
  mutable std::once_flag has_lanes_;
  mutable std::unique_ptr<const MachineCode> lanes_;
};

namespace {

// The last points repeat one where there are fewer than lanes.
void evaluate_lanes(const MachineCode& code, std::span<const double> in, std::span<double> out,
                    std::size_t count, double* work) noexcept {
  constexpr std::size_t kLanes = MachineCode::kLanes;
  const std::size_t num_in = in.size() / std::max<std::size_t>(count, 1);
  const std::size_t num_out = out.size() / std::max<std::size_t>(count, 1);
  double* const x = work;
  double* const y = x + num_in * kLanes;
  for (std::size_t begin = 0; begin < count; begin += kLanes) {
    const std::size_t points = std::min(kLanes, count - begin);
    for (std::size_t i = 0; i < num_in; ++i) {
      const double* const from = in.data() + i * count + begin;
      for (std::size_t k = 0; k < kLanes; ++k) x[i * kLanes + k] = from[std::min(k, points - 1)];
    }
    code.run(x, y, y + num_out * kLanes);
    for (std::size_t j = 0; j < num_out; ++j) {
      std::copy_n(y + j * kLanes, points, out.data() + j * count + begin);
    }
  }
}

}  // namespace

Function::Function(std::span<const Expr> inputs, std::span<const Expr> outputs,
                   CompileOptions options) {
  check_stop();
  auto code = std::make_shared<Code>(lower(inputs, outputs, options.fixed_cost));
  const Native by = decide_native(options.native);
  if (by == Native::Cc) code->load_native();
  if (code->native == nullptr && by != Native::Off) {
    code->machine = MachineCode::generate(code->program);
  }
  code_ = std::move(code);
}

Function::Function(std::initializer_list<Expr> inputs, std::initializer_list<Expr> outputs,
                   CompileOptions options)
    : Function(std::span<const Expr>(inputs.begin(), inputs.size()),
               std::span<const Expr>(outputs.begin(), outputs.size()), options) {}

std::size_t Function::num_inputs() const { return code_->program.num_inputs(); }
std::size_t Function::num_outputs() const { return code_->program.outputs.size(); }
std::size_t Function::num_instructions() const { return code_->program.code.size(); }
std::size_t Function::num_slots() const { return code_->tape.num_slots(); }
bool Function::is_machine_code() const { return code_->machine != nullptr; }
bool Function::is_native() const { return code_->native != nullptr; }
const std::string& Function::why_not_native() const { return code_->why_not_native; }
const Program& Function::program() const { return code_->program; }

Workspace Function::make_workspace() const {
  if (is_native()) return Workspace(code_->native_work);
  if (code_->machine != nullptr) return Workspace(code_->machine->work_size());
  Workspace work(num_slots());
  const auto& constants = code_->program.constants;
  std::copy(constants.begin(), constants.end(),
            work.data_.begin() + static_cast<std::ptrdiff_t>(num_inputs()));
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
  if (code_->machine != nullptr) {
    code_->machine->run(in.data(), out.data(), s);
    return;
  }
  std::copy(in.begin(), in.end(), s);
  code_->tape.run(s, code_->program.tables.data());
  const auto& slots = code_->tape.outputs();
  for (std::size_t j = 0; j < slots.size(); ++j) out[j] = s[slots[j]];
}

Workspace Function::make_batch_workspace() const {
  if (const MachineCode* lanes = code_->lanes()) {
    return Workspace((num_inputs() + num_outputs()) * MachineCode::kLanes + lanes->work_size());
  }
  Workspace work(num_slots() * Tape::kBatch);
  double* s = work.data_.data() + num_inputs() * Tape::kBatch;
  for (const double number : code_->program.constants) s = std::fill_n(s, Tape::kBatch, number);
  return work;
}

void Function::evaluate_batch(std::span<const double> in, std::span<double> out, std::size_t count,
                              Workspace& work) const noexcept {
  assert(in.size() == count * num_inputs() && out.size() == count * num_outputs());
  if (const MachineCode* lanes = code_->lanes()) {
    return evaluate_lanes(*lanes, in, out, count, work.data_.data());
  }
  double* s = work.data_.data();
  const auto& slots = code_->tape.outputs();
  for (std::size_t begin = 0; begin < count; begin += Tape::kBatch) {
    const std::size_t points = std::min(Tape::kBatch, count - begin);
    for (std::size_t i = 0; i < num_inputs(); ++i) {
      std::copy_n(in.data() + i * count + begin, points, s + i * Tape::kBatch);
    }
    code_->tape.run_batch(s, code_->program.tables.data());
    for (std::size_t j = 0; j < slots.size(); ++j) {
      std::copy_n(s + slots[j] * Tape::kBatch, points, out.data() + j * count + begin);
    }
  }
}

std::vector<double> Function::operator()(std::span<const double> in) const {
  std::vector<double> out(num_outputs());
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
