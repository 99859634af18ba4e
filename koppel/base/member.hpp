// A member of a struct, as tables of fields speak of it: its type, out of a few, and where it
// lies. Code that goes by a table (a reader, a writer, a command line) is compiled once and not for
// every struct that has one.
//
//   using NumberOrText = MemberOf<double, std::string>;
//   struct Point { double x; std::string name; };
//   const NumberOrText members[] = {&Point::x, &Point::name};
//   Point p{2, "A"};
//   std::visit([](auto* value) { … }, members[0].in(&p));  // a double*, to 2
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace koppel {

template <typename... T>
class MemberOf {
 public:
  using Pointer = std::variant<T*...>;
  using ConstPointer = std::variant<const T*...>;

  // E can be made without arguments.
  template <typename E, typename V>
  MemberOf(V E::*member)  // NOLINT(google-explicit-constructor)
      : kind_(place_of<V>()), offset_(offset_of(member)) {
    static_assert((std::is_same_v<V, T> || ...), "no table has members of this type");
  }

  std::size_t kind() const { return kind_; }  // the place of its type among T...
  template <typename V>
  bool is() const {
    return kind_ == place_of<V>();
  }

  Pointer in(void* object) const {
    constexpr Pointer (*kTo[])(char*) = {&pointer_to<Pointer, char*, T>...};
    return kTo[kind_](static_cast<char*>(object) + offset_);
  }
  ConstPointer in(const void* object) const {
    constexpr ConstPointer (*kTo[])(const char*) = {
        &pointer_to<ConstPointer, const char*, const T>...};
    return kTo[kind_](static_cast<const char*>(object) + offset_);
  }

  // As a member of a struct that has this one's as the member `part`.
  template <typename Outer, typename E>
  MemberOf within(E Outer::*part) const {
    MemberOf out = *this;
    out.offset_ += offset_of(part);
    return out;
  }

 private:
  template <typename V>
  static constexpr std::size_t place_of() {
    std::size_t place = 0;
    bool is_found = false;
    ((is_found = is_found || std::is_same_v<V, T>, place += is_found ? 0 : 1), ...);
    return place;
  }

  template <typename E, typename V>
  static std::size_t offset_of(V E::*member) {
    const E object{};
    return static_cast<std::size_t>(reinterpret_cast<const char*>(&(object.*member)) -
                                    reinterpret_cast<const char*>(&object));
  }

  template <typename Out, typename Address, typename V>
  static Out pointer_to(Address at) {
    return Out(static_cast<V*>(
        static_cast<std::conditional_t<std::is_const_v<V>, const void*, void*>>(at)));
  }

  std::size_t kind_, offset_;
};

}  // namespace koppel
