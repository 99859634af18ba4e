// Lanes: the registers and instructions of generated code for one number, for four (AVX2) or for
// eight (AVX-512) at once. Each lane does what the instruction for one number does, so that it has
// the same bits.
#pragma once

#include <koppel/expr/code/code_writer.hpp>

#ifdef KOPPEL_MACHINE_CODE

namespace koppel {

class Lanes {
 public:
  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;

  Lanes(asmjit::x86::Assembler& assembler, std::size_t count);

  // Whether this processor has so many: 1, 4 or 8.
  static bool are_supported(std::size_t count);

  std::size_t count() const { return count_; }
  unsigned num_registers() const { return count_ == 8 ? 32 : 16; }
  Vec reg(unsigned r) const;

  // Row k of an array: a number for each lane.
  Mem row(const asmjit::x86::Gp& base, std::size_t k) const;
  // Number k of an array that has one for all lanes; it stands there num_copies() times.
  Mem common(const asmjit::x86::Gp& base, std::size_t k) const;
  Mem common(const asmjit::Label& label) const;
  std::size_t num_copies() const { return count_ == 8 ? 1 : count_; }

  struct Instructions {
    asmjit::InstId move, add, subtract, multiply, divide, min, max, compare;
  };
  // r = a ∘ b, of those above or a bitwise one; b may be in memory.
  void apply(asmjit::InstId id, const Vec& r, const Vec& a, const asmjit::Operand& b);
  const Instructions& id() const { return id_; }
  void move(const asmjit::Operand& to, const asmjit::Operand& from);
  void copy(const Vec& to, const Vec& from);
  void root(const Vec& r, const Vec& a);
  // r = a ∘ b ? 1 : 0, with the predicate of a comparison.
  void compare(const Vec& r, const Vec& a, const Vec& b, int predicate, const Mem& one,
               const Vec& scratch);
  // r = a ≠ 0 ? b : c, where NaN is not 0.
  void select(const Vec& r, const Vec& a, const Vec& b, const Vec& c, const Vec& scratch);
  // r = the highest bit of `mask` ? b : c. Changes `mask`'s register in no way.
  void select_by_sign(const Vec& r, const Vec& mask, const Vec& b, const Vec& c);
  // The bits of lanes where |a| < limit, in eax; a is changed.
  void find_below(const Vec& a, const Mem& limit);

  // Behind the use of wide registers, before code that knows of halves only.
  void leave_wide();

 private:
  asmjit::x86::Assembler& a_;
  std::size_t count_;
  const Instructions& id_;
};

}  // namespace koppel

#endif
