#include <koppel/base/diagnostic.hpp>

#include <algorithm>

#include <koppel/base/printable.hpp>

namespace koppel {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

int count_characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

void append_indented(std::string& out, std::string_view lines) {
  while (!lines.empty()) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    out += "\n  ";
    out += lines.substr(0, end);
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
}

std::string join(const std::vector<Diagnostic>& diagnostics) {
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    if (!out.empty()) out += '\n';
    out += to_string(d);
  }
  return out;
}

}  // namespace

std::string to_string(const Diagnostic& d) {
  std::string out;
  if (!d.where.file.empty()) out += printable(d.where.file) + ':';
  if (d.where.line > 0) {
    out += std::to_string(d.where.line) + ':' + std::to_string(d.where.column) + ':';
  }
  if (!out.empty()) out += ' ';
  out += "error[" + d.id + "]: " + with_short_words(printable(d.message));
  append_indented(out, printable(d.excerpt, true));
  append_indented(out, with_short_words(printable(d.hint, true)));
  return out;
}

Error::Error(std::vector<Diagnostic> diagnostics)
    : std::runtime_error(join(diagnostics)), diagnostics_(std::move(diagnostics)) {}

Error::Error(std::string_view id, std::string_view message, std::string_view hint)
    : Error({Diagnostic{std::string(id), std::string(message), std::string(hint), {}, {}}}) {}

Error&& Error::about(std::string_view subject) && {
  for (Diagnostic& d : diagnostics_) d.subject = subject;
  return std::move(*this);
}

Error&& Error::because(Cause cause) && {
  for (Diagnostic& d : diagnostics_) d.cause = cause;
  return std::move(*this);
}

bool Error::has(Cause cause) const {
  return std::any_of(diagnostics_.begin(), diagnostics_.end(),
                     [cause](const Diagnostic& d) { return d.cause == cause; });
}

void locate(std::string_view text, std::size_t offset, Diagnostic& diagnostic) {
  offset = std::min(offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const std::size_t newline = before.rfind('\n');
  const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
  const std::size_t end = std::min(text.find('\n', offset), text.size());
  diagnostic.where.line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  diagnostic.where.column = 1 + count_characters(text.substr(begin, offset - begin));

  // At most this many bytes either side of the place: a line may be megabytes long.
  constexpr std::size_t kReach = 60;
  std::size_t from = offset - begin > kReach ? offset - kReach : begin;
  std::size_t to = end - offset > kReach ? offset + kReach : end;
  while (from > begin && is_continuation(text[from])) --from;
  while (to < end && is_continuation(text[to])) ++to;
  const std::string head = from > begin ? "…" : "";
  std::string line = head + std::string(text.substr(from, to - from)) + (to < end ? "…" : "");
  std::replace_if(
      line.begin(), line.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }, ' ');
  const int indent = count_characters(head) + count_characters(text.substr(from, offset - from));
  diagnostic.excerpt = line + '\n' + std::string(static_cast<std::size_t>(indent), ' ') + '^';
}

}  // namespace koppel
