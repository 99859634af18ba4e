#include "apps/koppel/result_files.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

#include "apps/koppel/commands.hpp"

namespace koppel::app {

std::filesystem::path make_folder(const std::string& wanted, const std::string& model_path,
                                  const std::string& suffix) {
  std::filesystem::path folder = wanted;
  if (folder.empty()) folder = std::filesystem::path(model_path).stem().string() + '-' + suffix;
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw Error("arguments.wrong",
                "the folder " + folder.string() + " cannot be made: " + error.message() + ".",
                "Give another with --out.");
  }
  return folder;
}

FolderLock::FolderLock(const std::filesystem::path& folder)
    : folder_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (folder_ < 0 || ::flock(folder_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(folder_);
  throw Error("results.folder-in-use", "another run is writing into " + folder.string() + ".",
              "Wait for its end, or give another folder with --out.");
}

FolderLock::~FolderLock() {
  if (folder_ >= 0) ::close(folder_);
}

std::string short_time(double seconds) {
  if (seconds < 1e-3) return fmt::format("{:.3g} µs", 1e6 * seconds);
  if (seconds < 1) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} s", seconds);
}

void Files::begin(const std::vector<Column>& columns) {
  attempt([&] { csv_ = std::make_unique<CsvWriter>(path("trajectory.csv"), columns); });
  std::vector<Column> inputs = {columns[0]};
  input_columns_ = {0};
  for (std::size_t i = 1; i < columns.size(); ++i) {
    if (columns[i].group != Group::Inputs) continue;
    inputs.push_back(columns[i]);
    input_columns_.push_back(i);
  }
  if (inputs.size() == 1) return;
  attempt([&] { inputs_csv_ = std::make_unique<CsvWriter>(path("inputs.csv"), inputs); });
}

bool Files::add_row(std::span<const double> row) {
  return is_good() && attempt([&] {
           csv_->append(row);
           if (!inputs_csv_) return;
           input_row_.clear();
           for (const std::size_t i : input_columns_) input_row_.push_back(row[i]);
           inputs_csv_->append(input_row_);
         });
}

void Files::end_rows() {
  if (csv_ && is_good()) attempt([&] { csv_->flush(); });
  if (inputs_csv_ && is_good()) attempt([&] { inputs_csv_->flush(); });
}

void report_end(Outcome::Status status, const std::string& id, double reached,
                const std::string& text, const Files& files) {
  std::string message;
  if (status == Outcome::Status::Failed) {
    message = fmt::format("error[{}]: at t = {:.8g} s: {}", id, reached, text);
  } else if (status == Outcome::Status::Doubtful) {
    message = fmt::format("error[{}]: {}", id, text);
  } else if (!files.is_good()) {
    message = "error[results.not-written]: " + files.problems()[0];
    for (std::size_t i = 1; i < files.problems().size(); ++i) {
      message += "\n  " + files.problems()[i];
    }
    throw Failure{ExitCode::kNumericsFailed, message};
  } else if (status == Outcome::Status::Stopped) {
    message = fmt::format("interrupted at t = {:.8g} s.", reached);
  } else {
    return;
  }
  message += fmt::format("\n  All {} rows{} are in {}.", files.num_rows(),
                         status == Outcome::Status::Doubtful ? "" : " up to there",
                         files.path("trajectory.csv").string());
  for (const std::string& problem : files.problems()) message += "\n  " + problem;
  throw Failure{ExitCode::kNumericsFailed, message};
}

}  // namespace koppel::app
