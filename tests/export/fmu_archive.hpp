// An FMU, unpacked and loaded: what importers of all versions of FMI share. It shares nothing with
// the code that writes FMUs.
#pragma once

#include <dlfcn.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <pugixml.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/temporary_folder.hpp"

namespace koppel::testing {

enum Status { kOk, kWarning, kDiscard, kError, kFatal, kPending };
enum Kind { kModelExchange, kCoSimulation };

class FmuArchive {
 public:
  // `platform` is the folder of the binaries.
  FmuArchive(const std::filesystem::path& archive, const std::string& platform) {
    unpack(archive);
    if (!description.load_file((folder_.path() / "modelDescription.xml").c_str())) {
      throw std::runtime_error("the description is not XML");
    }
    for (const pugi::xml_node v : root().child("ModelVariables")) {
      reference[v.attribute("name").value()] = v.attribute("valueReference").as_uint();
    }
    const std::string name = root().child("CoSimulation").attribute("modelIdentifier").value();
    library_ = dlopen((folder_.path() / "binaries" / platform / (name + ".so")).c_str(),
                      RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
  }
  FmuArchive(const FmuArchive&) = delete;
  FmuArchive& operator=(const FmuArchive&) = delete;
  ~FmuArchive() {
    if (library_ != nullptr) dlclose(library_);
  }

  pugi::xml_node root() const { return description.child("fmiModelDescription"); }
  const std::filesystem::path& folder() const { return folder_.path(); }

  template <typename F>
  F* function(const char* name) const {
    void* address = dlsym(library_, name);
    if (address == nullptr) throw std::runtime_error(std::string("no function ") + name);
    return reinterpret_cast<F*>(address);
  }
  // A function of the instance.
  template <typename... Arguments>
  int call(const char* name, Arguments... arguments) const {
    return function<int(void*, Arguments...)>(name)(instance, arguments...);
  }

  pugi::xml_document description;
  std::map<std::string, unsigned> reference;
  std::vector<std::string> messages;
  void* instance = nullptr;

 private:
  void unpack(const std::filesystem::path& archive) {
    int error = 0;
    zip_t* zip = zip_open(archive.c_str(), ZIP_RDONLY, &error);
    if (zip == nullptr) throw std::runtime_error("not an archive");
    for (zip_int64_t i = 0; i < zip_get_num_entries(zip, 0); ++i) {
      const char* name = zip_get_name(zip, static_cast<zip_uint64_t>(i), 0);
      const std::filesystem::path path = folder_.path() / name;
      std::filesystem::create_directories(path.parent_path());
      zip_file_t* file = zip_fopen_index(zip, static_cast<zip_uint64_t>(i), 0);
      std::ofstream out(path, std::ios::binary);
      char buffer[4096];
      for (zip_int64_t n; (n = zip_fread(file, buffer, sizeof buffer)) > 0;) out.write(buffer, n);
      zip_fclose(file);
    }
    zip_close(zip);
  }

  TemporaryFolder folder_;
  void* library_ = nullptr;
};

}  // namespace koppel::testing
