// A part of an immutable object that is made when it is first asked for, once, whichever thread
// asks. Parts of one problem are made of expressions in one graph, which grows by it: so only one
// is made at a time.
#pragma once

#include <functional>
#include <memory>
#include <mutex>

namespace koppel {

// One part may need another: hence recursive.
inline std::recursive_mutex& making() {
  static std::recursive_mutex mutex;
  return mutex;
}

template <typename T>
class Lazy {
 public:
  Lazy() = default;  // there is none
  explicit Lazy(std::function<T()> make) : state_(std::make_shared<State>()) {
    state_->make = std::move(make);
  }

  explicit operator bool() const { return state_ != nullptr; }

  const T& operator*() const {
    std::call_once(state_->once, [&] {
      const std::lock_guard lock(making());
      state_->value = std::make_unique<const T>(state_->make());
      state_->make = nullptr;
    });
    return *state_->value;
  }
  const T* operator->() const { return &**this; }

 private:
  struct State {
    std::once_flag once;
    std::function<T()> make;
    std::unique_ptr<const T> value;
  };
  std::shared_ptr<State> state_;
};

}  // namespace koppel
