// A scene as the viewer reads it (viewer/src/data.ts).
#pragma once

#include <koppel/results/json_text.hpp>
#include <koppel/results/scene.hpp>

namespace koppel {

void add_scene(JsonText& json, const Scene& scene);

}  // namespace koppel
