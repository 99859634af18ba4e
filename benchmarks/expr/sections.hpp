// The parts of the report.
#pragma once

namespace koppel::benchmarks {

void report_functions();    // tape and native code against code by hand
void report_series();       // Taylor coefficients against recurrences by hand
void report_sizes();        // time to build, differentiate and compile to a tape
void report_generation();   // time to generate machine code
void report_compilation();  // time to compile native code

}  // namespace koppel::benchmarks
