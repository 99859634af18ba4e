// WebAssembly in its binary form [W3C 2022], put together without a compiler: functions whose
// instructions are appended one by one or written in the standard's linear text, and the module
// that holds them, their memory and what they export. Nothing is imported.
//
//   wasm::Code code("x f64", "f64");
//   code.add("local.get x local.get x f64.mul");
//   module.add_export("square", module.add(std::move(code)));
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace koppel::wasm {

using Bytes = std::vector<std::uint8_t>;

enum class Type : std::uint8_t { I32 = 0x7F, I64 = 0x7E, F64 = 0x7C };

// Those that programs are made of; for others, their names in text.
enum class Opcode : std::uint8_t {
  Select = 0x1B,
  Equal = 0x61,
  NotEqual = 0x62,
  Less = 0x63,
  Greater = 0x64,
  LessEqual = 0x65,
  SubtractIntegers = 0x6B,
  Abs = 0x99,
  Neg = 0x9A,
  Sqrt = 0x9F,
  Add = 0xA0,
  Sub = 0xA1,
  Mul = 0xA2,
  Div = 0xA3,
  FromInteger = 0xB7,
};

// One function: its type, its locals and its instructions.
class Code {
 public:
  // "x f64 n i32": names and types of the parameters; "f64 f64": types of the results.
  explicit Code(std::string_view parameters = "", std::string_view results = "");

  std::uint32_t add_local(Type type, const std::string& name = "");

  // Instructions in the standard's linear text: "local.get x f64.const 0.5 f64.mul". Locals by name
  // or number, functions, labels and offsets by number; comments are not known. Our own texts only:
  // what is not known is an assert.
  void add(std::string_view text);
  void add(Opcode opcode) { bytes_.push_back(static_cast<std::uint8_t>(opcode)); }
  void get(std::uint32_t local);  // that has just been set: becomes local.tee
  void set(std::uint32_t local);
  void tee(std::uint32_t local);
  void real(double value);
  void integer(std::int64_t value);
  void call(std::uint32_t function);
  // A number at an address. The address of a store comes before its value: store_at, value, store.
  void load(std::uint32_t address);
  void store_at() { integer(0); }
  void store(std::uint32_t address);

  // As in a module: size, locals, instructions, end.
  Bytes body() const;
  const Bytes& type() const { return type_; }

 private:
  void add_instruction(std::string_view name, std::string_view& rest);

  Bytes type_, bytes_;
  std::vector<Type> locals_;  // behind the parameters
  std::map<std::string, std::uint32_t, std::less<>> names_;
  std::uint32_t num_parameters_ = 0;
  std::size_t set_at_ = 0, after_set_ = 0;  // where the last local.set begins and ends
  std::uint32_t last_set_ = 0;
};

class Module {
 public:
  // Places in memory, of 8 bytes each and zero at the start; data that nothing changes, equal ones
  // once.
  std::uint32_t reserve(std::size_t count);
  std::uint32_t add_data(Bytes data);

  std::uint32_t add(Code code);  // the function's number
  void add_export(const std::string& name, std::uint32_t function);
  // A constant that is exported: an address.
  void add_constant(const std::string& name, std::uint32_t value);
  // Bytes that are not in memory at the start: functions copy them there (memory.init, segment 0).
  void set_image(Bytes image) { image_ = std::move(image); }
  void set_start(std::uint32_t function) { start_ = function; }

  // The module. Its memory is exported as "memory" and does not grow.
  Bytes bytes() const;

 private:
  struct Data {
    std::uint32_t address;
    Bytes bytes;
  };
  Bytes exports() const;
  Bytes data() const;

  std::vector<Bytes> types_, bodies_;
  std::vector<std::uint32_t> type_of_;  // by function
  std::vector<std::pair<std::string, std::uint32_t>> exports_, constants_;
  std::vector<Data> data_;
  Bytes image_;
  std::uint32_t size_ = 0;
  std::optional<std::uint32_t> start_;
};

// The bytes of numbers as they lie in memory.
Bytes bytes_of(std::span<const double> numbers);

}  // namespace koppel::wasm
