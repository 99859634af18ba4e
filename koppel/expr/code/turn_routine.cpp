#include <koppel/expr/code/turn_routine.hpp>

#ifdef KOPPEL_MACHINE_CODE

#include <algorithm>
#include <bit>
#include <cmath>

#include <koppel/runtime/trig.h>

namespace koppel {
namespace {

namespace x86 = asmjit::x86;
namespace Id = asmjit::x86::Inst;

constexpr double kLargest = 1.6e6;  // of koppel_turn

// The lanes whose angle is beyond it.
void turn_far(const double* x, double* sine, double* cosine, int lanes) {
  for (int i = 0; i < lanes; ++i) {
    if (std::abs(x[i]) < kLargest) continue;
    const koppel_turned turned = koppel_turn(x[i]);
    sine[i] = turned.sin;
    cosine[i] = turned.cos;
  }
}

}  // namespace

TurnRoutine::TurnRoutine(CodeWriter& writer, Lanes& lanes)
    : writer_(writer),
      lanes_(lanes),
      label_(writer.assembler.newLabel()),
      far_(writer.assembler.newLabel()) {}

x86::Mem TurnRoutine::number(double x) {
  for (const auto& [label, value] : numbers_) {
    if (std::bit_cast<std::uint64_t>(value) == std::bit_cast<std::uint64_t>(x)) {
      return lanes_.common(label);
    }
  }
  numbers_.emplace_back(writer_.assembler.newLabel(), x);
  return number(x);
}

void TurnRoutine::add(unsigned r, unsigned a, const asmjit::Operand& b) {
  lanes_.apply(lanes_.id().add, reg(r), reg(a), b);
}
// `a` is a register, or a number in memory.
void TurnRoutine::subtract(unsigned r, const asmjit::Operand& a, unsigned b) {
  if (a.isMem()) lanes_.move(reg(r), a);
  lanes_.apply(lanes_.id().subtract, reg(r), a.isMem() ? reg(r) : a.as<Vec>(), reg(b));
}
void TurnRoutine::multiply(unsigned r, unsigned a, const asmjit::Operand& b) {
  lanes_.apply(lanes_.id().multiply, reg(r), reg(a), b);
}

void TurnRoutine::put() {
  x86::Assembler& a = writer_.assembler;
  a.align(asmjit::AlignMode::kCode, 32);
  a.bind(label_);
  reduce();
  put_sine();
  put_cosine();
  turn();
  // The comparison fails for NaN.
  a.emit(Id::kIdVandpd, reg(2), reg(7), number(std::bit_cast<double>(~(std::uint64_t{1} << 63))));
  lanes_.find_below(reg(2), number(kLargest));
  a.cmp(x86::eax, (1 << lanes_.count()) - 1);
  a.jne(far_);
  a.ret();
  put_far();
  put_numbers();
}

// x stays in 7. y in 2, e in 3, z = y² in 0; the bits of n, two places from the top, in 6.
void TurnRoutine::reduce() {
  x86::Assembler& a = writer_.assembler;
  const double kRound = 6755399441055744.0;
  lanes_.copy(reg(7), reg(0));
  multiply(1, 0, number(6.36619772367581382433e-01));
  add(1, 1, number(kRound));
  a.emit(Id::kIdVpsllq, reg(6), reg(1), asmjit::Imm(62));
  add(1, 1, number(-kRound));  // n
  multiply(2, 1, number(1.57079632673412561417e+00));
  subtract(0, reg(0), 2);                              // t
  multiply(2, 1, number(6.07710050630396597660e-11));  // w
  subtract(3, reg(0), 2);                              // r
  subtract(0, reg(0), 3);
  subtract(0, reg(0), 2);  // −w, of the next line in C
  multiply(2, 1, number(2.02226624871116645580e-21));
  subtract(4, reg(3), 2);  // r, from t
  subtract(3, reg(3), 4);
  subtract(3, reg(3), 2);
  multiply(1, 1, number(8.47842766036889956997e-32));
  subtract(1, reg(1), 3);
  subtract(1, reg(1), 0);  // w
  subtract(2, reg(4), 1);  // y
  subtract(3, reg(4), 2);
  subtract(3, reg(3), 1);  // e
  multiply(0, 2, reg(2));  // z
}

// In 4.
void TurnRoutine::put_sine() {
  multiply(1, 0, reg(2));  // v
  multiply(4, 0, number(1.58969099521155010221e-10));
  for (const double k :
       {-2.50507602534068634195e-08, 2.75573137070700676789e-06, -1.98412698298579493134e-04}) {
    add(4, 4, number(k));
    multiply(4, 0, reg(4));
  }
  add(4, 4, number(8.33333333332248946124e-03));
  multiply(4, 1, reg(4));
  multiply(5, 3, number(0.5));
  subtract(4, reg(5), 4);
  multiply(4, 0, reg(4));
  subtract(4, reg(4), 3);
  multiply(5, 1, number(-1.66666666666666324348e-01));
  subtract(4, reg(4), 5);
  subtract(4, reg(2), 4);
}

// In 1.
void TurnRoutine::put_cosine() {
  multiply(1, 0, number(-1.13596475577881948265e-11));
  for (const double k :
       {2.08757232129817482790e-09, -2.75573143513906633035e-07, 2.48015872894767294178e-05,
        -1.38888888888741095749e-03, 4.16666666666666019037e-02}) {
    add(1, 1, number(k));
    multiply(1, 0, reg(1));
  }
  multiply(5, 0, number(0.5));
  multiply(1, 0, reg(1));
  multiply(2, 2, reg(3));
  subtract(1, reg(1), 2);
  subtract(2, number(1), 5);  // h
  subtract(3, number(1), 2);
  subtract(3, reg(3), 5);
  add(3, 3, reg(1));
  add(1, 2, reg(3));
}

// By n quarter turns: odd ones exchange the two, and (1 − (n & 2)), (1 − ((n + 1) & 2)) are signs.
void TurnRoutine::turn() {
  x86::Assembler& a = writer_.assembler;
  const x86::Mem sign = number(std::bit_cast<double>(std::uint64_t{1} << 63));
  a.emit(Id::kIdVpsllq, reg(5), reg(6), asmjit::Imm(1));
  lanes_.select_by_sign(reg(0), reg(5), reg(1), reg(4));
  lanes_.select_by_sign(reg(1), reg(5), reg(4), reg(1));
  a.emit(Id::kIdVandpd, reg(6), reg(6), sign);
  a.emit(Id::kIdVandpd, reg(5), reg(5), sign);
  a.emit(Id::kIdVxorpd, reg(0), reg(0), reg(6));
  a.emit(Id::kIdVxorpd, reg(6), reg(6), reg(5));
  a.emit(Id::kIdVxorpd, reg(1), reg(1), reg(6));
}

// All kept registers are saved, those of one lane as those of four.
void TurnRoutine::put_far() {
  x86::Assembler& a = writer_.assembler;
  const bool is_wide = lanes_.count() == 8;
  const int bytes = is_wide ? 64 : 32;
  const auto at = [&](int place) {
    return x86::ptr(x86::rsp, bytes * place, static_cast<std::uint32_t>(bytes));
  };
  const auto whole = [&](unsigned r) { return is_wide ? Vec(x86::zmm(r)) : Vec(x86::ymm(r)); };
  std::vector<unsigned> saved = {7, 0, 1};
  for (unsigned r = kFirstKept; r + 1 < lanes_.num_registers(); ++r) saved.push_back(r);
  const int places = static_cast<int>(saved.size());
  const int room = bytes * places + 8;  // with the return address, aligned
  a.bind(far_);
  a.sub(x86::rsp, room);
  for (int i = 0; i < places; ++i) {
    a.emit(Id::kIdVmovupd, at(i), whole(saved[static_cast<std::size_t>(i)]));
  }
  a.mov(x86::rdi, x86::rsp);
  a.lea(x86::rsi, at(1));
  a.lea(x86::rdx, at(2));
  a.mov(x86::ecx, static_cast<int>(lanes_.count()));
  a.vzeroupper();
  writer_.call(reinterpret_cast<std::uint64_t>(&turn_far));
  for (int i = 0; i < places; ++i) {
    a.emit(Id::kIdVmovupd, whole(saved[static_cast<std::size_t>(i)]), at(i));
  }
  if (lanes_.count() == 1) a.vzeroupper();
  a.add(x86::rsp, room);
  a.ret();
}

// A mask is read as 16 bytes at least.
void TurnRoutine::put_numbers() {
  x86::Assembler& a = writer_.assembler;
  a.align(asmjit::AlignMode::kData, 32);
  for (const auto& [label, x] : numbers_) {
    a.bind(label);
    for (std::size_t i = 0; i < std::max<std::size_t>(lanes_.num_copies(), 2); ++i) {
      a.embedDouble(x);
    }
  }
}

}  // namespace koppel

#endif
