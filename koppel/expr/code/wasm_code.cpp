#include <koppel/expr/code/wasm_code.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>

namespace koppel::wasm {
namespace {

// LEB128: seven bits a byte, the lowest first; the top bit says that more follow.
void append_unsigned(Bytes& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<std::uint8_t>(value | 0x80));
  out.push_back(static_cast<std::uint8_t>(value));
}
void append_signed(Bytes& out, std::int64_t value) {
  for (; value < -64 || value > 63; value >>= 7) {
    out.push_back(static_cast<std::uint8_t>((value & 0x7F) | 0x80));
  }
  out.push_back(static_cast<std::uint8_t>(value & 0x7F));
}
void append(Bytes& out, const Bytes& more) { out.insert(out.end(), more.begin(), more.end()); }
void append_bits(Bytes& out, double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  for (unsigned i = 0; i < 64; i += 8) out.push_back(static_cast<std::uint8_t>(bits >> i));
}
void append_name(Bytes& out, std::string_view name) {
  append_unsigned(out, name.size());
  out.insert(out.end(), name.begin(), name.end());
}
void append_section(Bytes& out, std::uint8_t id, const Bytes& content) {
  out.push_back(id);
  append_unsigned(out, content.size());
  append(out, content);
}
// A vector of the standard: how many, then each.
Bytes vector_of(const std::vector<Bytes>& items) {
  Bytes out;
  append_unsigned(out, items.size());
  for (const Bytes& item : items) append(out, item);
  return out;
}

std::string_view next_word(std::string_view& text) {
  const std::size_t first = std::min(text.find_first_not_of(" \n"), text.size());
  const std::size_t last = std::min(text.find_first_of(" \n", first), text.size());
  const std::string_view word = text.substr(first, last - first);
  text.remove_prefix(last);
  return word;
}

// The type of this name.
Type type_of(std::string_view name) {
  assert(name == "i32" || name == "i64" || name == "f64");
  return name == "i32" ? Type::I32 : name == "i64" ? Type::I64 : Type::F64;
}

std::int64_t whole(std::string_view word) {
  const bool is_hex = word.starts_with("0x");
  std::int64_t value = 0;
  std::from_chars(word.data() + (is_hex ? 2 : 0), word.data() + word.size(), value,
                  is_hex ? 16 : 10);
  return value;
}
double decimal(std::string_view word) {
  double value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

// What follows an instruction.
enum class Follows { Nothing, Local, Index, Integer, Real, Offset, Block };
struct Named {
  std::string_view name;
  std::uint8_t opcode;
  Follows follows = Follows::Nothing;
  std::uint8_t align = 0;  // of Offset: log2 of the bytes
};

constexpr Named kNamed[] = {
    {"block", 0x02, Follows::Block},
    {"loop", 0x03, Follows::Block},
    {"if", 0x04, Follows::Block},
    {"else", 0x05},
    {"end", 0x0B},
    {"br", 0x0C, Follows::Index},
    {"br_if", 0x0D, Follows::Index},
    {"return", 0x0F},
    {"call", 0x10, Follows::Index},
    {"drop", 0x1A},
    {"select", 0x1B},
    {"local.get", 0x20, Follows::Local},
    {"local.set", 0x21, Follows::Local},
    {"local.tee", 0x22, Follows::Local},
    {"i64.load", 0x29, Follows::Offset, 3},
    {"f64.load", 0x2B, Follows::Offset, 3},
    {"i64.load32_u", 0x35, Follows::Offset, 2},
    {"i64.store", 0x37, Follows::Offset, 3},
    {"f64.store", 0x39, Follows::Offset, 3},
    {"i32.const", 0x41, Follows::Integer},
    {"i64.const", 0x42, Follows::Integer},
    {"f64.const", 0x44, Follows::Real},
    {"i32.eqz", 0x45},
    {"i32.lt_s", 0x48},
    {"i32.lt_u", 0x49},
    {"i32.gt_s", 0x4A},
    {"i32.le_s", 0x4C},
    {"i32.ge_s", 0x4E},
    {"i32.ge_u", 0x4F},
    {"i64.eqz", 0x50},
    {"i64.eq", 0x51},
    {"i64.ne", 0x52},
    {"i64.lt_s", 0x53},
    {"i64.gt_u", 0x56},
    {"f64.eq", 0x61},
    {"f64.ne", 0x62},
    {"f64.lt", 0x63},
    {"f64.gt", 0x64},
    {"f64.le", 0x65},
    {"f64.ge", 0x66},
    {"i32.add", 0x6A},
    {"i32.sub", 0x6B},
    {"i32.and", 0x71},
    {"i32.or", 0x72},
    {"i32.shl", 0x74},
    {"i32.shr_s", 0x75},
    {"i32.shr_u", 0x76},
    {"i64.add", 0x7C},
    {"i64.sub", 0x7D},
    {"i64.mul", 0x7E},
    {"i64.and", 0x83},
    {"i64.or", 0x84},
    {"i64.xor", 0x85},
    {"i64.shl", 0x86},
    {"i64.shr_s", 0x87},
    {"i64.shr_u", 0x88},
    {"f64.abs", 0x99},
    {"f64.neg", 0x9A},
    {"f64.sqrt", 0x9F},
    {"f64.add", 0xA0},
    {"f64.sub", 0xA1},
    {"f64.mul", 0xA2},
    {"f64.div", 0xA3},
    {"i32.wrap_i64", 0xA7},
    {"i32.trunc_f64_u", 0xAB},
    {"i64.extend_i32_s", 0xAC},
    {"i64.extend_i32_u", 0xAD},
    {"i64.trunc_f64_s", 0xB0},
    {"f64.convert_i32_s", 0xB7},
    {"f64.convert_i32_u", 0xB8},
    {"f64.convert_i64_s", 0xB9},
    {"f64.convert_i64_u", 0xBA},
    {"i64.reinterpret_f64", 0xBD},
    {"f64.reinterpret_i64", 0xBF},
};

constexpr std::uint8_t kFunctionType = 0x60, kEmptyBlock = 0x40, kEnd = 0x0B;
constexpr std::uint8_t kGet = 0x20, kSet = 0x21, kTee = 0x22, kInteger = 0x41, kReal = 0x44;
constexpr std::size_t kPage = 65536;

}  // namespace

Code::Code(std::string_view parameters, std::string_view results) {
  Bytes types;
  for (std::string_view name; !(name = next_word(parameters)).empty();) {
    names_[std::string(name)] = num_parameters_++;
    types.push_back(static_cast<std::uint8_t>(type_of(next_word(parameters))));
  }
  type_ = {kFunctionType};
  append_unsigned(type_, types.size());
  append(type_, types);
  types.clear();
  for (std::string_view name; !(name = next_word(results)).empty();) {
    types.push_back(static_cast<std::uint8_t>(type_of(name)));
  }
  append_unsigned(type_, types.size());
  append(type_, types);
}

std::uint32_t Code::add_local(Type type, const std::string& name) {
  const auto index = num_parameters_ + static_cast<std::uint32_t>(locals_.size());
  locals_.push_back(type);
  if (!name.empty()) names_[name] = index;
  return index;
}

void Code::add(std::string_view text) {
  for (std::string_view word; !(word = next_word(text)).empty();) add_instruction(word, text);
}

void Code::add_instruction(std::string_view name, std::string_view& rest) {
  if (name == "memory.copy") {
    append(bytes_, {0xFC, 10, 0, 0});
    return;
  }
  if (name == "memory.init") {
    append(bytes_, {0xFC, 8, 0, 0});
    return;
  }
  const auto* const found = std::find_if(std::begin(kNamed), std::end(kNamed),
                                         [&](const Named& n) { return n.name == name; });
  assert(found != std::end(kNamed));
  bytes_.push_back(found->opcode);
  switch (found->follows) {
    case Follows::Nothing: break;
    case Follows::Block: bytes_.push_back(kEmptyBlock); break;
    case Follows::Local: {
      const std::string_view local = next_word(rest);
      const auto named = names_.find(local);
      append_unsigned(
          bytes_, named != names_.end() ? named->second : static_cast<std::uint64_t>(whole(local)));
      break;
    }
    case Follows::Index:
      append_unsigned(bytes_, static_cast<std::uint64_t>(whole(next_word(rest))));
      break;
    case Follows::Integer: append_signed(bytes_, whole(next_word(rest))); break;
    case Follows::Real: append_bits(bytes_, decimal(next_word(rest))); break;
    case Follows::Offset: {
      bytes_.push_back(found->align);
      append_unsigned(bytes_, static_cast<std::uint64_t>(whole(next_word(rest))));
      break;
    }
  }
}

void Code::get(std::uint32_t local) {
  if (after_set_ == bytes_.size() && after_set_ > 0 && last_set_ == local) {
    bytes_[set_at_] = kTee;
    after_set_ = 0;
    return;
  }
  bytes_.push_back(kGet);
  append_unsigned(bytes_, local);
}
void Code::set(std::uint32_t local) {
  set_at_ = bytes_.size();
  bytes_.push_back(kSet);
  append_unsigned(bytes_, local);
  after_set_ = bytes_.size();
  last_set_ = local;
}
void Code::tee(std::uint32_t local) {
  bytes_.push_back(kTee);
  append_unsigned(bytes_, local);
}
void Code::real(double value) {
  bytes_.push_back(kReal);
  append_bits(bytes_, value);
}
void Code::integer(std::int64_t value) {
  bytes_.push_back(kInteger);
  append_signed(bytes_, value);
}
void Code::call(std::uint32_t function) {
  bytes_.push_back(0x10);
  append_unsigned(bytes_, function);
}
void Code::load(std::uint32_t address) {
  integer(0);
  append(bytes_, {0x2B, 3});
  append_unsigned(bytes_, address);
}
void Code::store(std::uint32_t address) {
  append(bytes_, {0x39, 3});
  append_unsigned(bytes_, address);
}

Bytes Code::body() const {
  Bytes runs;  // of locals of one type
  std::size_t num_runs = 0;
  for (std::size_t i = 0; i < locals_.size(); ++num_runs) {
    std::size_t end = i;
    while (end < locals_.size() && locals_[end] == locals_[i]) ++end;
    append_unsigned(runs, end - i);
    runs.push_back(static_cast<std::uint8_t>(locals_[i]));
    i = end;
  }
  Bytes content;
  append_unsigned(content, num_runs);
  append(content, runs);
  append(content, bytes_);
  content.push_back(kEnd);
  Bytes out;
  append_unsigned(out, content.size());
  append(out, content);
  return out;
}

std::uint32_t Module::reserve(std::size_t count) {
  const std::uint32_t address = size_;
  size_ += static_cast<std::uint32_t>(8 * count);
  return address;
}

std::uint32_t Module::add_data(Bytes data) {
  for (const Data& other : data_) {
    if (other.bytes == data) return other.address;
  }
  const std::uint32_t address = reserve((data.size() + 7) / 8);
  data_.push_back({address, std::move(data)});
  return address;
}

std::uint32_t Module::add(Code code) {
  const auto found = std::find(types_.begin(), types_.end(), code.type());
  type_of_.push_back(static_cast<std::uint32_t>(found - types_.begin()));
  if (found == types_.end()) types_.push_back(code.type());
  bodies_.push_back(code.body());
  return static_cast<std::uint32_t>(bodies_.size() - 1);
}

void Module::add_export(const std::string& name, std::uint32_t function) {
  exports_.emplace_back(name, function);
}
void Module::add_constant(const std::string& name, std::uint32_t value) {
  constants_.emplace_back(name, value);
}

Bytes Module::exports() const {
  std::vector<Bytes> items;
  const auto add = [&](std::string_view name, std::uint8_t kind, std::uint64_t index) {
    append_name(items.emplace_back(), name);
    items.back().push_back(kind);
    append_unsigned(items.back(), index);
  };
  add("memory", 2, 0);
  for (const auto& [name, function] : exports_) add(name, 0, function);
  for (std::size_t i = 0; i < constants_.size(); ++i) add(constants_[i].first, 3, i);
  return vector_of(items);
}

Bytes Module::data() const {
  std::vector<Bytes> items;
  if (!image_.empty()) {
    items.push_back({1});  // passive
    append_unsigned(items.back(), image_.size());
    append(items.back(), image_);
  }
  for (const Data& data : data_) {
    items.push_back({0, kInteger});  // at a constant address
    append_signed(items.back(), data.address);
    items.back().push_back(kEnd);
    append_unsigned(items.back(), data.bytes.size());
    append(items.back(), data.bytes);
  }
  return vector_of(items);
}

Bytes Module::bytes() const {
  Bytes out = {0, 'a', 's', 'm', 1, 0, 0, 0}, part;
  append_section(out, 1, vector_of(types_));
  append_unsigned(part, type_of_.size());
  for (const std::uint32_t type : type_of_) append_unsigned(part, type);
  append_section(out, 3, part);
  part = {1, 1};  // one memory, with a limit
  const std::size_t pages = std::max<std::size_t>((size_ + kPage - 1) / kPage, 1);
  append_unsigned(part, pages);
  append_unsigned(part, pages);
  append_section(out, 5, part);
  std::vector<Bytes> globals;
  for (const auto& [name, value] : constants_) {
    globals.push_back({static_cast<std::uint8_t>(Type::I32), 0, kInteger});
    append_signed(globals.back(), value);
    globals.back().push_back(kEnd);
  }
  if (!globals.empty()) append_section(out, 6, vector_of(globals));
  append_section(out, 7, exports());
  part.clear();
  if (start_) {
    append_unsigned(part, *start_);
    append_section(out, 8, part);
    part.clear();
  }
  append_unsigned(part, data_.size() + (image_.empty() ? 0 : 1));
  append_section(out, 12, part);
  append_section(out, 10, vector_of(bodies_));
  append_section(out, 11, data());
  return out;
}

Bytes bytes_of(std::span<const double> numbers) {
  Bytes out;
  for (const double number : numbers) append_bits(out, number);
  return out;
}

}  // namespace koppel::wasm
