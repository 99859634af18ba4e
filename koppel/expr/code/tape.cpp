#include <koppel/expr/code/tape.hpp>

#include <array>
#include <cmath>
#include <utility>

#include <koppel/runtime/trig.h>
#include <koppel/expr/code/own_functions.hpp>
#include <koppel/expr/graph/operations.hpp>

namespace koppel {
namespace {

// Of an operation that is not a table; `variant` is that of the instruction.
template <Op op>
[[gnu::always_inline]] inline double value_of(int variant, double a, double b, double c) {
  if constexpr (has_own_function(op)) {
    if (variant != 0) return own_function(op)(a, b, c);
  }
  return operation(op).value(a, b, c);
}

// Reads the angle before it writes.
[[gnu::always_inline]] inline void turn(int variant, double angle, double& sine, double& cosine) {
  if (variant == 0) {
    library_turn(angle, &sine, &cosine);
  } else {
    const koppel_turned both = koppel_turn(angle);
    sine = both.sin;
    cosine = both.cos;
  }
}

constexpr bool is_fused(std::size_t op) { return op >= static_cast<std::size_t>(kNumOps); }
constexpr bool is_fused_turn(std::size_t op) { return op == static_cast<std::size_t>(Fused::Turn); }

// Compiled without contraction: product and sum are rounded one after the other.
template <Fused op>
[[gnu::always_inline]] inline double fused_value(double a, double b, double c) {
  const double product = b * c;
  if constexpr (op == Fused::AddMul) return a + product;
  if constexpr (op == Fused::SubMul) return a - product;
  return product - a;
}

template <std::size_t op>
[[gnu::always_inline]] inline void execute(double* s, const TapeInstruction& i,
                                           const Program::NamedTable* tables) {
  if constexpr (is_fused_turn(op)) {
    turn(i.variant, s[i.a], s[i.result], s[i.b]);
  } else if constexpr (is_fused(op)) {
    s[i.result] = fused_value<static_cast<Fused>(op)>(s[i.a], s[i.b], s[i.c]);
  } else if constexpr (static_cast<Op>(op) == Op::Table) {
    s[i.result] = tables[i.b].data.evaluate(s[i.a], i.variant);
  } else if constexpr (operation(static_cast<Op>(op)).arity > 0) {
    s[i.result] = value_of<static_cast<Op>(op)>(i.variant, s[i.a], s[i.b], s[i.c]);
  }
}

// A chain of comparisons, which compilers turn into a jump table: faster than calls through an
// array of functions.
template <std::size_t... op>
[[gnu::always_inline]] inline void execute_any(double* s, const TapeInstruction& i,
                                               const Program::NamedTable* tables,
                                               std::index_sequence<op...>) {
  const std::size_t which = i.op;
  static_cast<void>(((which == op && (execute<op>(s, i, tables), true)) || ...));
}

// A slot of the result may be a slot of an operand, but then at the same point: the loop has no
// dependence between points.
template <std::size_t op>
void execute_batch(double* s, const TapeInstruction& i, const Program::NamedTable* tables) {
  double* r = s + i.result * Tape::kBatch;
  const double* a = s + i.a * Tape::kBatch;
  const double* b = s + i.b * Tape::kBatch;
  const double* c = s + i.c * Tape::kBatch;
  if constexpr (is_fused_turn(op)) {
    double* second = s + i.b * Tape::kBatch;
    for (std::size_t p = 0; p < Tape::kBatch; ++p) turn(i.variant, a[p], r[p], second[p]);
  } else if constexpr (is_fused(op)) {
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::size_t p = 0; p < Tape::kBatch; ++p) {
      r[p] = fused_value<static_cast<Fused>(op)>(a[p], b[p], c[p]);
    }
  } else if constexpr (static_cast<Op>(op) == Op::Table) {
    for (std::size_t p = 0; p < Tape::kBatch; ++p) {
      r[p] = tables[i.b].data.evaluate(a[p], i.variant);
    }
  } else if constexpr (operation(static_cast<Op>(op)).arity > 0) {
#ifndef __clang__
#pragma GCC ivdep
#endif
    for (std::size_t p = 0; p < Tape::kBatch; ++p) {
      r[p] = value_of<static_cast<Op>(op)>(i.variant, a[p], b[p], c[p]);
    }
  }
}

using BatchHandler = void (*)(double* s, const TapeInstruction& i,
                              const Program::NamedTable* tables);

template <std::size_t... op>
constexpr auto make_batch_handlers(std::index_sequence<op...>) {
  return std::array<BatchHandler, sizeof...(op)>{execute_batch<op>...};
}

constexpr auto kOps = std::make_index_sequence<kNumTapeOps>();
constexpr auto kBatchHandlers = make_batch_handlers(kOps);

template <typename F>
void for_each_slot(TapeInstruction& i, F&& f) {
  const int n = is_fused_turn(i.op) ? 1 : is_fused(i.op) ? 3 : arity_of(static_cast<Op>(i.op));
  if (n > 0) f(i.a);
  if (n > 1) f(i.b);
  if (n > 2) f(i.c);
}

// The program with products fused into the sums that read them, in terms of values.
std::vector<TapeInstruction> fuse(const Program& program) {
  const auto leaves = static_cast<ValueId>(program.num_leaves());
  std::vector<std::uint32_t> uses(program.num_values(), 0);
  for (const Instruction& in : program.code) for_each_operand(in, [&](ValueId v) { ++uses[v]; });
  for (const ValueId v : program.outputs) uses[v] += 2;
  const auto product = [&](ValueId v) -> const Instruction* {
    if (v < leaves || uses[v] != 1) return nullptr;
    const Instruction& in = program.code[v - leaves];
    return in.op == Op::Mul ? &in : nullptr;
  };
  std::vector<char> is_left_out(program.code.size(), false);
  std::vector<TapeInstruction> code;
  for (ValueId n = 0; n < program.code.size(); ++n) {
    const Instruction& in = program.code[n];
    if (n + 1 < program.code.size() && are_of_one_angle(in, program.code[n + 1])) {
      const bool is_sine = in.op == Op::Sin;
      code.push_back({static_cast<std::uint8_t>(Fused::Turn), in.variant,
                      leaves + (is_sine ? n : n + 1), in.a, leaves + (is_sine ? n + 1 : n), 0});
      ++n;
      continue;
    }
    TapeInstruction& out = code.emplace_back(TapeInstruction{
        static_cast<std::uint8_t>(in.op), in.variant, leaves + n, in.a, in.b, in.c});
    if (in.op != Op::Add && in.op != Op::Sub) continue;
    const bool is_second = product(in.b) != nullptr;
    const ValueId fused = is_second ? in.b : in.a;
    const Instruction* const mul = product(fused);
    if (mul == nullptr) continue;
    const Fused op = in.op == Op::Add ? Fused::AddMul : is_second ? Fused::SubMul : Fused::MulSub;
    out.op = static_cast<std::uint8_t>(op);
    out.a = is_second ? in.a : in.b;
    out.b = mul->a;
    out.c = mul->b;
    is_left_out[fused - leaves] = true;
  }
  std::erase_if(code,
                [&](const TapeInstruction& i) { return is_left_out[i.result - leaves] != 0; });
  return code;
}

}  // namespace

