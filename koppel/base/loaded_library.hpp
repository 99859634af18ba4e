// A shared library that is loaded while the program runs: generated code, or one that few runs
// need.
#pragma once

#include <memory>
#include <string>

namespace koppel {

// Unloaded with its last owner.
class LoadedLibrary {
 public:
  // By a path, or by a name that the system looks for. Null where it cannot be loaded; `why`, where
  // given, then says why.
  static std::shared_ptr<const LoadedLibrary> load(const char* name, std::string* why = nullptr);

  explicit LoadedLibrary(void* handle) : handle_(handle) {}
  LoadedLibrary(const LoadedLibrary&) = delete;
  LoadedLibrary& operator=(const LoadedLibrary&) = delete;
  ~LoadedLibrary();

  // The address of an exported function, or null.
  template <typename T>
  T* find(const char* name) const {
    return reinterpret_cast<T*>(find_address(name));
  }
  // That of a variable. Where the program is linked to the library too, its variables may have been
  // moved into the program.
  template <typename T>
  T* find_variable(const char* name) const {
    return static_cast<T*>(find_variable_address(name));
  }

 private:
  void* find_address(const char* name) const;
  void* find_variable_address(const char* name) const;
  void* handle_;
};

}  // namespace koppel
