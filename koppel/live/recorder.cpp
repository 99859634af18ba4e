#include <koppel/live/recorder.hpp>

#include <chrono>
#include <exception>

namespace koppel {

Recorder::Recorder(std::size_t width, std::size_t capacity, Take take)
    : width_(width),
      capacity_(capacity),
      ring_(width * capacity),
      take_(std::move(take)),
      thread_([this] { run(); }) {}

std::span<double> Recorder::next() noexcept {
  const std::size_t written = written_.load(std::memory_order_relaxed);
  if (written - taken_.load(std::memory_order_acquire) == capacity_) {
    ++num_left_out_;
    return {};
  }
  return {ring_.data() + written % capacity_ * width_, width_};
}

void Recorder::run() {
  while (true) {
    const bool is_over = is_over_.load(std::memory_order_acquire);
    const std::size_t written = written_.load(std::memory_order_acquire);
    for (std::size_t i = taken_.load(std::memory_order_relaxed); i < written; ++i) {
      try {
        if (!failure_) take_({ring_.data() + i % capacity_ * width_, width_});
      } catch (...) {
        failure_ = std::current_exception();
      }
      taken_.store(i + 1, std::memory_order_release);
    }
    if (is_over) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Recorder::finish() {
  if (!thread_.joinable()) return;
  is_over_.store(true, std::memory_order_release);
  thread_.join();
  if (failure_) std::rethrow_exception(failure_);
}

}  // namespace koppel
