// A model as a Functional Mock-up Unit [FMI 2.0.4, FMI 3.0.2]: Co-Simulation with steps of fixed
// cost inside, and Model Exchange with the ODE in which multipliers are eliminated. Sources and a
// binary of this machine are in the archive.
//
// Model Exchange: states are q, v and further states; rates satisfy the constraints' second rates,
// and an event after a step restores the constraints themselves where the importer's solver let
// them drift. Parameters may be set before the initialization, which then finds a consistent start.
#pragma once

#include <filesystem>
#include <string>

#include <koppel/export/fmi_description.hpp>
#include <koppel/export/step_model.hpp>

namespace koppel {

struct FmuFiles {
  std::string description;  // modelDescription.xml
  std::string source;       // sources/NAME.c, all in one
  int num_parts = 1;        // of the source, for KOPPEL_PART = 0, 1, … (build_library)
};

// `end` is the end time of the default experiment.
FmuFiles write_fmu_files(const StepModel& model, double end, FmiVersion version = FmiVersion::V2);

// Compiles the source and packs all into an archive. Throws Error `export.no-compiler`, WriteError.
void write_fmu(const std::filesystem::path& path, const StepModel& model, double end,
               FmiVersion version = FmiVersion::V2);

}  // namespace koppel
