// An importer of FMI 2.0: unpacks an FMU, reads its description and calls its functions through the
// interface of the standard. It shares nothing with the code that writes FMUs.
#pragma once

#include <dlfcn.h>
#include <zip.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
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

struct EventInfo {
  int new_discrete_states_needed, terminate, nominals_changed, values_changed, next_defined;
  double next_time;
};

struct Callbacks {
  void (*logger)(void*, const char*, int, const char*, const char*, ...);
  void* (*allocate)(std::size_t, std::size_t);
  void (*free)(void*);
  void (*step_finished)(void*, int);
  void* environment;
};

inline void collect(void* environment, const char*, int, const char*, const char* format, ...) {
  char text[500];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  static_cast<std::vector<std::string>*>(environment)->emplace_back(text);
}

class Fmu2 {
 public:
  Fmu2(const std::filesystem::path& archive, Kind kind) {
    unpack(archive);
    if (!description.load_file((folder_.path() / "modelDescription.xml").c_str())) {
      throw std::runtime_error("the description is not XML");
    }
    for (const pugi::xml_node v : root().child("ModelVariables")) {
      reference[v.attribute("name").value()] = v.attribute("valueReference").as_uint();
    }
    const std::string name = root().child("CoSimulation").attribute("modelIdentifier").value();
    library_ = dlopen((folder_.path() / "binaries/linux64" / (name + ".so")).c_str(),
                      RTLD_NOW | RTLD_LOCAL);
    if (library_ == nullptr) throw std::runtime_error(dlerror());
    instance =
        function<void*(const char*, int, const char*, const char*, const Callbacks*, int, int)>(
            "fmi2Instantiate")("test", kind, root().attribute("guid").value(), "", &callbacks, 0,
                               0);
    if (instance == nullptr) throw std::runtime_error("no instance");
  }
  Fmu2(const Fmu2&) = delete;
  Fmu2& operator=(const Fmu2&) = delete;
  ~Fmu2() {
    if (instance != nullptr) function<void(void*)>("fmi2FreeInstance")(instance);
    if (library_ != nullptr) dlclose(library_);
  }

  pugi::xml_node root() const { return description.child("fmiModelDescription"); }

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

  int start() {
    int status = call("fmi2SetupExperiment", 0, 0.0, 0.0, 0, 0.0);
    status = std::max(status, call("fmi2EnterInitializationMode"));
    return std::max(status, call("fmi2ExitInitializationMode"));
  }
  double get(const std::string& name) const {
    const unsigned vr = reference.at(name);
    double value = 0;
    if (call("fmi2GetReal", &vr, std::size_t{1}, &value) != kOk) throw std::runtime_error(name);
    return value;
  }
  int set(const std::string& name, double value) const {
    const unsigned vr = reference.at(name);
    return call("fmi2SetReal", &vr, std::size_t{1}, &value);
  }
  int step(double t, double h) const { return call("fmi2DoStep", t, h, 1); }

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
  Callbacks callbacks{collect, std::calloc, std::free, nullptr, &messages};

 public:
  const std::filesystem::path& folder() const { return folder_.path(); }
};

}  // namespace koppel::testing
