// How much memory results may take.
#pragma once

#include <cstddef>

namespace koppel {

// Half of the memory that the machine has, or that the process is allowed; in bytes.
std::size_t memory_for_results();

}  // namespace koppel
