// modelDescription.xml of an FMU.
#pragma once

#include <string>

#include <koppel/export/step_model.hpp>

namespace koppel {

// FMI 2.0. Value references are those of runtime/fmi_model.h.
std::string describe_fmi2(const StepModel& model, const std::string& guid, double end);

}  // namespace koppel
