// Machine code: a Program as x86-64 instructions, generated in the process in a tenth of a
// microsecond an operation. Values live in registers; where these are not enough, the value that is
// needed last goes to `work` [Belady 1966]. The operations and their order are those of the tape,
// so that results are the same to the last bit; functions other than the root are called where the
// tape calls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <koppel/expr/code/code_pages.hpp>
#include <koppel/expr/code/program.hpp>

namespace koppel {

class MachineCode {
 public:
  // Null where the processor is another (AVX is needed; for four lanes AVX2, for eight AVX-512 F
  // and DQ) or the system permits no executable memory. The program must live as long as the code:
  // calls refer to its tables. With several lanes as many points are evaluated at once, each with
  // the bits of one: number k of `in`, `out` stands for all points in a row, from in[lanes k] on.
  // `places`: of each input its number in `in`; from kInWork on, its number in `work` more than
  // that, where the caller has put it (it stays there). Empty: one after the other in `in`.
  static constexpr std::uint32_t kInWork = 0x80000000u;
  static std::unique_ptr<const MachineCode> generate(const Program& program, int lanes = 1,
                                                     std::span<const std::uint32_t> places = {});
  // As many as the processor has: 8, 4 or 1; not more than KOPPEL_LANES in the environment, which
  // can be these. Throws Error `expr.bad-environment`.
  static int most_lanes();

  std::size_t lanes() const { return lanes_; }
  std::size_t work_size() const { return work_size_; }
  void run(const double* in, double* out, double* work) const noexcept {
    entry_(in, out, work, numbers_.data());
  }

 private:
  using Entry = void(const double* in, double* out, double* work, const double* numbers);

  MachineCode() = default;

  Entry* entry_ = nullptr;
  std::shared_ptr<const CodePages> pages_;
  std::vector<double> numbers_;  // constants, and masks for signs
  std::size_t lanes_ = 1, work_size_ = 0;
};

}  // namespace koppel
