// Threads to help with work that one can do alone: as many as the system gives, which may be fewer
// than were asked for, or none (limits of processes, as containers have them, or of memory).
//
//   const std::vector<std::jthread> others = start_threads(jobs - 1, work);
//   work();
#pragma once

#include <system_error>
#include <thread>
#include <vector>

namespace koppel {

template <typename Do>
std::vector<std::jthread> start_threads(int count, Do&& work) {
  std::vector<std::jthread> threads;
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back(work);
  } catch (const std::system_error&) {  // those that there are do it
  }
  return threads;
}

}  // namespace koppel
