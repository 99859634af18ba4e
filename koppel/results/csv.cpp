#include <koppel/results/csv.hpp>

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <system_error>
#include <utility>

#include <koppel/base/csv.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>

namespace koppel {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 13;  // numbers, to make text of at once

}  // namespace

void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

CsvWriter::CsvWriter(const std::filesystem::path& path, std::span<const Column> columns)
    : path_(path),
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      num_columns_(columns.size()),
      last_time_(std::chrono::steady_clock::now()) {
  if (file_ < 0) throw WriteError(path.string() + " cannot be written: " + std::strerror(errno));
  std::string header;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) header += ',';
    header += columns[i].name.empty() ? "\"\"" : csv_field(columns[i].name);
  }
  write(header + '\n', 0);
}

CsvWriter::~CsvWriter() {
  try {
    flush();
  } catch (const WriteError&) {
  }
  if (thread_.joinable()) {
    {
      const std::lock_guard lock(mutex_);
      ends_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  if (file_ >= 0) ::close(file_);
}

void CsvWriter::append(std::span<const double> row) {
  rows_.insert(rows_.end(), row.begin(), row.end());
  const auto now = std::chrono::steady_clock::now();
  if (rows_.size() < kEnough && now - last_time_ <= std::chrono::seconds(1)) return;
  last_time_ = now;
  hand_over();
}

void CsvWriter::flush() {
  if (thread_.joinable()) wait();
  if (file_ >= 0 && !rows_.empty()) write_rows(rows_);
  rows_.clear();
}

// To the thread, which then has nothing else in hand.
void CsvWriter::hand_over() {
  if (!thread_.joinable()) {
    // Signals are for the thread that computes.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      thread_ = std::thread([this] { work(); });
    } catch (const std::system_error&) {  // the system gives no more threads
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (!thread_.joinable()) return flush();
  }
  wait();
  {
    const std::lock_guard lock(mutex_);
    taken_.swap(rows_);
  }
  changed_.notify_all();
}

// Until the thread has nothing in hand. Throws what it met with, once.
void CsvWriter::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return taken_.empty(); });
  if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
}

void CsvWriter::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return ends_ || !taken_.empty(); });
    if (taken_.empty()) return;
    lock.unlock();
    try {
      write_rows(taken_);
    } catch (...) {
      problem_ = std::current_exception();
    }
    lock.lock();
    taken_.clear();
    changed_.notify_all();
  }
}

void CsvWriter::write_rows(std::span<const double> rows) {
  constexpr std::size_t kMost = 24;  // characters of a number, as -1.7976931348623157e+308
  text_.resize(std::max(text_.size(), (kMost + 1) * rows.size()));
  char* to = text_.data();
  for (std::size_t i = 0; i < rows.size(); i += num_columns_) {
    for (const double value : rows.subspan(i, num_columns_)) {
      if (std::isfinite(value)) to = std::to_chars(to, to + kMost, value).ptr;
      *to++ = ',';
    }
    to[-1] = '\n';
  }
  write({text_.data(), to}, rows.size() / num_columns_);
}

void CsvWriter::write(std::string_view text, std::size_t num_lines) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count = ::write(file_, text.data() + done, text.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      const std::string_view taken = text.substr(0, done);
      // A part of the header is of no use.
      if (const std::size_t end = taken.rfind('\n'); num_lines > 0 && end < done) {
        complete_bytes_ += end + 1;
        num_complete_ += static_cast<std::size_t>(std::count(taken.begin(), taken.end(), '\n'));
      }
      fail(error);
    }
    done += static_cast<std::size_t>(count);
  }
  complete_bytes_ += text.size();
  num_complete_ += num_lines;
}

void CsvWriter::fail(int error) {
  // Cut off the part of a row. What is no plain file cannot be cut, and need not.
  if (::ftruncate(file_, static_cast<off_t>(complete_bytes_)) != 0) errno = 0;
  ::close(file_);
  file_ = -1;
  throw WriteError(path_.string() + " cannot be written any further: " + std::strerror(error) +
                   ". " + std::to_string(num_complete_) + " rows in it are complete.");
}

void write_csv(const std::filesystem::path& path, const Trajectory& trajectory) {
  CsvWriter writer(path, trajectory.columns());
  std::vector<double> row(trajectory.num_columns());
  for (std::size_t i = 0; i < trajectory.num_rows(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = trajectory.column(j)[i];
    writer.append(row);
  }
  writer.flush();
}

Trajectory read_csv(const std::filesystem::path& path) {
  constexpr std::size_t kMostBytes = std::size_t{256} << 20;  // all is kept in memory
  const std::string text = read_text(path, kMostBytes, "results.no-file");
  const CsvColumns csv = parse_csv(text, path.string());
  std::vector<Column> columns;
  for (const std::string& name : csv.names) {
    if (std::count(csv.names.begin(), csv.names.end(), name) > 1) {
      throw Error(std::vector{Diagnostic{"csv.bad-line",
                                         "two columns are named '" + name + "'.",
                                         "Rename one of them.",
                                         {path.string(), 1, 1},
                                         {}}});
    }
    columns.push_back({name, "", columns.empty() ? Group::Time : Group::Outputs});
  }
  Trajectory trajectory(std::move(columns));
  std::vector<double> row(csv.names.size());
  for (std::size_t i = 0; i < csv.values[0].size(); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = csv.values[j][i];
    trajectory.append(row);
  }
  return trajectory;
}

}  // namespace koppel
