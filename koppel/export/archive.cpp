#include <koppel/export/archive.hpp>

#include <zip.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/needed_library.hpp>

namespace koppel {
namespace {

// What is used of libzip, by its own names. It brings a library for encryption along, which takes
// longer to load than all others together.
struct Zip : NeededLibrary {
  Zip()
      : NeededLibrary(KOPPEL_ZIP_LIBRARY, {"results.not-written", "libzip, which writes FMUs,",
                                           "Install " KOPPEL_ZIP_LIBRARY "."}) {}

  decltype(::zip_close)* zip_close = find("zip_close");
  decltype(::zip_discard)* zip_discard = find("zip_discard");
  decltype(::zip_error_strerror)* zip_error_strerror = find("zip_error_strerror");
  decltype(::zip_file_add)* zip_file_add = find("zip_file_add");
  decltype(::zip_get_error)* zip_get_error = find("zip_get_error");
  decltype(::zip_open)* zip_open = find("zip_open");
  decltype(::zip_source_buffer)* zip_source_buffer = find("zip_source_buffer");
};

const Zip& library() {
  static const Zip loaded;
  return loaded;
}

}  // namespace

Archive::Archive(const std::filesystem::path& path) : path_(path), file_(path) {
  int error = 0;
  zip_ = library().zip_open(file_.beside().c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
  if (zip_ == nullptr) fail("cannot be made");
}

Archive::~Archive() {
  if (zip_ != nullptr) library().zip_discard(zip_);
}

void Archive::add(const std::string& name, const std::string& text) {
  zip_source_t* const source = library().zip_source_buffer(zip_, text.data(), text.size(), 0);
  if (source == nullptr ||
      library().zip_file_add(zip_, name.c_str(), source, ZIP_FL_OVERWRITE) < 0) {
    fail("cannot be written");
  }
}

void Archive::close() {
  if (library().zip_close(zip_) != 0) fail("cannot be written");
  zip_ = nullptr;
  file_.keep();
}

void Archive::fail(const char* what) const {
  std::string why;
  if (zip_ != nullptr) {
    why = std::string(": ") + library().zip_error_strerror(library().zip_get_error(zip_));
  }
  throw WriteError(path_.string() + " " + what + why + ".");
}

}  // namespace koppel
