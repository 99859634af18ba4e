// A value as data: nothing, a number, a text, a list, or names with values in their order. What a
// result says is one (result.hpp), and becomes JSON or a mapping of another language.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace koppel {

struct Entry;

struct Value {
  using List = std::vector<Value>;
  using Entries = std::vector<Entry>;

  Value() = default;  // nothing
  // NOLINTBEGIN(google-explicit-constructor): values stand for themselves
  Value(bool flag) : of(flag) {}
  Value(int number) : of(std::int64_t{number}) {}
  Value(long number) : of(std::int64_t{number}) {}
  Value(std::size_t number) : of(static_cast<std::int64_t>(number)) {}
  Value(double number) : of(number) {}  // not finite: null in JSON
  Value(const char* text) : of(std::string(text)) {}
  Value(std::string text) : of(std::move(text)) {}
  Value(List list) : of(std::move(list)) {}
  Value(Entries entries) : of(std::move(entries)) {}
  // NOLINTEND(google-explicit-constructor)

  bool is_nothing() const { return of.index() == 0; }

  std::variant<std::monostate, bool, std::int64_t, double, std::string, List, Entries> of;
};

struct Entry {
  std::string name;
  Value value;
};

}  // namespace koppel
