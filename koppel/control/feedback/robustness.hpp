// How well outputs follow their references when the mechanism is not the one that the inputs were
// computed for: another mass, another start. Each case is simulated with the inputs alone, and with
// feedback (feedback.hpp).
#pragma once

#include <vector>

#include <koppel/control/feedback/disturbance.hpp>
#include <koppel/control/feedback/feedback.hpp>

namespace koppel {

// The nominal case first, then one for each disturbance. Throws Error
// `control.unknown-disturbance`, and what make_feedback does.
std::vector<RobustnessCase> find_robustness(const Model& model, const ComputedMotion& motion,
                                            const FeedbackOptions& feedback,
                                            const std::vector<Disturbance>& disturbances);

}  // namespace koppel
