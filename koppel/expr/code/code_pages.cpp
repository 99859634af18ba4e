#include <koppel/expr/code/code_pages.hpp>

#ifdef __linux__

#include <sys/mman.h>

namespace koppel {

CodePages::CodePages(std::size_t num_bytes) : num_bytes_(num_bytes) {
  void* const pages =
      mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages != MAP_FAILED) begin_ = static_cast<std::byte*>(pages);
}

CodePages::~CodePages() {
  if (begin_ != nullptr) munmap(begin_, num_bytes_);
}

bool CodePages::make_executable() {
  return mprotect(begin_, num_bytes_, PROT_READ | PROT_EXEC) == 0;
}

}  // namespace koppel

#else

namespace koppel {

CodePages::CodePages(std::size_t num_bytes) : num_bytes_(num_bytes) {}
CodePages::~CodePages() = default;
bool CodePages::make_executable() { return false; }

}  // namespace koppel

#endif
