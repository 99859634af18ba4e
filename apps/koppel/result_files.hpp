// The folder of results that commands write, and what else `run` and `inverse` have in common.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <koppel/results/csv.hpp>
#include <koppel/simulate/simulate.hpp>

namespace koppel::app {

// Labels and texts: what came out, for people; on standard output and at the head of the report.
using Lines = std::vector<std::pair<std::string, std::string>>;

// `wanted`, or MODEL-suffix in the current folder. Throws Error `arguments.wrong`.
std::filesystem::path make_folder(const std::string& wanted, const std::string& model_path,
                                  const std::string& suffix);

std::string short_time(double seconds);  // "3.2 ms"

// A folder that one run at a time writes into. Nothing is left in it for that.
class FolderLock {
 public:
  // Throws Error `results.folder-in-use` where another run holds it. Where the file system has no
  // locks, there is none.
  explicit FolderLock(const std::filesystem::path& folder);
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock();

 private:
  int folder_;
};

// The files of a run, each written as far as it can be. trajectory.csv has all columns; where there
// are inputs among them, inputs.csv has the time and those.
class Files {
 public:
  explicit Files(std::filesystem::path folder) : folder_(std::move(folder)), lock_(folder_) {}

  std::filesystem::path path(const char* name) const { return folder_ / name; }
  std::size_t num_rows() const { return csv_ ? csv_->num_complete() : 0; }
  const std::vector<std::string>& problems() const { return problems_; }
  bool is_good() const { return problems_.empty(); }

  void begin(const std::vector<Column>& columns);
  bool add_row(std::span<const double> row);
  void end_rows();

  template <typename Write>
  bool attempt(Write&& write) {
    try {
      write();
      return true;
    } catch (const WriteError& error) {
      problems_.emplace_back(error.what());
      return false;
    }
  }

 private:
  std::filesystem::path folder_;
  FolderLock lock_;
  std::unique_ptr<CsvWriter> csv_, inputs_csv_;
  std::vector<std::size_t> input_columns_;
  std::vector<double> input_row_;
  std::vector<std::string> problems_;
};

// Throws Failure where a run did not come to its end, with what is there nevertheless. `id` is that
// of the error.
void report_end(Outcome::Status status, const std::string& id, double reached,
                const std::string& text, const Files& files);

}  // namespace koppel::app
