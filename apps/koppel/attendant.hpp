// Attends a run from the command line: makes the folder when the run begins, writes rows as they
// come, shows the progress, passes messages on, and stops the run on Ctrl-C.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include <koppel/simulate/simulate.hpp>

#include "apps/koppel/interrupt.hpp"
#include "apps/koppel/progress_bar.hpp"
#include "apps/koppel/result_files.hpp"

namespace koppel::app {

class Attendant {
 public:
  // The folder is made after the arguments and the model have turned out to be right.
  Attendant(std::function<std::filesystem::path()> make_folder, bool is_quiet)
      : make_folder_(std::move(make_folder)), is_quiet_(is_quiet) {}

  SimulateCallbacks callbacks();
  // After the run: rows are on disk, the bar is gone.
  Files& end();

 private:
  std::function<std::filesystem::path()> make_folder_;
  bool is_quiet_;
  std::optional<Files> files_;
  std::optional<InterruptGuard> guard_;
  std::optional<ProgressBar> bar_;
};

}  // namespace koppel::app
