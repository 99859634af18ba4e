// Machine code: a Program as x86-64 instructions, generated in the process in a tenth of a
// microsecond an operation. Values live in registers; where these are not enough, the value that is
// needed last goes to `work` [Belady 1966]. The operations and their order are those of the tape,
// so that results are the same to the last bit; functions other than the root are called where the
// tape calls them.
//
// Pages are writable while code is put there and executable afterwards, never both.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include <koppel/expr/code/program.hpp>

namespace koppel {

class MachineCode {
 public:
  // Null where the processor is another (AVX is needed), the system permits no executable memory,
  // or the program is too small to gain. The program must live as long as the code: calls refer to
  // its tables.
  static std::unique_ptr<const MachineCode> generate(const Program& program);

  MachineCode(const MachineCode&) = delete;
  MachineCode& operator=(const MachineCode&) = delete;
  ~MachineCode();

  std::size_t work_size() const { return work_size_; }
  void run(const double* in, double* out, double* work) const noexcept {
    entry_(in, out, work, numbers_.data());
  }

 private:
  using Entry = void(const double* in, double* out, double* work, const double* numbers);

  MachineCode() = default;

  Entry* entry_ = nullptr;
  void* pages_ = nullptr;
  std::size_t num_bytes_ = 0;
  std::vector<double> numbers_;  // constants, and masks for signs
  std::size_t work_size_ = 0;
};

}  // namespace koppel
