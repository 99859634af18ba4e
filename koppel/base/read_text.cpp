#include <koppel/base/read_text.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>

namespace koppel {
namespace {

struct File {
  explicit File(const std::filesystem::path& path)
      : id(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (id >= 0) ::close(id);
  }

  int id;
};

}  // namespace

std::string read_text(const std::filesystem::path& path, std::size_t most, std::string_view id) {
  const auto refuse = [&](std::string message) {
    Diagnostic wrong;
    wrong.id = id;
    wrong.message = std::move(message);
    wrong.where.file = path.string();
    throw Error(std::vector<Diagnostic>{std::move(wrong)});
  };
  const File file(path);
  if (file.id < 0) refuse(std::string("the file cannot be read: ") + std::strerror(errno) + ".");
  constexpr std::size_t kPart = std::size_t{1} << 16;
  std::string text;
  for (std::size_t size = 0;;) {
    check_stop();
    text.resize(size + kPart);
    const ssize_t count = ::read(file.id, text.data() + size, kPart);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) refuse(std::string("the file cannot be read: ") + std::strerror(errno) + ".");
    size += static_cast<std::size_t>(count);
    if (size > most) {
      refuse("the file is longer than " + std::to_string(most >> 20) + " MiB, the limit.");
    }
    if (count > 0) continue;
    text.resize(size);
    return text;
  }
}

}  // namespace koppel
