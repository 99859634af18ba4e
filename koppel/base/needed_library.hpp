// A shared library that few runs need, by its C interface: loaded when it is first used, so that
// the others need not wait for it and for all that it brings along.
//
//   struct Zip : NeededLibrary {
//     Zip() : NeededLibrary("libzip.so.4", {"results.not-written", "libzip", "install it."}) {}
//     decltype(::zip_close)* zip_close = find("zip_close");
//   };
//   const Zip& zip() { static const Zip loaded; return loaded; }
#pragma once

#include <memory>
#include <string>

#include <koppel/base/loaded_library.hpp>

namespace koppel {

class NeededLibrary {
 public:
  // What is said where it cannot be had: an error's id, what is missing, and what to do.
  struct Absence {
    std::string id, what, remedy;
  };
  // A function, of the type that it is assigned to.
  struct Symbol {
    void* address;
    template <typename T>
    operator T*() const {
      return reinterpret_cast<T*>(address);
    }
  };

  NeededLibrary(const std::string& name, Absence absence);

 protected:
  [[noreturn]] void refuse(const std::string& why) const;
  Symbol find(const char* name) const { return {found(library_->find<void>(name), name)}; }
  template <typename T>
  T* find_variable(const char* name) const {
    return found(library_->find_variable<T>(name), name);
  }

 private:
  template <typename T>
  T* found(T* address, const char* name) const {
    if (address == nullptr) refuse(name_ + " has no " + name);
    return address;
  }

  std::string name_;
  Absence absence_;
  std::shared_ptr<const LoadedLibrary> library_;
};

}  // namespace koppel
