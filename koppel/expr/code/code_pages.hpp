// Memory that generated machine code is run from: writable while code is put there and executable
// afterwards, never both.
//
// Code of the same bytes is at one place. Numbers stand beside the code that uses them, so that the
// variants of a model, one after the other or in threads, run the same code. For that the pieces
// used last are kept: pages that come and go make the processor drop what it knows of pages on all
// cores, which cost the threads of a sweep a tenth of their time.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace koppel {

class CodePages {
 public:
  // Code that may be anywhere in memory. Null: the system permits no executable memory.
  static std::shared_ptr<const CodePages> with(std::span<const std::byte> code);

  CodePages(const CodePages&) = delete;
  CodePages& operator=(const CodePages&) = delete;
  ~CodePages();

  const std::byte* begin() const { return pages_.data(); }

 private:
  explicit CodePages(std::span<const std::byte> code);

  std::span<std::byte> pages_;  // none: there is no such memory
};

}  // namespace koppel
