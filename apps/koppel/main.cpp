// The command line. Standard output is for results, standard error for messages.

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include <koppel/expr/code/native.hpp>

#include "apps/koppel/commands.hpp"
#include "apps/koppel/exit_code.hpp"
#include "apps/koppel/heap.hpp"
#include "apps/koppel/interrupt.hpp"

namespace koppel::app {
namespace {

// A standard descriptor that is closed would be given to the next file that is opened, and what is
// printed would go there.
void guard_standard_descriptors() {
  for (int i = 0; i <= 2; ++i) {
    if (::fcntl(i, F_GETFD) != -1 || errno != EBADF) continue;
    if (::open("/dev/null", O_RDWR) != i) std::abort();  // the lowest that is free
  }
}

// `run`, `live` and `inverse` tell of it themselves.
void tell_no_executable_memory(int argc, char** argv) {
  if (!has_lacked_executable_memory() || argc < 2) return;
  const std::string_view command = argv[1];
  if (command == "run" || command == "live" || command == "inverse") return;
  std::fprintf(stderr, "note: %s\n", kNoExecutableMemory);
}

}  // namespace
}  // namespace koppel::app

int main(int argc, char** argv) {
  using koppel::app::ExitCode;
  koppel::app::take_large_pages();
  koppel::app::guard_standard_descriptors();
  koppel::app::ignore_file_size_signal();
  const ExitCode code = koppel::app::exit_code_of([&] {
    const koppel::app::CommandLine given =
        koppel::app::parse_command_line(koppel::app::commands(), argc, argv);
    if (given.command != nullptr) given.command->run(given.options.get());
  });
  koppel::app::tell_no_executable_memory(argc, argv);
  return static_cast<int>(koppel::app::finish_output(code));
}
