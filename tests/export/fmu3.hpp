// An importer of FMI 3.0, through the C interface of the standard.
#pragma once

#include <algorithm>

#include "tests/export/fmu_archive.hpp"

namespace koppel::testing {

class Fmu3 : public FmuArchive {
 public:
  Fmu3(const std::filesystem::path& archive, Kind kind) : FmuArchive(archive, "x86_64-linux") {
    instance = instantiate(kind, root().attribute("instantiationToken").value(), false);
    if (instance == nullptr) throw std::runtime_error("no instance");
  }
  ~Fmu3() {
    if (instance != nullptr) function<void(void*)>("fmi3FreeInstance")(instance);
  }

  void* instantiate(Kind kind, const char* token, bool event_mode_used) {
    using Log = void (*)(void*, int, const char*, const char*);
    using Update = void (*)(void*, double, bool, bool, bool, bool, bool*, double*);
    const Log log = [](void* environment, int, const char* category, const char* message) {
      auto* fmu = static_cast<Fmu3*>(environment);
      fmu->categories.emplace_back(category);
      fmu->messages.emplace_back(message);
    };
    if (kind == kModelExchange) {
      return function<void*(const char*, const char*, const char*, bool, bool, void*, Log)>(
          "fmi3InstantiateModelExchange")("test", token, "", false, false, this, log);
    }
    return function<void*(const char*, const char*, const char*, bool, bool, bool, bool,
                          const unsigned*, std::size_t, void*, Log, Update)>(
        "fmi3InstantiateCoSimulation")("test", token, "", false, false, event_mode_used, false,
                                       nullptr, 0, this, log, nullptr);
  }

  int enter() const { return call("fmi3EnterInitializationMode", false, 0.0, 0.0, false, 0.0); }
  int start() const {
    const int entered = enter();
    return std::max(entered, call("fmi3ExitInitializationMode"));
  }
  double get(const std::string& name) const {
    const unsigned vr = reference.at(name);
    double value = 0;
    if (call("fmi3GetFloat64", &vr, std::size_t{1}, &value, std::size_t{1}) != kOk) {
      throw std::runtime_error(name);
    }
    return value;
  }
  int set(const std::string& name, double value) const {
    const unsigned vr = reference.at(name);
    return call("fmi3SetFloat64", &vr, std::size_t{1}, &value, std::size_t{1});
  }
  int step(double t, double h) {
    bool event = true, terminate = true, early = true;
    const int status =
        call("fmi3DoStep", t, h, true, &event, &terminate, &early, &last_successful_time);
    if (event || terminate || early) throw std::runtime_error("an event that is not there");
    return status;
  }
  // True where the values of states have changed.
  bool update_discrete_states() const {
    bool update = true, terminate = true, nominals = true, values = true, next = true;
    double time = 0;
    if (call("fmi3UpdateDiscreteStates", &update, &terminate, &nominals, &values, &next, &time) !=
            kOk ||
        update || terminate || nominals || next) {
      throw std::runtime_error("fmi3UpdateDiscreteStates");
    }
    return values;
  }

  std::vector<std::string> categories;  // of the messages
  double last_successful_time = -1;
};

}  // namespace koppel::testing
