#include <koppel/expr/code/lane_function.hpp>

#include <algorithm>
#include <chrono>
#include <new>

#include <koppel/expr/code/native.hpp>

namespace koppel {

LaneFunction::LaneFunction(Program program, Native native, std::size_t lanes)
    : owned_(std::make_shared<const Program>(std::move(program))),
      program_(owned_.get()),
      lanes_(lanes) {
  generate(decide_native(native) != Native::Off);
}

LaneFunction::LaneFunction(const Program* program, bool may_generate) : program_(program) {
  generate(may_generate);
}

void LaneFunction::generate(bool may_generate) {
  if (may_generate && lanes_ != Tape::kBatch) {
    const int lanes = lanes_ > 0 ? static_cast<int>(lanes_) : MachineCode::most_lanes();
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
  if (lanes_ == 0) lanes_ = code_ != nullptr ? code_->lanes() : Tape::kBatch;
  work_size_ = code_ != nullptr ? code_->work_size() : tape_->num_slots() * num_copies();
}

std::vector<double> LaneFunction::make_work() const {
  std::vector<double> work(work_size_);
  prepare_work(work.data());
  return work;
}

// Constants stand behind the inputs.
void LaneFunction::prepare_work(double* work) const {
  if (code_ != nullptr) return;
  work += num_inputs_ * num_copies();
  for (const double number : program_->constants) work = std::fill_n(work, num_copies(), number);
}

void LaneFunction::run_tape(const double* in, double* out, double* work) const noexcept {
  if (num_copies() == 1) return run_tape_by_lane(in, out, work);
  std::copy_n(in, num_inputs_ * lanes_, work);
  tape_->run_batch(work, program_->tables.data());
  for (const std::uint32_t slot : tape_->outputs()) {
    out = std::copy_n(work + slot * lanes_, lanes_, out);
  }
}

void LaneFunction::run_tape_by_lane(const double* in, double* out, double* work) const noexcept {
  for (std::size_t lane = 0; lane < lanes_; ++lane) {
    for (std::size_t i = 0; i < num_inputs_; ++i) work[i] = in[i * lanes_ + lane];
    tape_->run(work, program_->tables.data());
    double* to = out + lane;
    for (const std::uint32_t slot : tape_->outputs()) *to = work[slot], to += lanes_;
  }
}

}  // namespace koppel
