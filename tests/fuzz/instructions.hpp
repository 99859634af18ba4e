// Any bytes as a list of instructions over four inputs and the numbers that branches, signs and
// roundings turn on.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <limits>
#include <span>
#include <vector>

#include <koppel/base/diagnostic.hpp>
#include <koppel/expr/graph/graph.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel::testing {

constexpr std::size_t kNumInputs = 4, kMostInstructions = 1000;
constexpr double kNumbers[] = {0.0,   -0.0,   1,          -1,     0.5,     2,
                               3,     -1.75,  1e-3,       1e17,   1e308,   -1e-310,
                               1.6e6, 5e-324, 3.14159265, 1e-160, -1.5e308};

inline bool is_same(double a, double b) {
  return (std::isnan(a) && std::isnan(b)) ||
         std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline void compare(double tape, double other, const char* name) {
  if (is_same(tape, other)) return;
  std::cerr << "tape " << tape << ", " << name << ' ' << other << '\n';
  std::abort();
}

// The bytes, one after the other; zeros behind the last.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data, size) {}
  std::size_t next() { return at_ < data_.size() ? data_[at_++] : 0; }
  bool is_over() const { return at_ >= data_.size(); }

 private:
  std::span<const std::uint8_t> data_;
  std::size_t at_ = 0;
};

// Four bytes an instruction: the operation and its operands, counted back from the last value, so
// that values are used at once as well as much later.
inline std::vector<Expr> make_values(Graph& graph, std::span<const Expr> inputs, Bytes& bytes) {
  const double x[] = {0, 1, 2, 4}, y[] = {1, -1, 3, 2};
  const Table tables[] = {graph.add_table("road", TableData::spline(x, y)),
                          graph.add_table("held", TableData::held(x, y))};
  std::vector<Expr> values(inputs.begin(), inputs.end());
  for (std::size_t n = 0; n < kMostInstructions && !bytes.is_over(); ++n) {
    const std::size_t code = bytes.next();
    const auto operand = [&]() -> Expr {
      const std::size_t byte = bytes.next();
      if (byte >= 250) return kNumbers[(byte + n) % std::size(kNumbers)];
      return values[values.size() - 1 - (byte * byte / 64) % values.size()];
    };
    const Expr a = operand(), b = operand(), c = operand();
    constexpr auto kFirst = static_cast<std::size_t>(Op::Neg);
    // Every second one is a sum, a difference or a product, as in mechanics.
    constexpr Op kUsual[] = {Op::Add, Op::Sub, Op::Mul};
    const Op op = code % 2 == 0 ? kUsual[code / 2 % 3]
                                : static_cast<Op>(kFirst + code / 2 % (kNumOps - kFirst));
    try {
      const int arity = operation(op).arity;
      const Expr made = op == Op::Table ? tables[code % 4 / 2](a)
                        : arity == 1    ? apply(op, a)
                        : arity == 2    ? apply(op, a, b)
                                        : apply(op, a, b, c);
      values.emplace_back(graph, graph.adopt(made));
    } catch (const Error&) {
      // Of numbers alone, and outside the domain.
    }
  }
  return values;
}

}  // namespace koppel::testing
