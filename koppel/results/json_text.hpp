// JSON for pages, written by hand: small, and safe inside a <script>, because every "<" of a string
// is written \u003c.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <koppel/base/linear.hpp>

namespace koppel {

// A library would print all digits of every number; a page needs seven. Numbers that are not finite
// are null.
class JsonText {
 public:
  void raw(std::string_view text) { out_ += text; }

  void string(const std::string& text);

  void key(std::string_view name) {
    out_ += '"';
    out_ += name;
    out_ += "\":";
  }

  void number(double value);

  // [item, item, …], each written by `write`.
  template <typename Items, typename Write>
  void list(const Items& items, Write&& write) {
    out_ += '[';
    bool is_first = true;
    for (const auto& item : items) {
      if (!is_first) out_ += ',';
      is_first = false;
      write(item);
    }
    out_ += ']';
  }

  template <typename Numbers>
  void numbers(const Numbers& values) {
    list(values, [&](double value) { number(value); });
  }
  // Many numbers as one string: floats, the least byte first, in base64 [RFC 4648], a tenth of the
  // work of digits and two thirds of their length. What is not finite is not a number. Where a
  // value is no float by its size, numbers().
  void packed(std::span<const double> values);
  void vector(const Vec3<double>& v) { numbers(std::array{v.x, v.y, v.z}); }

  // Room for so many packed numbers more.
  void reserve_packed(std::size_t count) { out_.reserve(out_.size() + 16 * count / 3); }
  std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

}  // namespace koppel
