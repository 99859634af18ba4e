// Memory that generated machine code is run from: writable while code is put there and executable
// afterwards, never both.
#pragma once

#include <cstddef>

namespace koppel {

class CodePages {
 public:
  explicit CodePages(std::size_t num_bytes);
  CodePages(const CodePages&) = delete;
  CodePages& operator=(const CodePages&) = delete;
  ~CodePages();

  std::byte* begin() const { return begin_; }  // null: there is no such memory
  bool make_executable();

 private:
  std::byte* begin_ = nullptr;
  std::size_t num_bytes_ = 0;
};

}  // namespace koppel
