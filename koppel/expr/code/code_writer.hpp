// CodeWriter: what generators of machine code share. KOPPEL_MACHINE_CODE is defined where there can
// be any.
#pragma once

#if defined(__x86_64__) && defined(__linux__)
#define KOPPEL_MACHINE_CODE 1

#include <asmjit/x86.h>

#include <cassert>
#include <cstdint>
#include <memory>

#include <koppel/expr/code/code_pages.hpp>
#include <koppel/expr/graph/table.hpp>

namespace koppel {

class CodeWriter : asmjit::ErrorHandler {
 public:
  CodeWriter();

  static bool is_supported();  // by the processor: AVX is needed

  asmjit::x86::Assembler assembler;

  // The code at its place. Null: an instruction could not be encoded, or the system permits no
  // executable memory.
  std::shared_ptr<const CodePages> finish();
  // Then: where a label is.
  template <typename F>
  F* address_of(const CodePages& pages, const asmjit::Label& label) const {
    return reinterpret_cast<F*>(reinterpret_cast<std::uintptr_t>(pages.begin()) +
                                code_.labelOffset(label));
  }

  void call(std::uint64_t address) {
    assembler.mov(asmjit::x86::rax, address);
    assembler.call(asmjit::x86::rax);
  }
  // Of the number in xmm0; the table must live as long as the code.
  void call_table(const TableData& table, int order);

 private:
  void handleError(asmjit::Error, const char*, asmjit::BaseEmitter*) override {
    assert(false);  // a mistake of a generator; without assertions the tape serves
    is_refused_ = true;
  }

  asmjit::CodeHolder code_;
  bool is_refused_ = false;
};

}  // namespace koppel

#endif
