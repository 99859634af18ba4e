// A value that never changes and that many hold: copies share it, and it lives as long as one of
// them. It stands wherever a constant reference to the value may stand.
#pragma once

#include <memory>
#include <utility>

namespace koppel {

template <typename T>
class Shared {
 public:
  Shared() = default;  // there is none
  Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  operator const T&() const { return *value_; }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace koppel
