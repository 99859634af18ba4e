// The workbench on the network: a few pages over HTTP, and one WebSocket for each page that is
// open.
//
// What a keystroke asks for is answered at once; what takes longer is done beside it, the newest of
// each kind only. Answers wait in line for a peer that reads slowly, which is not listened to while
// the line is long.
//
// Only for the user's own browser: on the loopback address, or with a token that the page's address
// has. A request must name this server as its host and, where it says from where it comes, as its
// origin, so that no other page on the web can talk to it. A connection that sends too much, too
// often, or what no page sends is closed with a reason; the others do not notice.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <koppel/play/workbench.hpp>

namespace koppel {

struct PlayServerOptions {
  std::string address = "127.0.0.1";
  unsigned short port = 0;  // 0: any that is free
  std::string token;        // must be part of addresses, where it is not empty
  std::size_t most_connections = 256;
  std::size_t most_bytes = 4 << 20;  // of a message
  // Messages that a page may send at once, and in a second.
  double burst = 100, rate = 20;
  std::chrono::seconds patience{30};   // with a peer that does not answer or does not read
  std::size_t most_waiting = 8 << 20;  // bytes of answers that wait before no more is read
};

// A page by its name in addresses; "": the first one.
using PlayPages = std::vector<std::pair<std::string, std::string_view>>;

class PlayServer {
 public:
  // Binds the port. Throws Error play.address.
  PlayServer(PlayServerOptions options, const Workbench& workbench, PlayPages pages);
  ~PlayServer();
  PlayServer(const PlayServer&) = delete;
  PlayServer& operator=(const PlayServer&) = delete;

  std::string url() const;
  // Serves until `is_over` says so.
  void run(const std::function<bool()>& is_over);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// 128 random bits, as text.
std::string make_token();

}  // namespace koppel
