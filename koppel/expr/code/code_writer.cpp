#include <koppel/expr/code/code_writer.hpp>

#include <vector>

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

std::shared_ptr<const CodePages> CodeWriter::finish() {
  code_.flatten();
  code_.resolveUnresolvedLinks();
  assert(!code_.hasRelocEntries());  // jumps are relative, and addresses of functions are numbers
  if (is_refused_) return nullptr;
  std::vector<std::byte> bytes(code_.codeSize());
  if (code_.copyFlattenedData(bytes.data(), bytes.size()) != asmjit::kErrorOk) return nullptr;
  auto pages = CodePages::with(bytes);
  if (pages == nullptr) note_no_executable_memory();
  return pages;
}

}  // namespace koppel

#endif
