#include "apps/koppel/attendant.hpp"

#include <cstdio>

#include <koppel/base/stop.hpp>

#include "apps/koppel/with_flags.hpp"

namespace koppel::app {

SimulateCallbacks Attendant::callbacks() {
  SimulateCallbacks out;
  out.chosen = [this](const Choice&) {
    files_.emplace(make_folder_());
    guard_.emplace();
    bar_.emplace(!is_quiet_);
  };
  out.begin = [this](const std::vector<Column>& columns) { files_->begin(columns); };
  out.row = [this](std::span<const double> row) { return files_->add_row(row); };
  out.progress = [this](const Progress& progress) {
    if (bar_) bar_->show(progress.t, progress.end);  // steps are tried before all is chosen
    return !is_interrupted();
  };
  out.message = [this](const std::string& message) {
    if (!is_quiet_) std::fprintf(stderr, "note: %s\n", with_flags(message).c_str());
  };
  return out;
}

Files& Attendant::end() {
  bar_.reset();
  clear_stop();  // results are written in full
  files_->end_rows();
  return *files_;
}

}  // namespace koppel::app
