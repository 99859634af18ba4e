// A folder of our own, removed with all it holds.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace koppel {

class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path(error_) / "koppel-XXXXXX").string();
    if (!error_ && mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    if (!path_.empty()) std::filesystem::remove_all(path_, error_);
  }
  const std::filesystem::path& path() const { return path_; }  // empty: none could be made

 private:
  std::error_code error_;
  std::filesystem::path path_;
};

}  // namespace koppel
