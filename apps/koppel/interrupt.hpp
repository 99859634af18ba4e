// Ctrl-C and requests to end, noted instead of ending the program at once.
#pragma once

namespace koppel::app {

// While one lives, the first SIGINT or SIGTERM is noted, and the library is asked to stop
// (koppel/base/stop.hpp); the second ends the program as usual. From its end on, the library works
// again.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

bool is_interrupted();

// A file that outgrows its limit is an error of writing like a full disk, not the program's end.
void ignore_file_size_signal();

}  // namespace koppel::app
