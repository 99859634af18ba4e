// A sweep in parts that know nothing of each other, such as the tasks of a batch array: each writes
// its rows to a journal of its own in a folder that all share, and what they wrote is collected.
//
//   part-2-of-4.txt     a journal (sweep_journal.hpp) with the variants 1, 5, 9, …
#pragma once

#include <filesystem>
#include <string_view>

#include <koppel/study/sweep_journal.hpp>

namespace koppel {

struct SweepPart {
  std::size_t number = 1, count = 1;  // the first is 1

  bool has(std::size_t variant) const { return variant % count == number - 1; }
  std::size_t size(std::size_t num_variants) const {
    return (num_variants + count - number) / count;
  }
};

// "2/4". Throws Error `study.bad-part`.
SweepPart parse_part(std::string_view text);

std::filesystem::path journal_of(const SweepPart& part, const std::filesystem::path& folder);

// Holds the journal of a part: one process at a time computes it. Throws Error
// `results.folder-in-use`.
class PartLock {
 public:
  explicit PartLock(const std::filesystem::path& journal);
  PartLock(const PartLock&) = delete;
  PartLock& operator=(const PartLock&) = delete;
  ~PartLock();

 private:
  int file_;
};

// Takes over into the journal of the sweep what the parts in its folder have. Throws Error
// `study.missing-parts` where variants are missing then, with what has to be computed;
// `study.other-sweep`, `study.mixed-parts`, `results.folder-in-use`; WriteError.
void collect_parts(const std::filesystem::path& folder, const Manifest& manifest,
                   SweepJournal& journal);

// Removes the journals of parts, once all that is in them is elsewhere.
void remove_parts(const std::filesystem::path& folder);

}  // namespace koppel
