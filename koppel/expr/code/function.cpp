#include <koppel/expr/code/function.hpp>

#include <algorithm>
#include <cassert>

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

  Program program;
  Tape tape;
  std::unique_ptr<const MachineCode> machine;
  std::shared_ptr<const NativeLibrary> library;
  Native* native = nullptr;
  std::size_t native_work = 0;
  std::string why_not_native;
};

Function::Function(std::span<const Expr> inputs, std::span<const Expr> outputs,
                   CompileOptions options) {
  check_stop();
  auto code = std::make_shared<Code>(lower(inputs, outputs, options.fixed_cost));
  if (wants_native(options.native)) code->load_native();
  if (code->native == nullptr && wants_native(true)) {
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
  Workspace work(num_slots() * Tape::kBatch);
  double* s = work.data_.data() + num_inputs() * Tape::kBatch;
  for (const double number : code_->program.constants) s = std::fill_n(s, Tape::kBatch, number);
  return work;
}

void Function::evaluate_batch(std::span<const double> in, std::span<double> out, std::size_t count,
                              Workspace& work) const noexcept {
  assert(in.size() == count * num_inputs() && out.size() == count * num_outputs());
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
