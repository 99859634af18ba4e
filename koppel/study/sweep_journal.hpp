// The journal of a sweep: what its rows are, and all that are computed so far, in a file that only
// grows. A sweep that was killed at any instant goes on from it.
//
//   koppel sweep journal 1
//   {"koppel":"0.1.0", …}                     what is computed: the manifest
//   3a91c0de 17,0.5,1.25,done,,               a row: checksum, then the line of the table
//
// Lines are whole or not there: one that was cut off, or whose checksum is wrong, ends what counts
// and is written again. On a full disk the part of a line is cut off.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <koppel/study/sweep_manifest.hpp>

namespace koppel {

// Rows as the journal has them, to be appended all at once.
class JournalLines {
 public:
  // `write(text)` appends the line of a row to a text, without its end.
  template <typename Write>
  void add(Write&& write) {
    const std::size_t begin = text_.size();
    text_.append(kHeadLength, ' ');
    write(text_);
    finish(begin);
  }
  std::size_t size() const { return ends_.size(); }
  void clear();  // memory stays

 private:
  friend class SweepJournal;
  static constexpr std::size_t kHeadLength = 9;  // checksum and space
  void finish(std::size_t begin);                // the line from there on

  std::string text_;
  std::vector<std::size_t> ends_;
};

class SweepJournal {
 public:
  // Opens it, or makes it. Throws Error `study.other-sweep` where it is of a sweep with another
  // manifest, with what differs; WriteError.
  SweepJournal(std::filesystem::path path, const Manifest& manifest, std::size_t num_rows);
  SweepJournal(const SweepJournal&) = delete;
  SweepJournal& operator=(const SweepJournal&) = delete;
  ~SweepJournal();

  const std::vector<bool>& is_done() const { return is_done_; }
  std::size_t num_done() const { return num_done_; }

  // The line of a row, without its end. It reaches the system before this returns. Throws
  // WriteError, and takes no more then.
  void append(std::size_t number, std::string_view line);
  // Many at once, those of the parts one after the other. Where only some of them find room, those
  // are kept.
  void append(std::span<const std::size_t> numbers, std::span<const JournalLines> parts);

  // The lines of all rows in their order, to a whole file with this head: each is shown to `see`,
  // with its place in the table and its number, and written up to a tab, if there is one. With
  // several threads they are shown in any order, several at a time. Throws WriteError.
  using See = std::function<void(std::size_t place, std::size_t number, std::string_view line)>;
  void write_table(const std::filesystem::path& path, std::string_view head, int jobs,
                   const See& see) const;
  std::string line(std::size_t number) const;  // of a row that is done
  void for_each(const std::function<void(std::size_t, std::string_view)>& see) const;

 private:
  void read(const Manifest& manifest);
  void begin(const Manifest& manifest);
  // How much of it was written, up to the end of a line; less than all: why it is not is in
  // `error`.
  std::size_t write(std::string_view text, int& error);
  void note(std::size_t number, std::uint64_t place);  // of its line
  [[noreturn]] void fail(int error);

  std::filesystem::path path_;
  int file_ = -1;
  std::size_t bytes_ = 0;  // that are whole
  std::vector<bool> is_done_;
  std::vector<std::uint64_t> place_;  // of the lines, in the file
  std::size_t num_done_ = 0;
};

// FNV-1a.
std::uint32_t checksum(std::string_view text);

}  // namespace koppel
