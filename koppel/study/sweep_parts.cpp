#include <koppel/study/sweep_parts.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

// A number at the front of a text, which is taken off.
std::optional<std::size_t> take_number(std::string_view& text) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return {};
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

bool take_text(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

std::optional<SweepPart> part_of_file(const std::string& name) {
  std::string_view text = name;
  if (!take_text(text, "part-")) return {};
  const std::optional<std::size_t> number = take_number(text);
  if (!number || !take_text(text, "-of-")) return {};
  const std::optional<std::size_t> count = take_number(text);
  if (!count || text != ".txt" || *number < 1 || *number > *count) return {};
  return SweepPart{*number, *count};
}

std::vector<SweepPart> parts_in(const std::filesystem::path& folder) {
  std::vector<SweepPart> out;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder, none)) {
    const std::optional<SweepPart> part = part_of_file(entry.path().filename().string());
    if (part) out.push_back(*part);
  }
  std::sort(out.begin(), out.end(), [](const SweepPart& a, const SweepPart& b) {
    return std::pair(a.count, a.number) < std::pair(b.count, b.number);
  });
  return out;
}

// Appends to one journal what is new in another.
void take_over(const SweepJournal& from, SweepJournal& to) {
  constexpr std::size_t kAtOnce = 16'384;
  std::vector<std::size_t> numbers;
  JournalLines lines;
  const auto append = [&] {
    to.append(numbers, std::span(&lines, 1));
    numbers.clear();
    lines.clear();
  };
  from.for_each([&](std::size_t number, std::string_view line) {
    if (to.is_done()[number]) return;
    numbers.push_back(number);
    lines.add([&](std::string& text) { text += line; });
    if (numbers.size() == kAtOnce) append();
  });
  append();
}

// "parts 2, 3 and 7"
std::string name_parts(const std::vector<std::size_t>& numbers) {
  constexpr std::size_t kMost = 12;
  std::string out = numbers.size() == 1 ? "part " : "parts ";
  const std::size_t shown = std::min(numbers.size(), kMost);
  for (std::size_t i = 0; i < shown; ++i) {
    const bool is_last = i + 1 == numbers.size();
    if (i > 0) out += is_last ? " and " : ", ";
    out += std::to_string(numbers[i]);
  }
  return shown < numbers.size() ? out + ", …" : out;
}

[[noreturn]] void refuse_missing(const std::filesystem::path& folder,
                                 const std::vector<SweepPart>& parts, const SweepJournal& journal) {
  const std::size_t size = journal.is_done().size(), count = parts.back().count;
  std::vector<std::size_t> absent, begun;
  std::string text;
  for (std::size_t number = 1; number <= std::min(count, size); ++number) {
    const SweepPart part{number, count};
    std::size_t num_done = 0;
    for (std::size_t i = number - 1; i < size; i += count) {
      if (journal.is_done()[i]) ++num_done;
    }
    if (num_done == part.size(size)) continue;
    const bool is_there = std::filesystem::exists(journal_of(part, folder));
    (is_there ? begun : absent).push_back(number);
    if (is_there && begun.size() <= 3) {
      text += fmt::format("part {} has {} of {} variants; ", number, num_done, part.size(size));
    }
  }
  if (begun.size() > 3) text += fmt::format("{} parts more are not complete; ", begun.size() - 3);
  if (!absent.empty()) {
    text += fmt::format("{} of {} {} not there; ", name_parts(absent), count,
                        absent.size() == 1 ? "is" : "are");
  }
  text.resize(text.size() - 2);
  const std::size_t first = begun.empty()    ? absent.front()
                            : absent.empty() ? begun.front()
                                             : std::min(absent.front(), begun.front());
  throw Error(
      "study.missing-parts",
      fmt::format("the sweep in {} is not complete: {}.", folder.string(), text),
      fmt::format("The same command with `part = {}/{}` in place of `collect` computes what "
                  "is missing{}.",
                  first, count, absent.size() + begun.size() == 1 ? "" : " of the first of them"));
}

}  // namespace

SweepPart parse_part(std::string_view text) {
  std::string_view rest = text;
  const std::optional<std::size_t> number = take_number(rest);
  const bool has_slash = number && take_text(rest, "/");
  const std::optional<std::size_t> count = has_slash ? take_number(rest) : std::nullopt;
  if (!count || !rest.empty() || *count == 0) {
    throw Error("study.bad-part", fmt::format("'{}' is not a part of a sweep.", text),
                "Write the number of the part and that of all parts, such as 2/4.");
  }
  if (*number < 1 || *number > *count) {
    throw Error("study.bad-part",
                fmt::format("there is no part {} of {}: the first is 1, the last {}.", *number,
                            *count, *count),
                *number == 0 ? fmt::format("A batch array of tasks 1-{} counts like this.", *count)
                             : std::string());
  }
  return {*number, *count};
}

std::filesystem::path journal_of(const SweepPart& part, const std::filesystem::path& folder) {
  return folder / fmt::format("part-{}-of-{}.txt", part.number, part.count);
}

PartLock::PartLock(const std::filesystem::path& journal)
    : file_(::open(journal.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
  if (file_ < 0 || ::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  ::close(file_);
  throw Error("results.folder-in-use", "another run is writing into " + journal.string() + ".",
              "Wait for its end.");
}

PartLock::~PartLock() {
  if (file_ >= 0) ::close(file_);
}

void collect_parts(const std::filesystem::path& folder, const Manifest& manifest,
                   SweepJournal& journal) {
  const std::size_t size = journal.is_done().size();
  const std::vector<SweepPart> parts = parts_in(folder);
  if (!parts.empty() && parts.front().count != parts.back().count) {
    throw Error("study.mixed-parts",
                fmt::format("{} has parts of a sweep in {} and of one in {}.", folder.string(),
                            parts.front().count, parts.back().count),
                fmt::format("Remove the files part-*-of-{}.txt or part-*-of-{}.txt.",
                            parts.front().count, parts.back().count));
  }
  for (const SweepPart& part : parts) {
    const PartLock lock(journal_of(part, folder));
    take_over(SweepJournal(journal_of(part, folder), manifest, size), journal);
  }
  if (journal.num_done() == size) return;
  if (!parts.empty()) refuse_missing(folder, parts, journal);
  throw Error(
      "study.missing-parts", fmt::format("{} has no parts of a sweep.", folder.string()),
      "The same command with `part = 1/4` in place of `collect` computes the first of four, "
      "and so on.");
}

void remove_parts(const std::filesystem::path& folder) {
  std::error_code none;  // one that stays does no harm
  for (const SweepPart& part : parts_in(folder)) {
    std::filesystem::remove(journal_of(part, folder), none);
  }
}

}  // namespace koppel
