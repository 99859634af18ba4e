// The sine and cosine of runtime/trig.h as a routine of generated code, for one angle or for one a
// lane: the same operations, and so the same bits.
//
// The angle is in register 0; the sine is left in 0 and the cosine in 1. Registers 2 to 7 are used,
// those from kFirstKept on are kept, but for the last. The stack is aligned where it is called.
#pragma once

#include <utility>
#include <vector>

#include <koppel/expr/code/lanes.hpp>

#ifdef KOPPEL_MACHINE_CODE

namespace koppel {

class TurnRoutine {
 public:
  static constexpr unsigned kFirstKept = 8;

  TurnRoutine(CodeWriter& writer, Lanes& lanes);

  // Puts the routine here; label() may be called before.
  void put();
  const asmjit::Label& label() const { return label_; }

 private:
  using Vec = asmjit::x86::Vec;

  Vec reg(unsigned r) const { return lanes_.reg(r); }
  asmjit::x86::Mem number(double x);
  void add(unsigned r, unsigned a, const asmjit::Operand& b);
  void subtract(unsigned r, const asmjit::Operand& a, unsigned b);
  void multiply(unsigned r, unsigned a, const asmjit::Operand& b);
  void reduce();
  void put_sine();
  void put_cosine();
  void turn();
  void put_far();
  void put_numbers();

  CodeWriter& writer_;
  Lanes& lanes_;
  asmjit::Label label_, far_;
  std::vector<std::pair<asmjit::Label, double>> numbers_;
};

}  // namespace koppel

#endif
