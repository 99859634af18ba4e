#include <koppel/expr/code/code_writer.hpp>

#include <koppel/expr/code/native.hpp>

#ifdef KOPPEL_MACHINE_CODE

namespace koppel {
namespace {

double table_value(const TableData* table, int order, double x) {
  return table->evaluate(x, order);
}

}  // namespace

CodeWriter::CodeWriter() {
  code_.init(asmjit::Environment::host());
  code_.setErrorHandler(this);
  code_.attach(&assembler);
}

bool CodeWriter::is_supported() { return asmjit::CpuInfo::host().features().x86().hasAVX(); }

void CodeWriter::call_table(const TableData& table, int order) {
  assembler.mov(asmjit::x86::rdi, reinterpret_cast<std::uint64_t>(&table));
  assembler.mov(asmjit::x86::esi, order);
  call(reinterpret_cast<std::uint64_t>(&table_value));
}

std::unique_ptr<const CodePages> CodeWriter::finish() {
  code_.flatten();
  code_.resolveUnresolvedLinks();
  if (is_refused_) return nullptr;
  const std::size_t size = code_.codeSize();
  auto pages = std::make_unique<CodePages>(size);
  if (pages->begin() == nullptr ||
      code_.relocateToBase(reinterpret_cast<std::uint64_t>(pages->begin())) != asmjit::kErrorOk ||
      code_.copyFlattenedData(pages->begin(), size) != asmjit::kErrorOk) {
    return nullptr;
  }
  if (!pages->make_executable()) {
    note_no_executable_memory();
    return nullptr;
  }
  return pages;
}

}  // namespace koppel

#endif
