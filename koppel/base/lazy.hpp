// A part of an immutable object that is made when it is first asked for, once, whichever thread
// asks. Parts of one problem are made of expressions in one graph, which grows by it: so only one
// part is made at a time, in the whole program.
//
// There is no deadlock. A thread takes the one lock before it looks at a part that is not made yet,
// and keeps it, through all parts that this one needs, until it is made: nobody waits for a part
// while holding what that part needs. A part that needs itself, directly or through others, can
// never be made: asking for it again on the way throws std::logic_error, in whichever thread the
// circle closes. A maker that throws leaves the part unmade; who asks next tries again. A maker
// must not wait for another thread that asks for parts.
//
// A part that is made costs one atomic load.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <stdexcept>

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
    const T* const made = state_->made.load(std::memory_order_acquire);
    return made != nullptr ? *made : state_->make_once();
  }
  const T* operator->() const { return &**this; }

 private:
  struct State {
    std::atomic<const T*> made = nullptr;
    std::function<T()> make;
    std::unique_ptr<const T> value;
    bool is_in_the_making = false;

    const T& make_once() {
      const std::lock_guard lock(making());
      if (value != nullptr) return *value;  // made while waiting for the lock
      if (is_in_the_making) throw std::logic_error("a part is made of itself");
      is_in_the_making = true;
      try {
        value = std::make_unique<const T>(make());
      } catch (...) {
        is_in_the_making = false;
        throw;
      }
      is_in_the_making = false;
      make = nullptr;
      made.store(value.get(), std::memory_order_release);
      return *value;
    }
  };
  std::shared_ptr<State> state_;
};

}  // namespace koppel
