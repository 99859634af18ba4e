// Indices are int in models and equations, where -1 stands for none, and std::size_t in containers.
#pragma once

#include <cstddef>

namespace koppel {

inline std::size_t at(int index) { return static_cast<std::size_t>(index); }

}  // namespace koppel
