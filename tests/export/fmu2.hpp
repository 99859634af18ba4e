// An importer of FMI 2.0, through the C interface of the standard.
#pragma once

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/export/fmu_archive.hpp"

namespace koppel::testing {

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

class Fmu2 : public FmuArchive {
 public:
  Fmu2(const std::filesystem::path& archive, Kind kind) : FmuArchive(archive, "linux64") {
    instance =
        function<void*(const char*, int, const char*, const char*, const Callbacks*, int, int)>(
            "fmi2Instantiate")("test", kind, root().attribute("guid").value(), "", &callbacks_, 0,
                               0);
    if (instance == nullptr) throw std::runtime_error("no instance");
  }
  ~Fmu2() {
    if (instance != nullptr) function<void(void*)>("fmi2FreeInstance")(instance);
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

 private:
  Callbacks callbacks_{collect, std::calloc, std::free, nullptr, &messages};
};

}  // namespace koppel::testing
