// A program in two parts for evaluation in a loop: what follows from rare inputs alone (parameters,
// the length of steps) is computed once, the rest every time. The same operations, and so the same
// bits, as the whole.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include <koppel/expr/code/function.hpp>
#include <koppel/expr/code/split.hpp>
#include <koppel/expr/code/tape.hpp>

namespace koppel {

class PreparedProgram {
 public:
  // Whether enough would be saved.
  static bool pays(const Program& program, const RareInputs& rare);

  PreparedProgram(const Program& program, const RareInputs& rare);

  const Program& rest() const { return programs_.rest; }
  // Of the rest's inputs, for MachineCode: in `in` where they are in the whole's, or from the
  // beginning of `work` on.
  const std::vector<std::uint32_t>& places() const { return places_; }

  // What a workspace keeps at its end: whether something is prepared, the rare inputs that it
  // belongs to, and the slots to prepare it.
  void add_kept(std::vector<double>& work) const;
  // Computes what is prepared, where it is not there or belongs to other rare inputs: comparing
  // them costs a few instructions, and nobody need be trusted to say that they have changed.
  void prepare(const double* in, double* end_of_work, double* prepared) const noexcept {
    double* const kept = end_of_work - num_kept_;
    if (kept[0] == 0 || !is_of(in, kept + 1)) prepare_anew(in, kept, prepared);
  }
  void forget(double* end_of_work) const noexcept { *(end_of_work - num_kept_) = 0; }

  // On the tape: where prepared values stand among its slots.
  double* inputs_in(double* slots) const { return slots + num_often_; }
  std::vector<double> make_slots() const;
  void run_tape(const double* in, double* out, double* slots) const noexcept;

 private:
  struct Range {
    std::size_t begin, size;
  };
  bool is_of(const double* in, const double* rare) const noexcept;
  void prepare_anew(const double* in, double* kept, double* prepared) const noexcept;

  SplitProgram programs_;
  Tape prepare_;
  mutable std::once_flag has_rest_;
  mutable std::optional<Tape> rest_;  // made when it is first asked for
  std::vector<Range> rare_, often_;   // of the whole's inputs
  std::size_t num_rare_ = 0, num_often_ = 0, num_kept_ = 0;
  std::vector<std::uint32_t> places_;
};

}  // namespace koppel
