#include <koppel/base/whole_file.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <string>

namespace koppel {
namespace {

namespace fs = std::filesystem;

// 0, or the error.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

// The same; some file systems say only when closing that they are full.
int write_all(const fs::path& path, std::span<const std::string_view> texts) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) return errno;
  int error = 0;
  for (const std::string_view text : texts) {
    if (error == 0) error = write_all(file, text);
  }
  if (::close(file) != 0 && error == 0) error = errno;
  return error;
}

}  // namespace

WholeFile::WholeFile(const fs::path& path) : path_(path), target_(path) {
  std::error_code ignored;
  if (fs::is_symlink(path, ignored)) {
    if (const fs::path real = fs::weakly_canonical(path, ignored); !ignored) target_ = real;
  }
  beside_ = target_;
  if (fs::exists(target_, ignored) && !fs::is_regular_file(target_, ignored)) return;
  static std::atomic<unsigned> counter{0};
  beside_.replace_filename('.' + target_.filename().string() + ".part-" +
                           std::to_string(::getpid()) + '-' + std::to_string(counter++));
}

WholeFile::~WholeFile() {
  if (!is_kept_ && beside_ != target_) ::unlink(beside_.c_str());
}

void WholeFile::write(std::span<const std::string_view> texts) {
  if (const int error = write_all(beside_, texts)) fail(error);
}

void WholeFile::keep() {
  if (beside_ != target_ && ::rename(beside_.c_str(), target_.c_str()) != 0) fail(errno);
  is_kept_ = true;
}

void WholeFile::fail(int error) const {
  throw WriteError(path_.string() + " cannot be written: " + std::strerror(error) + ".");
}

void write_text(const fs::path& path, std::string_view text) { write_text(path, {&text, 1}); }

void write_text(const fs::path& path, std::span<const std::string_view> texts) {
  WholeFile file(path);
  file.write(texts);
  file.keep();
}

}  // namespace koppel
