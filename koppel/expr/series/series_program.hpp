// A Program with, for each instruction, the recurrence that gives its higher coefficients.
#pragma once

#include <span>
#include <vector>

#include <koppel/expr/code/program.hpp>
#include <koppel/expr/graph/operations.hpp>
#include <koppel/expr/series/series.hpp>

namespace koppel {

struct SeriesInstruction {
  const TaylorRule* rule = nullptr;  // null: constant in time, nothing to do beyond order 0
  ValueId a = 0, b = 0, c = 0;       // what the kernel reads: operands, or a companion as c

  // Sums, differences, multiples: what needs no lower orders of operands and no branch.
  bool is_linear() const;
};

// Instructions that are evaluated at one order: k + lead in stage k.
struct SeriesGroup {
  struct Entry {
    std::uint32_t instruction;
    SeriesInstruction by;
  };
  int lead = 0;
  std::vector<Entry> entries;
  std::vector<std::uint32_t> zeros;  // instead of evaluating, the coefficient is set to 0
};

struct SeriesProgram {
  Program program;                       // inputs: variables, then parameters
  std::vector<char> is_read;             // for each input
  std::vector<char> is_read_later;       // from stage 1 on
  std::vector<char> needs_zero;          // its unknown coefficient is read from stage 1 on
  std::vector<SeriesGroup> groups;       // every instruction but the last, leads descending
  std::vector<SeriesGroup> later;        // the same from stage 1 on, without what is 0 then
  std::vector<SeriesGroup> corrections;  // what must be evaluated again after a stage is solved
  std::vector<SeriesGroup> last;         // what only the last outputs need
  // For each value whether its lower orders are read again. Where not, one number holds the
  // coefficient of the present stage: that saves most of the memory that a stage goes through.
  std::vector<char> has_history;
};

// Where the coefficients of a value stand: all orders one after the other, or one number.
class SeriesPlace {
 public:
  SeriesPlace() = default;
  SeriesPlace(std::size_t offset, bool has_orders)
      : bits_(static_cast<std::uint32_t>(offset) | (has_orders ? kHasOrders : 0)) {}

  std::uint32_t offset() const { return bits_ & ~kHasOrders; }
  bool has_orders() const { return (bits_ & kHasOrders) != 0; }
  // All bits, or none.
  std::uint32_t mask() const {
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(bits_) >> 31);
  }
  std::uint32_t of_order(int k) const {
    return offset() + (static_cast<std::uint32_t>(k) & mask());
  }

 private:
  static constexpr std::uint32_t kHasOrders = 0x80000000u;
  std::uint32_t bits_ = 0;
};

struct SeriesLayout {
  std::vector<SeriesPlace> place;  // of each value
  std::size_t size = 0;
};
// Single numbers first, then the values with all orders, `stride` each; what stages after 0 do not
// go through stands at the end.
SeriesLayout lay_out(const SeriesProgram& series, std::size_t stride);

SeriesProgram lower_series(std::span<const Expr> variables, std::span<const Expr> parameters,
                           std::span<const Expr> outputs, const SeriesStages& stages = {});

}  // namespace koppel
