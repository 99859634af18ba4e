#include <koppel/expr/code/lanes.hpp>

#ifdef KOPPEL_MACHINE_CODE

namespace koppel {
namespace {

namespace x86 = asmjit::x86;
namespace Id = asmjit::x86::Inst;

constexpr Lanes::Instructions kScalar{Id::kIdVmovsd, Id::kIdVaddsd, Id::kIdVsubsd, Id::kIdVmulsd,
                                      Id::kIdVdivsd, Id::kIdVminsd, Id::kIdVmaxsd, Id::kIdVcmpsd};
constexpr Lanes::Instructions kPacked{Id::kIdVmovupd, Id::kIdVaddpd, Id::kIdVsubpd, Id::kIdVmulpd,
                                      Id::kIdVdivpd,  Id::kIdVminpd, Id::kIdVmaxpd, Id::kIdVcmppd};
constexpr int kLess = 1, kNotEqual = 4;  // predicates; the second is true for NaN

const x86::KReg& mask_register() { return x86::k1; }

}  // namespace

Lanes::Lanes(x86::Assembler& assembler, std::size_t count)
    : a_(assembler), count_(count), id_(count == 1 ? kScalar : kPacked) {}

bool Lanes::are_supported(std::size_t count) {
  const auto& features = asmjit::CpuInfo::host().features().x86();
  switch (count) {
    case 1: return features.hasAVX();
    case 4: return features.hasAVX2();
    case 8: return features.hasAVX512_F() && features.hasAVX512_DQ();
    default: return false;
  }
}

Lanes::Vec Lanes::reg(unsigned r) const {
  return count_ == 1 ? Vec(x86::xmm(r)) : count_ == 4 ? Vec(x86::ymm(r)) : Vec(x86::zmm(r));
}

Lanes::Mem Lanes::row(const x86::Gp& base, std::size_t k) const {
  return x86::ptr(base, static_cast<std::int32_t>(8 * count_ * k),
                  static_cast<std::uint32_t>(8 * count_));
}

Lanes::Mem Lanes::common(const x86::Gp& base, std::size_t k) const {
  if (count_ != 8) return row(base, k);
  return x86::qword_ptr(base, static_cast<std::int32_t>(8 * k))._1to8();
}
Lanes::Mem Lanes::common(const asmjit::Label& label) const {
  if (count_ == 8) return x86::qword_ptr(label)._1to8();
  return x86::ptr(label, 0, static_cast<std::uint32_t>(8 * count_));
}

void Lanes::apply(asmjit::InstId id, const Vec& r, const Vec& a, const asmjit::Operand& b) {
  a_.emit(id, r, a, b);
}

void Lanes::move(const asmjit::Operand& to, const asmjit::Operand& from) {
  if (from.isMem() && from.as<Mem>().hasBroadcast()) {
    Mem one = from.as<Mem>();
    one.resetBroadcast();
    a_.emit(Id::kIdVbroadcastsd, to, one);
  } else {
    a_.emit(id_.move, to, from);
  }
}

void Lanes::copy(const Vec& to, const Vec& from) { a_.emit(Id::kIdVmovapd, to, from); }

void Lanes::root(const Vec& r, const Vec& a) {
  if (count_ == 1) {
    a_.emit(Id::kIdVsqrtsd, r, a, a);
  } else {
    a_.emit(Id::kIdVsqrtpd, r, a);
  }
}

void Lanes::compare(const Vec& r, const Vec& a, const Vec& b, int predicate, const Mem& one,
                    const Vec& scratch) {
  if (count_ == 8) {
    a_.emit(id_.compare, mask_register(), a, b, asmjit::Imm(predicate));
    Mem number = one;
    number.resetBroadcast();
    a_.k(mask_register()).z().vbroadcastsd(r.zmm(), number);
    return;
  }
  a_.emit(id_.compare, scratch, a, b, asmjit::Imm(predicate));
  move(r, one);
  a_.emit(Id::kIdVandpd, r, r, scratch);
}

void Lanes::select(const Vec& r, const Vec& a, const Vec& b, const Vec& c, const Vec& scratch) {
  a_.emit(Id::kIdVxorpd, scratch, scratch, scratch);
  if (count_ == 8) {
    a_.emit(id_.compare, mask_register(), a, scratch, asmjit::Imm(kNotEqual));
    a_.k(mask_register()).vblendmpd(r.zmm(), c.zmm(), b.zmm());
  } else {
    a_.emit(id_.compare, scratch, a, scratch, asmjit::Imm(kNotEqual));
    a_.emit(Id::kIdVblendvpd, r, c, b, scratch);
  }
}

void Lanes::select_by_sign(const Vec& r, const Vec& mask, const Vec& b, const Vec& c) {
  if (count_ == 8) {
    a_.vpmovq2m(mask_register(), mask.zmm());
    a_.k(mask_register()).vblendmpd(r.zmm(), c.zmm(), b.zmm());
  } else {
    a_.emit(Id::kIdVblendvpd, r, c, b, mask);
  }
}

void Lanes::find_below(const Vec& a, const Mem& limit) {
  if (count_ == 8) {
    a_.emit(id_.compare, mask_register(), a, limit, asmjit::Imm(kLess));
    a_.kmovb(x86::eax, mask_register());
  } else {
    a_.emit(id_.compare, a, a, limit, asmjit::Imm(kLess));
    a_.emit(Id::kIdVmovmskpd, x86::eax, a);
  }
  a_.and_(x86::eax, (1 << count_) - 1);
}

void Lanes::leave_wide() {
  if (count_ > 1) a_.vzeroupper();
}

}  // namespace koppel

#endif
