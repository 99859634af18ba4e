// Options that many commands have, each with the member that it is kept in.
#pragma once

#include <koppel/simulate/run_request.hpp>

#include "apps/koppel/model_options.hpp"

namespace koppel::app {

Option folder_option(OptionMember member, std::string unless_given);  // --out
Option json_option(OptionMember member, std::string what);            // prints it
Option quiet_option(OptionMember member);

// What the model says, then what the command line says.
SimulateOptions simulate_options(const MethodRequest& method, const ModelOptions& given,
                                 const Model& model);

// What was asked for. Unless it is chosen automatically, it counts for all that is evaluated.
Native use_native(const NativeRequest& request);

}  // namespace koppel::app
