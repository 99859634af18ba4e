// A connection of the workbench's server, and what waits in it. For sources of this folder only.
//
// All of it belongs to the thread of the network; tasks are done elsewhere and send by posting.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/websocket.hpp>

#include <koppel/play/workbench.hpp>

namespace koppel::play {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace websocket = beast::websocket;
using asio::use_awaitable;
using Socket = websocket::stream<beast::tcp_stream>;

// Something that coroutines of one thread wait for.
class Signal {
 public:
  explicit Signal(const asio::any_io_executor& executor)
      : timer_(executor, asio::steady_timer::time_point::max()) {}
  void tell() { timer_.cancel(); }
  asio::awaitable<void> wait() {
    beast::error_code ignored;
    auto token = asio::redirect_error(use_awaitable, ignored);
    co_await timer_.async_wait(token);
  }

 private:
  asio::steady_timer timer_;
};

// Where a connection's tasks of one kind wait: the newest only.
struct Slot {
  explicit Slot(const asio::any_io_executor& executor) : changed(executor) {}
  void give(Workbench::Task task) {
    next = std::move(task);
    stop();
    changed.tell();
  }
  void stop() {
    if (is_wanted) *is_wanted = false;
  }

  Workbench::Task next;
  std::shared_ptr<std::atomic<bool>> is_wanted;  // of the one that is being done
  Signal changed;
};

// A connection, shared by those who read, work and write for it.
struct Session {
  explicit Session(beast::tcp_stream stream)
      : socket(std::move(stream)),
        queue_changed(socket.get_executor()),
        slots{Slot(socket.get_executor()), Slot(socket.get_executor())} {}

  void put(std::vector<PlayMessage> messages) {
    if (is_over) return;
    for (PlayMessage& message : messages) {
      num_bytes += message.data.size();
      queue.push_back(std::move(message));
    }
    queue_changed.tell();
  }
  void stop_work() {
    for (Slot& slot : slots) slot.next = {}, slot.stop();
  }
  void end() {
    is_over = true;
    stop_work();
    queue.clear();
    queue_changed.tell();
    for (Slot& slot : slots) slot.changed.tell();
    beast::error_code ignored;
    beast::get_lowest_layer(socket).socket().close(ignored);
  }

  Socket socket;
  std::deque<PlayMessage> queue;
  std::size_t num_bytes = 0;  // in the queue, and being sent
  bool is_over = false;
  Signal queue_changed;
  std::array<Slot, 2> slots;
};

}  // namespace koppel::play
