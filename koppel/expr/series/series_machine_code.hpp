// Machine code of a series, generated in the process: for each group of instructions one piece for
// order 0 and one for the orders above, as the tape goes through them and with the same bits.
//
// Coefficients stand in memory, where the recurrences read them. What a sum or a product has just
// given is also kept in a register. Products are a routine of the code itself, which leaves those
// registers alone; rarer recurrences are the kernels of runtime/taylor.h. Where stages are solved
// (SeriesSolution), one routine goes through them, from the first on in which no value is of order
// 0.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include <koppel/expr/code/code_pages.hpp>
#include <koppel/expr/code/machine_code.hpp>
#include <koppel/expr/series/series_expansion.hpp>

namespace koppel {

class SeriesMachineCode {
 public:
  // How stages are solved: X of b and the entries of the matrix.
  struct Solution {
    const MachineCode& code;
    const SeriesExpansion& expansion;
  };

  // Null where there can be none, as for MachineCode. What is given must live as long as the code,
  // but for the expansion.
  static std::unique_ptr<const SeriesMachineCode> generate(
      const SeriesProgram& series, const SeriesLayout& layout,
      const std::optional<Solution>& solution = {});

  // Stage k; see Series.
  void evaluate(int k, double* c) const noexcept { run(k > 0 ? later_ : first_, k, c); }
  void correct(int k, double* c) const noexcept { run(corrections_, k, c); }
  void evaluate_last(int k, double* c) const noexcept { run(last_, k, c); }

  // Stages first … last, first ≥ expands_from(), as Series::expand. Never: without a solution.
  static constexpr int kNever = std::numeric_limits<int>::max();
  int expands_from() const { return expands_from_; }
  void expand(int first, int last, double* c, double* in, double* X, double* work) const noexcept {
    expand_(c, first, last, in, X, work, solution_);
  }

 private:
  using Piece = void();  // of the code, with its own registers
  struct Group {
    int lead = 0;
    Piece *values = nullptr, *order = nullptr;  // at order 0, and above
  };
  using Enter = void(double* c, long k, Piece* piece);
  using Expand = void(double* c, long first, long last, double* in, double* X, double* work,
                      const MachineCode* solution);

  SeriesMachineCode() = default;

  void run(const std::vector<Group>& groups, int k, double* c) const noexcept {
    for (const Group& group : groups) {
      const int order = k + group.lead;
      if (order >= 0) enter_(c, order, order == 0 ? group.values : group.order);
    }
  }

  std::shared_ptr<const CodePages> pages_;
  std::vector<Group> first_, later_, corrections_, last_;
  Enter* enter_ = nullptr;
  Expand* expand_ = nullptr;
  const MachineCode* solution_ = nullptr;
  int expands_from_ = kNever;
};

}  // namespace koppel
