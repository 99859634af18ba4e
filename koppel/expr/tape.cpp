#include <koppel/expr/tape.hpp>

#include <array>
#include <cmath>
#include <utility>

#include <koppel/runtime/trig.h>
#include <koppel/expr/operations.hpp>

namespace koppel {
namespace {

// Of an operation that is not a table; `variant` is that of the instruction.
template <Op op>
[[gnu::always_inline]] inline double value_of(int variant, double a, double b, double c) {
  if constexpr (op == Op::Sin) return variant == 0 ? std::sin(a) : koppel_sin(a);
  if constexpr (op == Op::Cos) return variant == 0 ? std::cos(a) : koppel_cos(a);
  return operation(op).value(a, b, c);
}

template <Op op>
[[gnu::always_inline]] inline void execute(double* s, const TapeInstruction& i,
                                           const Program::NamedTable* tables) {
  if constexpr (op == Op::Table) {
    s[i.result] = tables[i.b].data.evaluate(s[i.a], i.variant);
  } else if constexpr (operation(op).arity > 0) {
    s[i.result] = value_of<op>(i.variant, s[i.a], s[i.b], s[i.c]);
  }
}

// A chain of comparisons, which compilers turn into a jump table: faster than calls through an
// array of functions.
template <std::size_t... op>
[[gnu::always_inline]] inline void execute_any(double* s, const TapeInstruction& i,
                                               const Program::NamedTable* tables,
                                               std::index_sequence<op...>) {
  const auto which = static_cast<std::size_t>(i.op);
  static_cast<void>(((which == op && (execute<static_cast<Op>(op)>(s, i, tables), true)) || ...));
}

// A slot of the result may be a slot of an operand, but then at the same point: the loop has no
// dependence between points.
template <Op op>
void execute_batch(double* s, const TapeInstruction& i, const Program::NamedTable* tables) {
  double* r = s + i.result * Tape::kBatch;
  const double* a = s + i.a * Tape::kBatch;
  if constexpr (op == Op::Table) {
    for (std::size_t p = 0; p < Tape::kBatch; ++p) {
      r[p] = tables[i.b].data.evaluate(a[p], i.variant);
    }
  } else if constexpr (operation(op).arity > 0) {
    const double* b = s + i.b * Tape::kBatch;
    const double* c = s + i.c * Tape::kBatch;
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::size_t p = 0; p < Tape::kBatch; ++p) r[p] = value_of<op>(i.variant, a[p], b[p], c[p]);
  }
}

using BatchHandler = void (*)(double* s, const TapeInstruction& i,
                              const Program::NamedTable* tables);

template <std::size_t... op>
constexpr auto make_batch_handlers(std::index_sequence<op...>) {
  return std::array<BatchHandler, sizeof...(op)>{execute_batch<static_cast<Op>(op)>...};
}

constexpr auto kOps = std::make_index_sequence<kNumOps>();
constexpr auto kBatchHandlers = make_batch_handlers(kOps);

}  // namespace

Tape::Tape(const Program& program) {
  const std::size_t leaves = program.num_leaves();
  constexpr std::uint32_t kForever = 0xFFFFFFFFu;
  std::vector<std::uint32_t> last_use(program.num_values(), 0);
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    for_each_operand(program.code[n],
                     [&](ValueId v) { last_use[v] = static_cast<std::uint32_t>(n); });
  }
  for (const ValueId v : program.outputs) last_use[v] = kForever;

  std::vector<std::uint32_t> slot(program.num_values());
  for (std::size_t v = 0; v < leaves; ++v) slot[v] = static_cast<std::uint32_t>(v);
  std::vector<std::uint32_t> free;
  num_slots_ = leaves;
  code_.reserve(program.code.size());
  for (std::size_t n = 0; n < program.code.size(); ++n) {
    const Instruction& in = program.code[n];
    TapeInstruction out{in.op, in.variant, 0, in.a, in.b, in.c};
    for_each_operand(out, [&](std::uint32_t& v) {
      const ValueId value = v;
      v = slot[value];
      if (value >= leaves && last_use[value] == n) {
        free.push_back(v);
        last_use[value] = kForever;  // freed once, though it be the operand twice
      }
    });
    if (free.empty()) free.push_back(static_cast<std::uint32_t>(num_slots_++));
    out.result = slot[leaves + n] = free.back();
    free.pop_back();
    code_.push_back(out);
  }
  for (const ValueId v : program.outputs) outputs_.push_back(slot[v]);
}

void Tape::run(double* s, const Program::NamedTable* tables) const noexcept {
  for (const TapeInstruction& i : code_) execute_any(s, i, tables, kOps);
}

void Tape::run_batch(double* s, const Program::NamedTable* tables) const noexcept {
  for (const TapeInstruction& i : code_) {
    kBatchHandlers[static_cast<std::size_t>(i.op)](s, i, tables);
  }
}

}  // namespace koppel
