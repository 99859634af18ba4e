// A zip archive that is being written: FMUs are such files.
#pragma once

#include <filesystem>
#include <string>

#include <koppel/base/whole_file.hpp>

struct zip;

namespace koppel {

// Kept only when close() was reached. Throws WriteError where it cannot be written.
class Archive {
 public:
  explicit Archive(const std::filesystem::path& path);
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;
  ~Archive();

  // The text must live until close().
  void add(const std::string& name, const std::string& text);
  void close();

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path path_;
  WholeFile file_;
  struct ::zip* zip_ = nullptr;
};

}  // namespace koppel
