// --health, for all subcommands that judge what they compute.
#pragma once

#include <memory>

#include <koppel/simulate/health_watch.hpp>

namespace CLI {
class App;
}

namespace koppel::app {

// The options are set while arguments are parsed.
std::shared_ptr<HealthOptions> add_health_option(CLI::App& command);

}  // namespace koppel::app