Tape::Tape(const Program& program) : code_(fuse(program)) {
  const std::size_t leaves = program.num_leaves();
  constexpr std::uint32_t kForever = 0xFFFFFFFFu;
  std::vector<std::uint32_t> last_use(program.num_values(), 0);
  for (std::size_t n = 0; n < code_.size(); ++n) {
    for_each_slot(code_[n], [&](ValueId v) { last_use[v] = static_cast<std::uint32_t>(n); });
  }
  for (const ValueId v : program.outputs) last_use[v] = kForever;

  std::vector<std::uint32_t> slot(program.num_values());
  for (std::size_t v = 0; v < leaves; ++v) slot[v] = static_cast<std::uint32_t>(v);
  std::vector<std::uint32_t> free;
  num_slots_ = leaves;
  for (std::size_t n = 0; n < code_.size(); ++n) {
    for_each_slot(code_[n], [&](std::uint32_t& v) {
      const ValueId value = v;
      v = slot[value];
      if (value >= leaves && last_use[value] == n) {
        free.push_back(v);
        last_use[value] = kForever;  // freed once, though it be the operand twice
      }
    });
    const auto take = [&](std::uint32_t& result) {
      if (free.empty()) free.push_back(static_cast<std::uint32_t>(num_slots_++));
      slot[result] = free.back();
      result = free.back();
      free.pop_back();
    };
    take(code_[n].result);
    if (is_fused_turn(code_[n].op)) take(code_[n].b);
  }
  for (const ValueId v : program.outputs) outputs_.push_back(slot[v]);
}

void Tape::run(double* s, const Program::NamedTable* tables) const noexcept {
  for (const TapeInstruction& i : code_) execute_any(s, i, tables, kOps);
}

void Tape::run_batch(double* s, const Program::NamedTable* tables) const noexcept {
  for (const TapeInstruction& i : code_) {
    kBatchHandlers[i.op](s, i, tables);
  }
}

}  // namespace koppel
