// Machine code of a series, generated in the process: for each group of instructions one piece for
// order 0 and one for the orders above, as the tape goes through them and with the same bits.
//
// Coefficients stand in memory, where the recurrences read them. What a sum or a product has just
// given is also kept in a register. Products are a routine of the code itself, which leaves those
// registers alone; rarer recurrences are the kernels of runtime/taylor.h.
#pragma once

#include <memory>
#include <vector>

#include <koppel/expr/code/code_pages.hpp>
#include <koppel/expr/series/series_program.hpp>

namespace koppel {

class SeriesMachineCode {
 public:
  // Null where there can be none, as for MachineCode. Both must live as long as the code.
  static std::unique_ptr<const SeriesMachineCode> generate(const SeriesProgram& series,
                                                           const SeriesLayout& layout);

  // Stage k; see Series.
  void evaluate(int k, double* c) const noexcept { run(k > 0 ? later_ : first_, k, c); }
  void correct(int k, double* c) const noexcept { run(corrections_, k, c); }

  using Piece = void(double* c, long k);
  struct Group {
    int lead = 0;
    Piece *values = nullptr, *order = nullptr;  // at order 0, and above
  };

 private:
  SeriesMachineCode() = default;

  static void run(const std::vector<Group>& groups, int k, double* c) noexcept {
    for (const Group& group : groups) {
      const int order = k + group.lead;
      if (order == 0) {
        group.values(c, 0);
      } else if (order > 0) {
        group.order(c, order);
      }
    }
  }

  std::unique_ptr<const CodePages> pages_;
  std::vector<Group> first_, later_, corrections_;
};

}  // namespace koppel
