#include <koppel/results/csv.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>

#include <koppel/base/csv.hpp>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>

namespace koppel {
namespace {

constexpr std::size_t kEnough = std::size_t{1} << 16;  // bytes, to write at once

std::string quoted(const std::string& name) {
  if (!name.empty() && name.find_first_of(",\"\r\n") == std::string::npos) return name;
  std::string out = "\"";
  for (const char c : name) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

void append_number(std::string& text, double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  text.append(digits, end);
}

CsvWriter::CsvWriter(const std::filesystem::path& path, std::span<const Column> columns)
    : path_(path),
      file_(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)),
      last_write_(std::chrono::steady_clock::now()) {
  if (file_ < 0) throw WriteError(path.string() + " cannot be written: " + std::strerror(errno));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (i > 0) buffer_ += ',';
    buffer_ += quoted(columns[i].name);
  }
  buffer_ += '\n';
  write();
}

CsvWriter::~CsvWriter() {
  try {
    flush();
  } catch (const WriteError&) {
  }
  if (file_ >= 0) ::close(file_);
}

void CsvWriter::append(std::span<const double> row) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) buffer_ += ',';
    if (std::isfinite(row[i])) append_number(buffer_, row[i]);
  }
  buffer_ += '\n';
  ++num_buffered_;
  if (buffer_.size() >= kEnough ||
      std::chrono::steady_clock::now() - last_write_ > std::chrono::seconds(1)) {
    write();
  }
}

void CsvWriter::flush() {
  if (file_ >= 0 && !buffer_.empty()) write();
}

void CsvWriter::write() {
  std::size_t done = 0;
  while (done < buffer_.size()) {
    const ssize_t count = ::write(file_, buffer_.data() + done, buffer_.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error = errno;
      const std::string_view taken = std::string_view(buffer_).substr(0, done);
      // The header is written by itself, when no rows are waiting; a part of it is of no use.
      if (const std::size_t end = taken.rfind('\n'); num_buffered_ > 0 && end < done) {
        complete_bytes_ += end + 1;
        num_complete_ += static_cast<std::size_t>(std::count(taken.begin(), taken.end(), '\n'));
      }
      fail(error);
    }
    done += static_cast<std::size_t>(count);
  }
  complete_bytes_ += buffer_.size();
  num_complete_ += num_buffered_;
  num_buffered_ = 0;
  buffer_.clear();
  last_write_ = std::chrono::steady_clock::now();
}

void CsvWriter::fail(int error) {
  // Cut off the part of a row. What is no plain file cannot be cut, and need not.
  if (::ftruncate(file_, static_cast<off_t>(complete_bytes_)) != 0) errno = 0;
  ::close(file_);
  file_ = -1;
  buffer_.clear();
  num_buffered_ = 0;
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
