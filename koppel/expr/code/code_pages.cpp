#include <koppel/expr/code/code_pages.hpp>

#ifdef __linux__

#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <list>
#include <mutex>
#include <string_view>

namespace koppel {
namespace {

// The pieces used last, the latest first.
class Kept {
 public:
  std::shared_ptr<const CodePages> find(std::size_t hash, std::span<const std::byte> code) {
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
      return piece.hash == hash && piece.size == code.size() &&
             std::memcmp(piece.pages->begin(), code.data(), code.size()) == 0;
    });
    if (found == pieces_.end()) return nullptr;
    pieces_.splice(pieces_.begin(), pieces_, found);
    return found->pages;
  }

  void add(std::size_t hash, std::size_t size, std::shared_ptr<const CodePages> pages) {
    if (size > kMostBytes / 4) return;  // one such piece would drive out all others
    std::list<Piece> dropped;           // unmapped without the lock
    const std::lock_guard lock(mutex_);
    pieces_.push_front({hash, size, std::move(pages)});
    num_bytes_ += size;
    while (num_bytes_ > kMostBytes || pieces_.size() > kMostPieces) {
      num_bytes_ -= pieces_.back().size;
      dropped.splice(dropped.begin(), pieces_, std::prev(pieces_.end()));
    }
  }

 private:
  struct Piece {
    std::size_t hash, size;
    std::shared_ptr<const CodePages> pages;
  };
  static constexpr std::size_t kMostBytes = std::size_t{16} << 20, kMostPieces = 256;

  std::mutex mutex_;
  std::list<Piece> pieces_;
  std::size_t num_bytes_ = 0;
};

Kept& kept() {
  static Kept* const instance = new Kept;  // never destroyed: functions may live as long
  return *instance;
}

}  // namespace

std::shared_ptr<const CodePages> CodePages::with(std::span<const std::byte> code) {
  const std::size_t hash =
      std::hash<std::string_view>()({reinterpret_cast<const char*>(code.data()), code.size()});
  if (auto found = kept().find(hash, code)) return found;
  std::shared_ptr<const CodePages> out(new CodePages(code));
  if (out->pages_.empty()) return nullptr;
  kept().add(hash, code.size(), out);
  return out;
}

CodePages::CodePages(std::span<const std::byte> code) {
  void* const pages =
      mmap(nullptr, code.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return;
  std::memcpy(pages, code.data(), code.size());
  if (mprotect(pages, code.size(), PROT_READ | PROT_EXEC) == 0) {
    pages_ = {static_cast<std::byte*>(pages), code.size()};
  } else {
    munmap(pages, code.size());
  }
}

CodePages::~CodePages() {
  if (!pages_.empty()) munmap(pages_.data(), pages_.size());
}

}  // namespace koppel

#else

namespace koppel {

std::shared_ptr<const CodePages> CodePages::with(std::span<const std::byte>) { return nullptr; }
CodePages::CodePages(std::span<const std::byte>) {}
CodePages::~CodePages() = default;

}  // namespace koppel

#endif
