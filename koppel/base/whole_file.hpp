// Files that are there whole or not at all: written beside their place, on the same file system,
// and renamed when they are whole. Whoever reads meanwhile sees the file of before.
//
// Trajectories as CSV are not among them: their rows reach the file as they come
// (results/csv.hpp).
#pragma once

#include <filesystem>
#include <span>
#include <stdexcept>
#include <string_view>

namespace koppel {

// Thrown when results cannot be written; what() says which file, why, and how much is complete.
class WriteError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A place beside `path` to write to. What is no plain file, such as /dev/stdout, is written in its
// place; a link stays, and what it leads to is replaced.
class WholeFile {
 public:
  explicit WholeFile(const std::filesystem::path& path);
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile();  // removes what was written, unless it was kept

  const std::filesystem::path& beside() const { return beside_; }

  // The texts, one after the other, as its contents. Throws WriteError.
  void write(std::span<const std::string_view> texts);
  void write(std::string_view text) { write({&text, 1}); }
  // What beside() holds is whole: it takes its place. Throws WriteError.
  void keep();

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_;    // as given, for messages
  std::filesystem::path target_;  // behind links
  std::filesystem::path beside_;
  bool is_kept_ = false;
};

// A text as a whole file, or several, one after the other. Throws WriteError.
void write_text(const std::filesystem::path& path, std::string_view text);
void write_text(const std::filesystem::path& path, std::span<const std::string_view> texts);

}  // namespace koppel
