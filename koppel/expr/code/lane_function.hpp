// LaneFunction: a Program evaluated at several points at once, one a lane. By machine code for
// eight (AVX-512), four (AVX2) or one; where there is none, by the tape, for more. Each lane has
// the bits of Function::evaluate.
//
//   LaneFunction f(program);
//   f.evaluate(in, out, work);      // in[lanes·i + lane], out[lanes·j + lane]
//
// Function::evaluate_batch is made of it, for any number of points.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/code/program.hpp>
#include <koppel/expr/code/tape.hpp>

namespace koppel {

class LaneFunction {
 public:
  // Copies share the code. `lanes`: as many as another function has that is evaluated beside it,
  // whether there is code for so many or not (a large one may get no memory for its code where a
  // small one does); 0: those that are fastest. Throws Error `expr.bad-environment`.
  explicit LaneFunction(Program program, Native native = Native::Auto, std::size_t lanes = 0);
  // Of a program that lives as long.
  LaneFunction(const Program* program, bool may_generate);

  std::size_t lanes() const { return lanes_; }
  std::size_t num_inputs() const { return num_inputs_; }
  std::size_t num_outputs() const { return num_outputs_; }
  std::size_t num_instructions() const { return program_->code.size(); }

  std::size_t work_size() const { return work_size_; }
  std::vector<double> make_work() const;
  // Numbers that must stand in `work` before it is used first; make_work() has them.
  void prepare_work(double* work) const;
  // Never allocates, never throws.
  void evaluate(const double* in, double* out, double* work) const noexcept {
    if (code_ != nullptr) return code_->run(in, out, work);
    run_tape(in, out, work);
  }

 private:
  void generate(bool may_generate);
  void run_tape(const double* in, double* out, double* work) const noexcept;
  void run_tape_by_lane(const double* in, double* out, double* work) const noexcept;
  // How often a number stands in the slots of the tape, which runs in blocks or for one lane.
  std::size_t num_copies() const { return lanes_ == Tape::kBatch ? lanes_ : 1; }

  std::shared_ptr<const Program> owned_;
  const Program* program_;
  std::shared_ptr<const MachineCode> code_;
  std::shared_ptr<const Tape> tape_;  // where there is no code
  std::size_t lanes_ = 0, num_inputs_ = 0, num_outputs_ = 0, work_size_ = 0;
};

}  // namespace koppel
