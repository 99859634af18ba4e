// The seven case studies of [Derakhshan 2022] and two more suspensions: a part of
// docs/validation.md.
#pragma once

#include <string>

namespace koppel::problems {

// Prints it, and writes its figures to the folder; an empty one: none.
void report_case_studies(const std::string& figures);

}  // namespace koppel::problems
