#include <koppel/expr/code/code_writer.hpp>

#ifdef KOPPEL_MACHINE_CODE

namespace koppel {

CodeWriter::CodeWriter() {
  code_.init(asmjit::Environment::host());
  code_.setErrorHandler(this);
  code_.attach(&assembler);
}

bool CodeWriter::is_supported() { return asmjit::CpuInfo::host().features().x86().hasAVX(); }

bool CodeWriter::has_packed_integers() {
  return asmjit::CpuInfo::host().features().x86().hasAVX2();
}

std::unique_ptr<const CodePages> CodeWriter::finish() {
  code_.flatten();
  code_.resolveUnresolvedLinks();
  if (is_refused_) return nullptr;
  const std::size_t size = code_.codeSize();
  auto pages = std::make_unique<CodePages>(size);
  if (pages->begin() == nullptr ||
      code_.relocateToBase(reinterpret_cast<std::uint64_t>(pages->begin())) != asmjit::kErrorOk ||
      code_.copyFlattenedData(pages->begin(), size) != asmjit::kErrorOk ||
      !pages->make_executable()) {
    return nullptr;
  }
  return pages;
}

}  // namespace koppel

#endif
