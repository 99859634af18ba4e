// A start at which outputs have no relative degree. The structure of a servo problem is that of
// almost all points; where its system Jacobian is regular beside the start and singular at it, an
// output that inputs move directly elsewhere is moved by them there only through others, or not at
// all: a load on a double pendulum, hanging straight, does not feel the trolley's force.
#pragma once

#include <string>

#include <koppel/control/servo/servo_problem.hpp>

namespace koppel {

// In a sentence; empty where the start is as regular as what is beside it. `subject`: takes the
// first unknown that is not determined.
std::string describe_singular_start(const ServoProblem& servo, const Evaluator& evaluator,
                                    const State& start, std::string* subject = nullptr);

// The state with the least change of its velocities that lets the outputs have the rates of their
// references: what steers moves nothing while it stands still.
State with_rates_of_references(const Evaluator& evaluator, const State& state);

}  // namespace koppel
