// Rows of a live loop, taken out of it: the loop puts them into a ring of fixed size, a thread
// takes them out and does with them what takes time. Where that thread cannot follow, rows are
// left out and counted; the loop never waits.
#pragma once

#include <atomic>
#include <functional>
#include <span>
#include <thread>
#include <vector>

namespace koppel {

class Recorder {
 public:
  using Take = std::function<void(std::span<const double>)>;
  // Rows of `width` numbers; `take` is called from the thread, with every row in order.
  Recorder(std::size_t width, std::size_t capacity, Take take);
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;
  ~Recorder() { finish(); }

  // The place for a row, to be filled in and then put; empty where the ring is full, which is
  // counted.
  std::span<double> next() noexcept;
  void put() noexcept {
    written_.store(written_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }

  // Returns when all rows have been taken. Throws what `take` has thrown; rows after that are lost.
  void finish();
  long num_left_out() const { return num_left_out_; }

 private:
  void run();

  std::size_t width_, capacity_;
  std::vector<double> ring_;
  std::atomic<std::size_t> written_{0}, taken_{0};
  std::atomic<bool> is_over_{false};
  long num_left_out_ = 0;
  Take take_;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace koppel
