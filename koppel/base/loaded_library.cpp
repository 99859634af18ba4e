#include <koppel/base/loaded_library.hpp>

#include <dlfcn.h>

namespace koppel {

std::shared_ptr<const LoadedLibrary> LoadedLibrary::load(const char* name, std::string* why) {
  void* const handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return std::make_shared<const LoadedLibrary>(handle);
  if (why != nullptr) *why = dlerror();
  return nullptr;
}

LoadedLibrary::~LoadedLibrary() { dlclose(handle_); }

void* LoadedLibrary::find_address(const char* name) const { return dlsym(handle_, name); }

void* LoadedLibrary::find_variable_address(const char* name) const {
  void* const moved = dlsym(RTLD_DEFAULT, name);
  return moved != nullptr ? moved : find_address(name);
}

}  // namespace koppel
