// koppel play: the workbench.
#pragma once

namespace CLI {
class App;
}

namespace koppel::app {

void add_play(CLI::App& program);

}  // namespace koppel::app
