// The code of runtime/events.h for a model: its events in an FMU.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include <koppel/export/step_model.hpp>
#include <koppel/formulation/fixed_cost/rate_terms.hpp>

namespace koppel {

struct EventCode {
  std::vector<std::pair<std::string, Program>> functions;  // of the layout
  std::string tables;                                      // and sizes; without EVENT_WORK
};

// Empty where the model has no events. `end` is the length of a run.
EventCode make_event_code(const StepModel& model, const RateTerms& rates, double end);

// For each parameter, whether an event changes it.
std::vector<char> changed_by_events(const StepModel& model);

}  // namespace koppel
