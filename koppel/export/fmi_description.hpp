// The descriptions in an FMU.
#pragma once

#include <string>

#include <koppel/export/fmi_structure.hpp>
#include <koppel/export/step_model.hpp>

namespace koppel {

enum class FmiVersion { V2, V3 };

// modelDescription.xml of FMI 2.0 or 3.0. Value references are those of runtime/fmi_model.h;
// `token` is the guid or the instantiationToken.
std::string describe_fmi(const StepModel& model, FmiVersion version, const std::string& token,
                         double end);
std::string describe_fmi(const StepModel& model, const FmiStructure& structure, FmiVersion version,
                         const std::string& token, double end);

// sources/buildDescription.xml of FMI 3.0.
std::string describe_build(const StepModel& model);

}  // namespace koppel
