#include <koppel/base/needed_library.hpp>

#include <utility>

#include <koppel/base/diagnostic.hpp>

namespace koppel {

NeededLibrary::NeededLibrary(const std::string& name, Absence absence)
    : name_(name), absence_(std::move(absence)) {
  std::string why;
  library_ = LoadedLibrary::load(name.c_str(), &why);
  if (library_ == nullptr) refuse(why);
}

void NeededLibrary::refuse(const std::string& why) const {
  throw Error(absence_.id, absence_.what + " cannot be used: " + why, absence_.remedy);
}

}  // namespace koppel
