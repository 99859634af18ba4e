// Results: what an operation found. They are plain structs, and one table says of each what it
// contains: keys, what they mean, in which unit. JSON, mappings in Python, the JSON Schema and the
// reference page go by the table.
//
//   const ResultTable& result_fields(const Fall*) {
//     static const ResultTable kFields = {
//         field<&Fall::height>("height", "how far it fell", "m"),
//         field<[](const Fall& f) { return std::sqrt(2 * f.height / 9.81); }>("time", "how long",
//         "s")};
//     return kFields;
//   }
//
// A field is a number, a flag, a text, a list of such, names with such, or a struct that has a
// table itself. What is nothing (an optional without a value) is null, or left out where the table
// says so.
#pragma once

#include <functional>
#include <string_view>
#include <type_traits>

#include <koppel/base/value.hpp>

namespace koppel {

struct ResultField;
using ResultTable = std::vector<ResultField>;

// What a field holds.
struct ResultType {
  enum class Kind { Any, Flag, Whole, Number, Text, List, Map, Struct };
  Kind kind = Kind::Any;
  bool may_be_null = false;
  const ResultType* items = nullptr;         // of a list, and of names with values
  const ResultTable& (*fields)() = nullptr;  // of a struct
};

enum class IfNothing { Null, LeftOut };

struct ResultField {
  std::string_view key;
  std::string_view text;  // what it is, a phrase
  std::string_view unit;  // SI; empty: none, or it depends
  IfNothing if_nothing = IfNothing::Null;
  ResultType type;
  Value (*get)(const void* result);
};

Value value_of(const ResultTable& table, const void* result);

namespace results {

template <typename T>
concept HasTable = requires(const T* result) {
  result_fields(result);
};

template <typename T>
constexpr bool kIsVector = false;
template <typename T>
constexpr bool kIsVector<std::vector<T>> = true;
template <typename T>
constexpr bool kIsMap = false;
template <typename T>
constexpr bool kIsMap<std::map<std::string, T>> = true;
template <typename T>
constexpr bool kIsMap<std::vector<std::pair<std::string, T>>> = true;
template <typename T>
constexpr bool kIsOptional = false;
template <typename T>
constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
struct ItemOf;
template <typename T>
struct ItemOf<std::vector<T>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::vector<std::pair<std::string, T>>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::map<std::string, T>> {
  using Type = T;
};
template <typename T>
struct ItemOf<std::optional<T>> {
  using Type = T;
};

template <typename T>
const ResultTable& fields_of() {
  return result_fields(static_cast<const T*>(nullptr));
}

template <typename T>
ResultType type_of() {
  using Kind = ResultType::Kind;
  if constexpr (std::is_same_v<T, bool>) {
    return {Kind::Flag};
  } else if constexpr (std::is_integral_v<T>) {
    return {Kind::Whole};
  } else if constexpr (std::is_floating_point_v<T>) {
    return {Kind::Number, true};  // null where it is not finite
  } else if constexpr (std::is_convertible_v<T, std::string>) {
    return {Kind::Text};
  } else if constexpr (kIsOptional<T>) {
    ResultType type = type_of<typename ItemOf<T>::Type>();
    type.may_be_null = true;
    return type;
  } else if constexpr (kIsMap<T> || kIsVector<T>) {
    static const ResultType kItems = type_of<typename ItemOf<T>::Type>();
    return {kIsMap<T> ? Kind::Map : Kind::List, false, &kItems};
  } else if constexpr (HasTable<T>) {
    return {Kind::Struct, false, nullptr, &fields_of<T>};
  } else {
    static_assert(std::is_same_v<T, Value>, "no result has fields of this type");
    return {Kind::Any, true};
  }
}

template <typename T>
Value value_from(const T& of) {
  if constexpr (kIsOptional<T>) {
    return of ? value_from(*of) : Value();
  } else if constexpr (kIsMap<T>) {
    Value::Entries out;
    for (const auto& [name, item] : of) out.push_back({name, value_from(item)});
    return out;
  } else if constexpr (kIsVector<T>) {
    Value::List out;
    for (const auto& item : of) out.push_back(value_from(item));
    return out;
  } else if constexpr (HasTable<T>) {
    return value_of(fields_of<T>(), &of);
  } else {
    return Value(of);
  }
}

// The struct that a member, or a function of one, belongs to.
template <typename T>
struct OwnerOf : OwnerOf<decltype(&T::operator())> {};
template <typename E, typename T>
struct OwnerOf<T E::*> {
  using Type = E;
};
template <typename F, typename R, typename E>
struct OwnerOf<R (F::*)(const E&) const> {
  using Type = E;
};
template <typename R, typename E>
struct OwnerOf<R (*)(const E&)> {
  using Type = E;
};

}  // namespace results

// `kFrom`: a member, or a function of the struct.
template <auto kFrom>
ResultField field(std::string_view key, std::string_view text, std::string_view unit = {},
                  IfNothing if_nothing = IfNothing::Null) {
  using Owner = typename results::OwnerOf<std::remove_const_t<decltype(kFrom)>>::Type;
  using T = std::remove_cvref_t<std::invoke_result_t<decltype(kFrom), const Owner&>>;
  return {key, text, unit, if_nothing, results::type_of<T>(), [](const void* result) {
            return results::value_from<T>(std::invoke(kFrom, *static_cast<const Owner*>(result)));
          }};
}

// What a result says, by its table.
template <typename E>
Value value_of(const E& result) {
  return value_of(results::fields_of<E>(), &result);
}

// Results that are written, by their names: "run", "inverse", …
struct NamedResult {
  std::string_view name, text;
  const ResultTable& (*fields)();
};

}  // namespace koppel
