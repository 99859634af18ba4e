#include <koppel/base/csv.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include <koppel/base/diagnostic.hpp>

namespace koppel {
namespace {

// What stands between fields: commas, or where the header has none, semicolons or tabs, as
// spreadsheets write them where decimals have commas.
char separator_of(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  for (const char candidate : {',', ';', '\t'}) {
    if (header.find(candidate) != header.npos) return candidate;
  }
  return ',';
}

std::string trimmed(std::string_view field) {
  const std::size_t first = field.find_first_not_of(' ');
  if (first == field.npos) return {};
  return std::string(field.substr(first, field.find_last_not_of(' ') + 1 - first));
}

// Fields of a text, one after the other; quoted ones may hold separators and line breaks.
class Fields {
 public:
  Fields(std::string_view text, char separator) : text_(text), ends_{separator, '\n'} {}

  bool at_end() const { return place_ >= text_.size(); }
  std::size_t line() const { return line_; }  // of the next field

  // The next field. Afterwards ends_line() says whether it was the last of its line.
  std::string next() {
    std::string field;
    skip_spaces();
    if (place_ < text_.size() && text_[place_] == '"') {
      for (++place_; place_ < text_.size(); ++place_) {
        if (text_[place_] == '"') {
          if (place_ + 1 >= text_.size() || text_[place_ + 1] != '"') break;
          ++place_;
        }
        if (text_[place_] == '\n') ++line_;
        field += text_[place_];
      }
      if (place_ < text_.size()) ++place_;  // the closing quote
    }
    const std::size_t end =
        std::min(text_.find_first_of(std::string_view(ends_, 2), place_), text_.size());
    field += text_.substr(place_, end - place_);
    ends_line_ = end == text_.size() || text_[end] == '\n';
    if (ends_line_) {
      ++line_;
      if (!field.empty() && field.back() == '\r') field.pop_back();
    }
    place_ = end + 1;
    return trimmed(field);
  }
  bool ends_line() const { return ends_line_; }

 private:
  // Before a field, which may be quoted.
  void skip_spaces() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
  }

  std::string_view text_;
  char ends_[2];
  std::size_t place_ = 0, line_ = 1;
  bool ends_line_ = false;
};

[[noreturn]] void refuse(const std::string& file, std::size_t line, const std::string& message) {
  Diagnostic wrong;
  wrong.id = "csv.bad-line";
  wrong.message = message;
  wrong.where = {file, static_cast<int>(line), 1};
  throw Error(std::vector<Diagnostic>{std::move(wrong)});
}

}  // namespace

// Spaces around fields, a plus sign, blank lines and the byte-order mark of spreadsheets are passed
// over. In a single column a blank line is an empty field.
CsvColumns parse_csv(std::string_view text, const std::string& file) {
  constexpr std::string_view kMark = "\xEF\xBB\xBF";  // that spreadsheets write
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  const char separator = separator_of(text);
  Fields fields(text, separator);
  if (fields.at_end()) refuse(file, 1, "the file is empty; a header was expected.");
  CsvColumns out;
  do {
    out.names.push_back(fields.next());
  } while (!fields.ends_line());
  out.values.resize(out.names.size());
  while (!fields.at_end()) {
    const std::size_t line = fields.line();
    std::size_t count = 0;
    bool is_blank = true;
    do {
      std::string field = fields.next();
      is_blank = is_blank && field.empty();
      if (separator != ',') std::replace(field.begin(), field.end(), ',', '.');
      double value = std::numeric_limits<double>::quiet_NaN();
      if (field.size() > 1 && field[0] == '+' && field[1] != '-') field.erase(0, 1);
      const char* const end = field.data() + field.size();
      if (const auto [rest, error] = std::from_chars(field.data(), end, value);
          !field.empty() && (error != std::errc() || rest != end)) {
        // The field is not shown: the file may hold anything.
        refuse(file, line, "field " + std::to_string(count + 1) + " is not a number.");
      }
      if (count < out.names.size()) out.values[count].push_back(value);
      ++count;
    } while (!fields.ends_line());
    if (is_blank && count == 1 && out.names.size() > 1) {
      out.values[0].pop_back();
      continue;
    }
    if (count != out.names.size()) {
      refuse(file, line,
             std::to_string(count) + " fields where the header has " +
                 std::to_string(out.names.size()) + ".");
    }
  }
  return out;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace koppel
