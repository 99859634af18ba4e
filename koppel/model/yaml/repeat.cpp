// Elements that are repeated over an index, and names with indices.
#include <algorithm>
#include <cmath>

#include <koppel/model/yaml/names.hpp>
#include <koppel/model/yaml/reader.hpp>

namespace koppel::yaml {
namespace {

using Numbers = std::map<std::string, long, std::less<>>;

// What a range without values counts for: reading one takes as long as writing out some values.
constexpr std::size_t kEmptyRange = 32;

// The tree with the indices' values put in, without the key `repeat`.
Node write_out(const Node& node, const Numbers& numbers, bool is_top) {
  Node out;
  out.kind = node.kind;
  out.offset = node.offset;
  out.text = with_numbers(node.text, numbers);
  for (const Node& item : node.items) out.items.push_back(write_out(item, numbers, false));
  for (const Entry& entry : node.entries) {
    if (is_top && entry.key == "repeat") continue;
    out.entries.push_back(
        {with_numbers(entry.key, numbers), entry.offset, write_out(entry.value, numbers, false)});
  }
  return out;
}

}  // namespace

long Reader::whole_number(std::size_t offset, std::string_view text, std::string_view what) {
  if (text.find('[') != text.npos) {
    report(offset, "model.bad-index",
           std::string(what) + " '" + std::string(text) + "' has an index itself.");
    return 0;
  }
  const double value = plain_number(make_scalar(text, offset), what);
  if (value == std::floor(value) && std::abs(value) <= 1e9) return static_cast<long>(value);
  report(offset, "model.bad-index",
         std::string(what) + " '" + std::string(text.substr(0, 60)) + "' is not a whole number.");
  return 0;
}

std::string Reader::with_indices(std::size_t offset, const std::string& text) {
  return yaml::with_indices(text, [&](std::string_view index) {
    const long value = whole_number(offset, index, "index");
    if (value >= 0) return value;
    report(offset, "model.bad-index",
           "index '" + std::string(index.substr(0, 60)) +
               "' is negative: " + std::to_string(value) + ".");
    return 0L;
  });
}

std::vector<Element> Reader::elements(const Node* section, std::string_view what) {
  std::vector<Element> out;
  if (section == nullptr || section->is_null() || !expect_map(*section, what)) return out;
  for (const Entry& entry : section->entries) {
    const Node* ranges = entry.value.is_map() ? entry.value.find("repeat") : nullptr;
    if (ranges != nullptr) {
      repeat(entry, *ranges, out);
    } else {
      const std::string name = with_indices(entry.offset, entry.key);
      out.push_back({name, full(name), entry.offset, &entry.value});
    }
  }
  return out;
}

void Reader::repeat(const Entry& entry, const Node& ranges, std::vector<Element>& out) {
  const Subject subject(*this, full(entry.key));
  if (!expect_map(ranges, "repeat of '" + entry.key + "'")) return;
  struct Index {
    const Entry* entry;
    long last = 0;
  };
  std::vector<Index> indices;
  Numbers numbers;
  const std::size_t size = num_nodes(entry.value) + entry.key.size() / kBytesOfNode;
  // An odometer over the indices; the last one turns fastest, and its range may use those before.
  const auto count = [&](std::size_t more) {
    names.num_nodes += more;
    if (names.num_nodes <= kMostNodes) return true;
    report(entry.offset, "model.too-large",
           "repeating '" + entry.key + "' makes more than a million values.");
    return false;
  };
  const auto enter = [&](const Entry& range) {
    const std::string& text = range.value.text;
    const std::size_t dots = text.find("..");
    if (!range.value.is_scalar() || dots == text.npos) {
      report(range.value.offset, "model.bad-index",
             "index '" + range.key + "' needs a range like 1..n.");
      return false;
    }
    const std::string first = with_numbers(text.substr(0, dots), numbers);
    const std::string last = with_numbers(text.substr(dots + 2), numbers);
    const std::size_t before = mistakes_.size();
    const long from = whole_number(range.value.offset, first, "start of the range");
    indices.push_back({&range, whole_number(range.value.offset, last, "end of the range")});
    numbers[range.key] = from;
    return mistakes_.size() == before;
  };
  std::size_t level = 0;
  bool forward = true;
  const std::size_t levels = ranges.entries.size();
  for (;;) {
    if (forward && level == levels) {
      if (!count(size)) return;
      written_out_.push_back(write_out(entry.value, numbers, true));
      const std::string name = with_indices(entry.offset, with_numbers(entry.key, numbers));
      out.push_back({name, full(name), entry.offset, &written_out_.back()});
      forward = false;
    } else if (forward) {
      if (!enter(ranges.entries[level])) return;
      if (numbers[ranges.entries[level].key] > indices.back().last) {
        if (!count(kEmptyRange)) return;
        numbers.erase(ranges.entries[level].key);
        indices.pop_back();
        forward = false;
      } else {
        ++level;
      }
    } else {
      if (level == 0 || !count(1)) return;
      long& value = numbers[indices.back().entry->key];
      if (++value <= indices.back().last) {
        forward = true;
      } else {
        numbers.erase(indices.back().entry->key);
        indices.pop_back();
        --level;
      }
    }
  }
}

}  // namespace koppel::yaml
