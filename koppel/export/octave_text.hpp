// The text of koppel/export/octave/*.m, embedded at build time. MODEL in them stands for the name.
#pragma once

namespace koppel {

extern const char* const kOctaveSelectText;    // koppel_select.m
extern const char* const kOctaveTableText;     // koppel_table.m
extern const char* const kOctaveRatesText;     // model_rates.m
extern const char* const kOctaveProjectText;   // model_project.m
extern const char* const kOctaveSimulateText;  // model_simulate.m
extern const char* const kOctaveRunText;       // model_run.m

}  // namespace koppel
