// Trajectories as comma-separated values: a header with the names of the columns (the first is t),
// then a line for each row. Numbers are as short as they can be to be read back as the same; what
// is not finite is an empty field. Names are quoted where they need it.
//
// The writer streams. It gives whole lines to the system only, so that whatever happens to the
// program the file ends with a complete row; where the system takes only part of them (a full
// disk), the part of a row is cut off again. Text is made and written by a thread of the writer's
// own, which is started where there is much: printing a number takes as long as computing it.
#pragma once

#include <chrono>
#include <condition_variable>
#include <exception>
#include <filesystem>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <koppel/base/whole_file.hpp>
#include <koppel/results/trajectory.hpp>

namespace koppel {

class CsvWriter {
 public:
  // Makes the file, or empties it, and writes the header.
  CsvWriter(const std::filesystem::path& path, std::span<const Column> columns);
  CsvWriter(const CsvWriter&) = delete;
  CsvWriter& operator=(const CsvWriter&) = delete;
  ~CsvWriter();  // writes what is left, and keeps quiet if that fails

  // Rows reach the file when there are enough of them, and at least every second while rows come.
  // After a WriteError, which comes with a later row or with flush(), the writer takes no more.
  void append(std::span<const double> row);
  // All rows are in the file then.
  void flush();

  // Rows in the file, after flush() or a WriteError.
  std::size_t num_complete() const { return num_complete_; }

 private:
  void hand_over();
  void wait();
  void work();
  void write_rows(std::span<const double> rows);
  void write(std::string_view text, std::size_t num_lines);
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t num_columns_;
  std::vector<double> rows_;  // not handed over yet
  std::chrono::steady_clock::time_point last_time_;
  std::size_t num_complete_ = 0, complete_bytes_ = 0;

  std::thread thread_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<double> taken_;   // by the thread; empty: it waits
  std::string text_;            // that rows become
  std::exception_ptr problem_;  // of the thread
  bool ends_ = false;
};

void write_csv(const std::filesystem::path& path, const Trajectory& trajectory);

// Units and groups are not in the file: columns have none, except that the first is the time.
// Throws Error `csv.bad-line` with the line.
Trajectory read_csv(const std::filesystem::path& path);

// The shortest text that reads back as the same number.
void append_number(std::string& text, double value);

}  // namespace koppel
