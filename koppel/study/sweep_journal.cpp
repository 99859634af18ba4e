#include <koppel/study/sweep_journal.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <future>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/parts.hpp>
#include <koppel/base/whole_file.hpp>

namespace koppel {
namespace {

constexpr std::string_view kFirstLine = "koppel sweep journal 1\n";
constexpr std::size_t kSumLength = 8, kHeadLength = kSumLength + 1;

void put_sum(std::string_view line, char* to) {
  std::uint32_t sum = checksum(line);
  for (std::size_t i = kSumLength; i-- > 0; sum >>= 4) to[i] = "0123456789abcdef"[sum & 15];
}

// The number at the head of a line, if the line is whole.
std::optional<std::size_t> number_of(std::string_view line) {
  if (line.size() < kHeadLength + 1 || line[kSumLength] != ' ') return {};
  const std::string_view rest = line.substr(kHeadLength);
  char sum[kSumLength];
  put_sum(rest, sum);
  if (line.substr(0, kSumLength) != std::string_view(sum, kSumLength)) return {};
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  if (error != std::errc() || end == rest.data() + rest.size() || *end != ',') return {};
  return number;
}

// The bytes of a file, read as they are looked at.
class MappedFile {
 public:
  MappedFile(int file, std::size_t size) : size_(size) {
    if (size > 0) data_ = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() {
    if (*this) ::munmap(data_, size_);
  }
  explicit operator bool() const { return data_ != MAP_FAILED; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }

 private:
  void* data_ = MAP_FAILED;
  std::size_t size_;
};

}  // namespace

std::uint32_t checksum(std::string_view text) {
  std::uint32_t sum = 2166136261u;
  for (const char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 16777619u;
  return sum;
}

void JournalLines::finish(std::size_t begin) {
  put_sum(std::string_view(text_).substr(begin + kHeadLength), text_.data() + begin);
  text_ += '\n';
  ends_.push_back(text_.size());
}

void JournalLines::clear() {
  text_.clear();
  ends_.clear();
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
    note(*number, bytes_ + kHeadLength);
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

void SweepJournal::note(std::size_t number, std::uint64_t place) {
  if (!is_done_[number]) ++num_done_;
  is_done_[number] = true;
  place_[number] = place;
}

void SweepJournal::append(std::size_t number, std::string_view line) {
  JournalLines lines;
  lines.add([&](std::string& text) { text += line; });
  append(std::span(&number, 1), std::span(&lines, 1));
}

void SweepJournal::append(std::span<const std::size_t> numbers,
                          std::span<const JournalLines> parts) {
  if (file_ < 0) throw WriteError(path_.string() + " takes no more rows.");
  for (const JournalLines& part : parts) {
    const std::uint64_t before = bytes_;
    int error = 0;
    const std::size_t written = write(part.text_, error);
    for (std::size_t i = 0; i < part.size() && part.ends_[i] <= written; ++i) {
      note(numbers[i], before + (i > 0 ? part.ends_[i - 1] : 0) + kHeadLength);
    }
    if (written < part.text_.size()) fail(error);
    numbers = numbers.subspan(part.size());
  }
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

std::string SweepJournal::line(std::size_t number) const {
  std::ifstream in(path_, std::ios::binary);
  in.seekg(static_cast<std::streamoff>(place_[number]));
  std::string line;
  std::getline(in, line);
  return line;
}

void SweepJournal::for_each(const std::function<void(std::size_t, std::string_view)>& see) const {
  const MappedFile lines(file_, bytes_);
  if (!lines) throw WriteError(path_.string() + " cannot be read.");
  for (std::size_t i = 0; i < is_done_.size(); ++i) {
    if (!is_done_[i]) continue;
    const std::string_view rest = lines.text().substr(place_[i]);
    see(i, rest.substr(0, rest.find('\n')));
  }
}

// Threads make the texts of neighbouring rows, while one of them writes those of before.
void SweepJournal::write_table(const std::filesystem::path& path, std::string_view head, int jobs,
                               const See& see) const {
  constexpr std::size_t kRows = 16'384;  // in a text
  WholeFile whole(path);
  const MappedFile lines(file_, bytes_);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(
      lines ? std::fopen(whole.beside().c_str(), "wb") : nullptr, &std::fclose);
  const auto check = [&](int error) {
    if (error == 0) return;
    throw WriteError(fmt::format("{} cannot be written: {}. All {} rows are in {}.", path.string(),
                                 std::strerror(error), num_done_, path_.string()));
  };
  check(out ? 0 : errno);
  const auto write = [&](std::string_view text) {
    return std::fwrite(text.data(), 1, text.size(), out.get()) == text.size() ? 0 : errno;
  };
  check(write(head));

  const std::size_t num_texts = (is_done_.size() + kRows - 1) / kRows;
  std::vector<std::size_t> places;  // in the table, of their first rows
  std::size_t place = 0;
  for (std::size_t i = 0; i < is_done_.size(); place += is_done_[i++] ? 1 : 0) {
    if (i % kRows == 0) places.push_back(place);
  }
  const auto make = [&](std::size_t which, std::string& text) {
    text.clear();
    std::size_t place_of_line = places[which];
    for (std::size_t i = which * kRows; i < std::min((which + 1) * kRows, is_done_.size()); ++i) {
      if (!is_done_[i]) continue;
      const std::string_view rest = lines.text().substr(place_[i]);
      const std::string_view line = rest.substr(0, rest.find('\n'));
      see(place_of_line++, i, line);
      (text += line.substr(0, line.find('\t'))) += '\n';
    }
  };
  const auto most = static_cast<std::size_t>(jobs);
  std::vector<std::string> made(most), leaving(most);
  std::future<int> written;
  for (std::size_t begin = 0; begin < num_texts; begin += most) {
    const std::size_t count = std::min(most, num_texts - begin);
    for_parts(count, {.jobs = jobs, .least = 1}, [&](std::size_t, std::size_t i, std::size_t last) {
      for (; i < last; ++i) make(begin + i, made[i]);
    });
    if (written.valid()) check(written.get());
    std::swap(made, leaving);
    written = std::async([&, count] {  // in get(), where there are no threads
      int error = 0;
      for (std::size_t i = 0; i < count && error == 0; ++i) error = write(leaving[i]);
      return error;
    });
  }
  if (written.valid()) check(written.get());
  check(std::fflush(out.get()) == 0 ? 0 : errno);
  whole.keep();
}

}  // namespace koppel
