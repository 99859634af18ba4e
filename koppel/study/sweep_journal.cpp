#include <koppel/study/sweep_journal.hpp>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/whole_file.hpp>

namespace koppel {
namespace {

constexpr std::string_view kFirstLine = "koppel sweep journal 1\n";
constexpr std::size_t kSumLength = 8;

// The number at the head of a line, if the line is whole.
std::optional<std::size_t> number_of(std::string_view line) {
  if (line.size() < kSumLength + 2 || line[kSumLength] != ' ') return {};
  const std::string_view rest = line.substr(kSumLength + 1);
  if (line.substr(0, kSumLength) != fmt::format("{:08x}", checksum(rest))) return {};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ',') return {};
  return number;
}

}  // namespace

std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 2166136261u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return sum;
}

SweepJournal::SweepJournal(std::filesystem::path path, const Manifest& manifest,
                           std::size_t num_rows)
    : path_(std::move(path)), is_done_(num_rows, false), place_(num_rows, 0) {
  file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (file_ < 0) throw WriteError(path_.string() + " cannot be written: " + std::strerror(errno));
  try {
    read(manifest);
  } catch (...) {
    ::close(file_);
    throw;
  }
}

SweepJournal::~SweepJournal() {
  if (file_ >= 0) ::close(file_);
}

// A journal whose head is not whole has no rows: it is begun anew.
void SweepJournal::read(const Manifest& manifest) {
  std::ifstream in(path_, std::ios::binary);
  std::string line;
  const auto next = [&] { return static_cast<bool>(std::getline(in, line)) && !in.eof(); };
  if (!next()) return begin(manifest);
  if (line + '\n' != kFirstLine) {
    throw Error("study.other-sweep",
                path_.string() + " is not the journal of a sweep of this program.",
                "Give another folder, or remove it.");
  }
  if (!next()) return begin(manifest);
  if (const std::string other = differences(manifest, line); !other.empty()) {
    throw Error("study.other-sweep",
                fmt::format("{} is that of another sweep: {}.", path_.string(), other),
                "Give another folder, or remove the journal to start again.");
  }
  bytes_ = kFirstLine.size() + line.size() + 1;
  while (next()) {
    const std::optional<std::size_t> number = number_of(line);
    if (!number || *number >= is_done_.size()) break;
    if (!is_done_[*number]) ++num_done_;
    is_done_[*number] = true;
    place_[*number] = bytes_ + kSumLength + 1;
    bytes_ += line.size() + 1;
  }
  if (::ftruncate(file_, static_cast<off_t>(bytes_)) != 0) {
    throw WriteError(path_.string() + " cannot be written: " + std::strerror(errno));
  }
}

void SweepJournal::begin(const Manifest& manifest) {
  if (::ftruncate(file_, 0) != 0) {
    throw WriteError(path_.string() + " cannot be written: " + std::strerror(errno));
  }
  const std::string head = std::string(kFirstLine) + to_json(manifest) + '\n';
  int error = 0;
  if (write(head, error) < head.size()) fail(error);
}

void SweepJournal::append(std::size_t number, std::string_view line) {
  const std::string text(line);
  append(std::span(&number, 1), std::span(&text, 1));
}

void SweepJournal::append(std::span<const std::size_t> numbers,
                          std::span<const std::string> lines) {
  if (file_ < 0) throw WriteError(path_.string() + " takes no more rows.");
  std::string text;
  std::vector<std::size_t> ends;
  for (const std::string& line : lines) {
    text += fmt::format("{:08x} {}\n", checksum(line), line);
    ends.push_back(text.size());
  }
  const std::uint64_t before = bytes_;
  int error = 0;
  const std::size_t written = write(text, error);
  for (std::size_t i = 0; i < numbers.size() && ends[i] <= written; ++i) {
    const std::size_t number = numbers[i];
    if (!is_done_[number]) ++num_done_;
    is_done_[number] = true;
    place_[number] = before + (i > 0 ? ends[i - 1] : 0) + kSumLength + 1;
  }
  if (written < text.size()) fail(error);
}

void SweepJournal::fail(int error) {
  ::close(file_);
  file_ = -1;
  throw WriteError(fmt::format("{} cannot be written any further: {}. {} rows in it are complete.",
                               path_.string(), std::strerror(error), num_done_));
}

std::size_t SweepJournal::write(std::string_view text, int& error) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t count =
        ::pwrite(file_, text.data() + done, text.size() - done, static_cast<off_t>(bytes_ + done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      error = errno;
      const std::size_t end = text.substr(0, done).rfind('\n');
      done = end == text.npos ? 0 : end + 1;
      if (::ftruncate(file_, static_cast<off_t>(bytes_ + done)) != 0) errno = 0;
      break;
    }
    done += static_cast<std::size_t>(count);
  }
  bytes_ += done;
  return done;
}

void SweepJournal::write_table(
    const std::filesystem::path& path, std::string_view head,
    const std::function<void(std::size_t, std::string_view)>& see) const {
  WholeFile whole(path);
  std::ifstream in(path_, std::ios::binary);
  std::FILE* const out = std::fopen(whole.beside().c_str(), "wb");
  const auto fail = [&] {
    const int error = errno;
    if (out != nullptr) std::fclose(out);
    throw WriteError(fmt::format("{} cannot be written: {}. All {} rows are in {}.", path.string(),
                                 std::strerror(error), num_done_, path_.string()));
  };
  if (out == nullptr) fail();
  if (std::fwrite(head.data(), 1, head.size(), out) != head.size()) fail();
  std::string line;
  std::uint64_t at = 0;  // a search would throw away what is read ahead
  for (std::size_t i = 0; i < is_done_.size(); ++i) {
    if (!is_done_[i]) continue;
    if (at + kSumLength + 1 == place_[i]) {
      in.ignore(kSumLength + 1);
    } else {
      in.seekg(static_cast<std::streamoff>(place_[i]));
    }
    std::getline(in, line);
    at = place_[i] + line.size() + 1;
    see(i, line);
    line.resize(std::min(line.find('\t'), line.size()));
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), out) != line.size()) fail();
  }
  if (std::fflush(out) != 0) fail();
  std::fclose(out);
  whole.keep();
}

}  // namespace koppel
