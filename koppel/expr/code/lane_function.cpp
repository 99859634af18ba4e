#include <koppel/expr/code/lane_function.hpp>

#include <algorithm>
#include <chrono>
#include <new>

#include <koppel/expr/code/native.hpp>

namespace koppel {

LaneFunction::LaneFunction(Program program, Native native)
    : owned_(std::make_shared<const Program>(std::move(program))), program_(owned_.get()) {
  generate(decide_native(native) != Native::Off);
}

LaneFunction::LaneFunction(const Program* program, bool may_generate) : program_(program) {
  generate(may_generate);
}

void LaneFunction::generate(bool may_generate) {
  if (may_generate) {
    const int lanes = MachineCode::most_lanes();
    const auto start = std::chrono::steady_clock::now();
    try {
      code_ = MachineCode::generate(*program_, lanes);
      if (code_ != nullptr) note_generated(program_->code.size(), start);
    } catch (const std::bad_alloc&) {  // the tape needs less
    }
  }
  if (code_ == nullptr) tape_ = std::make_shared<const Tape>(*program_);
  num_inputs_ = program_->num_inputs();
  num_outputs_ = program_->outputs.size();
  lanes_ = code_ != nullptr ? code_->lanes() : Tape::kBatch;
  work_size_ = code_ != nullptr ? code_->work_size() : tape_->num_slots() * lanes_;
}

std::vector<double> LaneFunction::make_work() const {
  std::vector<double> work(work_size_);
  prepare_work(work.data());
  return work;
}

// Constants stand behind the inputs.
void LaneFunction::prepare_work(double* work) const {
  if (code_ != nullptr) return;
  work += num_inputs_ * lanes_;
  for (const double number : program_->constants) work = std::fill_n(work, lanes_, number);
}

void LaneFunction::run_tape(const double* in, double* out, double* work) const noexcept {
  std::copy_n(in, num_inputs_ * lanes_, work);
  tape_->run_batch(work, program_->tables.data());
  for (const std::uint32_t slot : tape_->outputs()) {
    out = std::copy_n(work + slot * lanes_, lanes_, out);
  }
}

}  // namespace koppel
