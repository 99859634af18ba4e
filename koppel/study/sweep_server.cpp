#include <koppel/study/sweep_ranks.hpp>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include <koppel/base/diagnostic.hpp>
#include <koppel/base/stop.hpp>
#include <koppel/base/whole_file.hpp>
#include <koppel/study/sweep_journal.hpp>
#include <koppel/study/sweep_table.hpp>

namespace koppel {
namespace {

constexpr int kMostLosses = 3;
constexpr double kGoodChunk = 0.1;  // seconds of work
constexpr std::size_t kMostAtOnce = 64;

[[noreturn]] void fail(const char* what) {
  throw Error("study.no-network", fmt::format("rank 0 cannot {}: {}.", what, std::strerror(errno)));
}

// A machine that is gone without a word is noticed by the system, after about a minute.
void keep_alive(int socket) {
  const auto set = [&](int level, int name, int value) {
    ::setsockopt(socket, level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
}

// Nobody else can know it.
std::string make_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    fail("make a token");
  }
  std::string out;
  for (const unsigned char byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

void watch(int poll, int socket) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP;
  event.data.fd = socket;
  ::epoll_ctl(poll, EPOLL_CTL_ADD, socket, &event);
}

}  // namespace

SweepServer::SweepServer(SweepQueue& queue, std::string_view manifest,
                         std::filesystem::path meeting, const Sweep& sweep, Keep keep)
    : queue_(queue), meeting_(std::move(meeting)), sweep_(sweep), keep_(std::move(keep)) {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (listener_ < 0) fail("open a socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t length = sizeof address;
  if (::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
      ::listen(listener_, SOMAXCONN) != 0 ||
      ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
    fail("listen");
  }
  poll_ = ::epoll_create1(EPOLL_CLOEXEC);
  if (poll_ < 0) fail("wait for ranks");
  watch(poll_, listener_);
  const std::string token = make_token();
  greeting_ = fmt::format("hello {} {:08x}", token, checksum(manifest));
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  // Readable by its owner only, from the beginning.
  const mode_t before = ::umask(0077);
  try {
    write_text(meeting_, fmt::format("{} {} {}\n", host.data(), ntohs(address.sin_port), token));
  } catch (...) {
    ::umask(before);
    throw;
  }
  ::umask(before);
}

SweepServer::~SweepServer() {
  ::unlink(meeting_.c_str());
  for (auto& [socket, peer] : peers_) {
    peer.out += "end\n";
    send(socket, peer);
    ::close(socket);
  }
  if (listener_ >= 0) ::close(listener_);
  if (poll_ >= 0) ::close(poll_);
}

std::size_t SweepServer::num_in_hand() const {
  std::size_t sum = 0;
  for (const auto& [socket, peer] : peers_) sum += peer.in_hand.size();
  return sum;
}

void SweepServer::serve(std::chrono::milliseconds most) {
  std::array<epoll_event, 256> events;
  const int count = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()),
                                 static_cast<int>(most.count()));
  const Clock::time_point begin = Clock::now();
  for (int i = 0; i < count; ++i) {
    const int socket = events[static_cast<std::size_t>(i)].data.fd;
    socket == listener_ ? accept_all() : read(socket);
  }
  feed_hungry();
  if (count > 0) busy_seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
}

void SweepServer::accept_all() {
  for (;;) {
    const int socket = ::accept4(listener_, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (socket < 0) return;
    keep_alive(socket);
    watch(poll_, socket);
    peers_[socket];
  }
}

void SweepServer::read(int socket) {
  const auto found = peers_.find(socket);
  if (found == peers_.end()) return;
  Peer& peer = found->second;
  std::array<char, 1 << 16> bytes;
  ssize_t count = 0;
  while ((count = ::read(socket, bytes.data(), bytes.size())) > 0) {
    peer.in.append(bytes.data(), static_cast<std::size_t>(count));
    constexpr std::size_t kMostBytes = 1 << 24;
    if (peer.in.size() > kMostBytes) return lose(socket);
  }
  const bool is_closed = count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  std::size_t begin = 0;
  for (std::size_t end; (end = peer.in.find('\n', begin)) != std::string::npos; begin = end + 1) {
    answer(socket, peer, std::string_view(peer.in).substr(begin, end - begin));
    if (!peers_.contains(socket)) return;  // lost by what it said
  }
  peer.in.erase(0, begin);
  if (is_closed) lose(socket);
}

void SweepServer::answer(int socket, Peer& peer, std::string_view line) {
  ++num_messages_;
  if (!peer.is_known) {
    peer.is_known = line == greeting_;
    if (!peer.is_known) {
      // One that knows the token and has another manifest is told; others are not answered.
      const std::size_t same = greeting_.rfind(' ');
      if (line.substr(0, same) == greeting_.substr(0, same)) {
        peer.out += "no the model or the program is not the same there.\n";
        send(socket, peer);
        ++num_met_;
      }
      return lose(socket);
    }
    ++num_met_;
    return hand_out(socket, peer);
  }
  if (line.starts_with("row ")) {
    if (!take_row(peer, line.substr(4))) lose(socket);
  } else if (line == "next" && peer.in_hand.empty() && peer.num_given > 0) {
    peer.seconds_each = std::chrono::duration<double>(Clock::now() - peer.given).count() /
                        static_cast<double>(peer.num_given);
    peer.num_given = 0;
    hand_out(socket, peer);
  } else {
    lose(socket);
  }
}

// A row that was handed out to this rank, as a whole line of the table.
bool SweepServer::take_row(Peer& peer, std::string_view line) {
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  const auto at = std::find(peer.in_hand.begin(), peer.in_hand.end(), number);
  if (error != std::errc() || at == peer.in_hand.end()) return false;
  keep_(number, line);
  peer.in_hand.erase(at);
  return true;
}

void SweepServer::hand_out(int socket, Peer& peer) {
  std::size_t most = 1;
  if (peer.seconds_each > 0) {
    most = std::clamp<std::size_t>(static_cast<std::size_t>(kGoodChunk / peer.seconds_each), 1,
                                   kMostAtOnce);
  }
  // Towards the end all shall have something to do.
  most = std::min(most, queue_.num_left() / (2 * peers_.size()) + 1);
  std::string text;
  while (peer.in_hand.size() < most) {
    const std::optional<std::size_t> number = queue_.take();
    if (!number) break;
    peer.in_hand.push_back(*number);
    text += fmt::format(" {}", *number);
  }
  peer.is_hungry = text.empty();
  if (peer.is_hungry) return;
  peer.given = Clock::now();
  peer.num_given = peer.in_hand.size();
  peer.out += "do" + text + '\n';
  send(socket, peer);
}

void SweepServer::feed_hungry() {
  if (queue_.num_left() == 0) return;
  std::vector<int> hungry;
  for (const auto& [socket, peer] : peers_) {
    if (peer.is_hungry) hungry.push_back(socket);
  }
  for (const int socket : hungry) {
    if (const auto at = peers_.find(socket); at != peers_.end()) hand_out(socket, at->second);
  }
}

// What is said is short; a rank that does not take it is as good as lost.
void SweepServer::send(int socket, Peer& peer) {
  std::size_t done = 0;
  while (done < peer.out.size()) {
    const ssize_t count =
        ::send(socket, peer.out.data() + done, peer.out.size() - done, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) break;
    done += static_cast<std::size_t>(count);
  }
  peer.out.clear();
}

void SweepServer::lose(int socket) {
  const auto at = peers_.find(socket);
  if (at == peers_.end()) return;
  for (const std::size_t number : at->second.in_hand) {
    // With several in hand, which of them was to blame is not known: only single ones count.
    if (at->second.in_hand.size() == 1 && ++num_lost_[number] >= kMostLosses) {
      keep_(number, table_line(sweep_, number,
                               {SweepRow::Status::Failed,
                                {},
                                "study.lost-ranks",
                                fmt::format("{} ranks were lost with it.", kMostLosses),
                                {}}));
    } else {
      queue_.give_back(number);
    }
  }
  peers_.erase(at);
  ::close(socket);
}

bool run_sweep_with_ranks(const Sweep& sweep, SweepQueue& queue, int jobs, const Rank& rank,
                          std::string_view manifest, const std::filesystem::path& folder,
                          std::size_t num_missing, const LineOf& line_of,
                          const SweepServer::Keep& keep, ServerLoad& load) {
  std::mutex keeping;
  std::atomic<std::size_t> missing = num_missing;
  std::atomic<bool> ends = false;
  std::exception_ptr problem;
  const SweepServer::Keep keep_one = [&](std::size_t number, std::string_view line) {
    const std::lock_guard lock(keeping);
    if (ends) return;
    try {
      keep(number, line);
    } catch (...) {  // noted before others come in
      problem = std::current_exception();
      ends = true;
      return;
    }
    --missing;
  };
  const auto serve = [&] {
    SweepServer server(queue, manifest, meeting_place(folder, rank), sweep, keep_one);
    const auto serve_while = [&](const auto& condition) {
      while (condition() && !ends && !is_stop_requested()) {
        server.serve(std::chrono::milliseconds(20));
      }
    };
    serve_while([&] { return missing > 0; });
    // Those that come late are told that there is nothing left to do.
    const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    serve_while([&] {
      return server.num_met() < rank.size - 1 && std::chrono::steady_clock::now() < patience;
    });
    load = {server.num_messages(), server.busy_seconds()};
  };
  std::thread serving([&] {
    try {
      serve();
    } catch (...) {
      const std::lock_guard lock(keeping);
      if (!problem) problem = std::current_exception();
      ends = true;
    }
  });
  bool is_whole = true;
  while (missing > 0 && !ends && is_whole) {
    try {
      is_whole = run_sweep(sweep, queue, jobs, [&](std::size_t number, const SweepRow& row) {
        keep_one(number, line_of(number, row));
        if (ends) throw Stopped{};
      });
    } catch (const Stopped&) {
      break;
    }
    // Others have the rest in hand; it may come back.
    if (missing > 0 && is_whole) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    is_whole = is_whole && !is_stop_requested();
  }
  serving.join();
  if (problem) std::rethrow_exception(problem);
  return is_whole;
}

}  // namespace koppel
