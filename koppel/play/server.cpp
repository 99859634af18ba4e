#include <koppel/play/server.hpp>

#include <algorithm>
#include <atomic>
#include <iterator>
#include <random>
#include <utility>

#include <fmt/format.h>
#include <sys/resource.h>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/host_name.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>

#include <koppel/base/diagnostic.hpp>
#include <koppel/play/flood.hpp>
#include <koppel/play/session.hpp>

namespace koppel {

using namespace play;

namespace {

namespace http = beast::http;
using asio::ip::tcp;
using Request = http::request<http::empty_body>;
using Response = http::response<http::string_body>;

constexpr std::uint32_t kMostHeaderBytes = 16 << 10;
constexpr std::chrono::milliseconds kLook{100};  // how often the end is looked for
constexpr std::chrono::seconds kMostWork{60};    // for a run that a page asks for

std::string_view view(boost::string_view text) { return {text.data(), text.size()}; }

tcp::acceptor bind(asio::io_context& context, const PlayServerOptions& options) {
  try {
    const tcp::endpoint endpoint(asio::ip::make_address(options.address), options.port);
    return {context, endpoint};
  } catch (const boost::system::system_error& error) {
    throw Error("play.address",
                fmt::format("{}:{} cannot be served: {}.", options.address, options.port,
                            error.code().message()),
                "Give an address of this machine and a port that is free.");
  }
}

// What pages ask for is worked on with low priority, so that it does not take the processor from
// the pages themselves, which run their mechanisms on the same machine. (On Linux a thread has a
// priority of its own; where it cannot be lowered, all goes on as before.)
void give_way() {
  constexpr int kNiceness = 5;  // a third of what others get while they are busy
  thread_local bool is_done = false;
  if (!std::exchange(is_done, true)) setpriority(PRIO_PROCESS, 0, kNiceness);
}

Response plain(const Request& request, http::status status, std::string text) {
  Response response{status, request.version()};
  response.set(http::field::content_type, "text/plain; charset=utf-8");
  response.body() = std::move(text);
  return response;
}

}  // namespace

class PlayServer::Impl {
 public:
  Impl(PlayServerOptions options, const Workbench& workbench, PlayPages pages)
      : options_(std::move(options)),
        workbench_(workbench),
        pages_(std::move(pages)),
        acceptor_(bind(context_, options_)) {
    const tcp::endpoint endpoint = acceptor_.local_endpoint();
    const std::string port = ':' + std::to_string(endpoint.port());
    port_ = port;
    is_everywhere_ = endpoint.address().is_unspecified();
    const std::string host = is_everywhere_               ? asio::ip::host_name()
                             : endpoint.address().is_v6() ? '[' + options_.address + ']'
                                                          : options_.address;
    hosts_ = {host + port};
    if (endpoint.address().is_loopback() || is_everywhere_) hosts_.push_back("localhost" + port);
    url_ = "http://" + host + port + path("");
  }

  const std::string& url() const { return url_; }

  void run(const std::function<bool()>& is_over) {
    asio::co_spawn(context_, accept(), asio::detached);
    asio::co_spawn(context_, watch(is_over), asio::detached);
    context_.run();
    *is_serving_ = false;
    for (asio::thread_pool* pool : {&quick_, &slow_}) {
      pool->stop();
      pool->join();
    }
  }

 private:
  // "/TOKEN/name"
  std::string path(std::string_view name) const {
    return (options_.token.empty() ? "/" : '/' + options_.token + '/') + std::string(name);
  }

  asio::awaitable<void> watch(const std::function<bool()>& is_over) {
    asio::steady_timer timer(context_);
    while (!is_over()) {
      timer.expires_after(kLook);
      co_await timer.async_wait(use_awaitable);
    }
    context_.stop();
  }

  asio::awaitable<void> accept() {
    while (true) {
      beast::error_code error;
      auto token = asio::redirect_error(use_awaitable, error);
      tcp::socket socket = co_await acceptor_.async_accept(token);
      if (!error) {
        asio::co_spawn(context_, serve(std::move(socket)), asio::detached);
        continue;
      }
      // Such as no file descriptor left: others may end.
      asio::steady_timer timer(context_);
      timer.expires_after(kLook);
      co_await timer.async_wait(use_awaitable);
    }
  }

  // Whatever goes wrong with a connection ends it and nothing else.
  asio::awaitable<void> serve(tcp::socket socket) {
    const Count counted(num_connections_);
    try {
      beast::tcp_stream stream(std::move(socket));
      beast::flat_buffer buffer(kMostHeaderBytes);
      Request request;
      stream.expires_after(options_.patience);
      co_await http::async_read(stream, buffer, request, use_awaitable);
      const Response refusal = refuse(request);
      if (refusal.result() == http::status::ok && websocket::is_upgrade(request)) {
        co_await talk(std::move(stream), request);
        co_return;
      }
      Response response = refusal.result() == http::status::ok ? page_for(request) : refusal;
      response.set(http::field::cache_control, "no-store");
      response.set("X-Content-Type-Options", "nosniff");
      response.set("Referrer-Policy", "no-referrer");
      response.keep_alive(false);
      response.prepare_payload();
      co_await http::async_write(stream, response, use_awaitable);
      beast::error_code ignored;
      stream.socket().shutdown(tcp::socket::shutdown_send, ignored);
    } catch (const std::exception&) {
    }
  }

  // Whether a host is given by its number and our port. A foreign name that leads here may belong
  // to a foreign page (DNS rebinding); a number cannot.
  bool is_number(std::string host) const {
    if (!host.ends_with(port_)) return false;
    host.resize(host.size() - port_.size());
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    beast::error_code error;
    asio::ip::make_address(host, error);
    return !error;
  }

  // 200: it may go on.
  Response refuse(const Request& request) const {
    const std::string host(view(request[http::field::host]));
    const std::string origin(view(request[http::field::origin]));
    const auto is_ours = [&](const std::string& name) {
      return std::find(hosts_.begin(), hosts_.end(), name) != hosts_.end() ||
             (is_everywhere_ && is_number(name));
    };
    if (num_connections_ > options_.most_connections) {
      return plain(request, http::status::service_unavailable, "Too many connections.\n");
    }
    if (!is_ours(host)) {
      return plain(request, http::status::forbidden, "The host is not this server.\n");
    }
    if (!origin.empty() && (!origin.starts_with("http://") || !is_ours(origin.substr(7)))) {
      return plain(request, http::status::forbidden, "The origin is not this server.\n");
    }
    return Response{http::status::ok, request.version()};
  }

  Response page_for(const Request& request) const {
    const auto page = std::find_if(pages_.begin(), pages_.end(), [&](const auto& p) {
      return view(request.target()) == path(p.first);
    });
    if (page == pages_.end()) {
      return plain(request, http::status::not_found, "There is nothing here.\n");
    }
    if (request.method() != http::verb::get) {
      return plain(request, http::status::method_not_allowed, "Only GET.\n");
    }
    Response response{http::status::ok, request.version()};
    response.set(http::field::content_type, "text/html; charset=utf-8");
    response.body() = page->second;
    return response;
  }

  asio::awaitable<void> talk(beast::tcp_stream stream, const Request& request) {
    if (view(request.target()) != path("socket")) {
      Response response = plain(request, http::status::not_found, "There is nothing here.\n");
      response.prepare_payload();
      co_await http::async_write(stream, response, use_awaitable);
      co_return;
    }
    stream.expires_never();  // the WebSocket has timers of its own
    const auto session = std::make_shared<Session>(std::move(stream));
    Socket& socket = session->socket;
    socket.set_option(websocket::stream_base::timeout{options_.patience, options_.patience, true});
    socket.read_message_max(options_.most_bytes);
    co_await socket.async_accept(request, use_awaitable);
    session->put({{workbench_.greeting(), false}});
    asio::co_spawn(context_, write(session), asio::detached);
    for (Slot& slot : session->slots) asio::co_spawn(context_, work(session, slot), asio::detached);
    websocket::close_reason reason(websocket::close_code::policy_error);
    try {
      co_await listen(session);
    } catch (const BadMessage& bad) {
      reason.reason = bad.what();
    } catch (...) {
      session->end();
      throw;
    }
    session->stop_work();
    co_await socket.async_close(reason, use_awaitable);
    session->end();
  }

  asio::awaitable<void> listen(std::shared_ptr<Session> session) {
    Flood flood(options_.burst, options_.rate);
    while (true) {
      while (session->num_bytes > options_.most_waiting) co_await session->queue_changed.wait();
      beast::flat_buffer buffer;
      co_await session->socket.async_read(buffer, use_awaitable);
      if (!session->socket.got_text()) throw BadMessage("messages are text");
      if (!flood.admits()) throw BadMessage("too many messages");
      const std::string message = beast::buffers_to_string(buffer.data());
      co_await answer(session, message);
    }
  }

  // The work is done beside the network. (What is awaited has no temporaries: GCC 12 destroys some
  // of them twice.)
  asio::awaitable<void> answer(std::shared_ptr<Session> session, const std::string& message) {
    std::vector<PlayMessage> answers;
    Workbench::Task task;
    std::string bad;
    auto ask = [&]() -> asio::awaitable<void> {
      give_way();
      try {
        task = workbench_.answer(message, [&](std::vector<PlayMessage> found) {
          std::move(found.begin(), found.end(), std::back_inserter(answers));
        });
      } catch (const BadMessage& error) {
        bad = error.what();
      }
      co_return;
    };
    co_await asio::co_spawn(quick_, ask(), use_awaitable);
    if (!bad.empty()) throw BadMessage(bad);
    session->put(std::move(answers));
    if (task.run) session->slots[static_cast<std::size_t>(task.kind)].give(std::move(task));
  }

  // Does the tasks of a slot, one after the other.
  asio::awaitable<void> work(std::shared_ptr<Session> session, Slot& slot) {
    while (!session->is_over) {
      if (!slot.next.run) {
        co_await slot.changed.wait();
        continue;
      }
      const Workbench::Task task = std::exchange(slot.next, {});
      const auto is_wanted = std::make_shared<std::atomic<bool>>(true);
      slot.is_wanted = is_wanted;
      const auto until = Flood::Clock::now() + kMostWork;
      const auto goes_on = [is_wanted, until, is_serving = is_serving_] {
        return *is_wanted && *is_serving && Flood::Clock::now() < until;
      };
      const auto send = [this, session](std::vector<PlayMessage> found) {
        auto put = [session, found = std::move(found)]() mutable {
          session->put(std::move(found));
        };
        asio::post(context_, std::move(put));
      };
      auto run = [&]() -> asio::awaitable<void> {
        give_way();
        try {
          task.run(send, goes_on);
        } catch (const std::exception&) {  // such as no memory: the page gets no answer
        }
        co_return;
      };
      co_await asio::co_spawn(slow_, run(), use_awaitable);
    }
  }

  // Sends what is in the queue.
  asio::awaitable<void> write(std::shared_ptr<Session> session) {
    try {
      while (!session->is_over) {
        if (session->queue.empty()) {
          co_await session->queue_changed.wait();
          continue;
        }
        const PlayMessage message = std::move(session->queue.front());
        session->queue.pop_front();
        session->socket.binary(message.is_binary);
        const auto bytes = asio::buffer(message.data);
        co_await session->socket.async_write(bytes, use_awaitable);
        session->num_bytes -= message.data.size();
        session->queue_changed.tell();
      }
    } catch (const std::exception&) {
      session->end();
    }
  }

  struct Count {
    explicit Count(std::size_t& of) : count(of) { ++count; }
    Count(const Count&) = delete;
    Count& operator=(const Count&) = delete;
    ~Count() { --count; }
    std::size_t& count;
  };

  PlayServerOptions options_;
  const Workbench& workbench_;
  PlayPages pages_;
  std::string url_;
  std::vector<std::string> hosts_;  // names of this server
  std::string port_;                // ":8080"
  bool is_everywhere_ = false;      // on all addresses of the machine
  asio::io_context context_{1};
  asio::thread_pool quick_{2}, slow_{2};
  std::shared_ptr<std::atomic<bool>> is_serving_ = std::make_shared<std::atomic<bool>>(true);
  std::size_t num_connections_ = 0;
  tcp::acceptor acceptor_;
};

PlayServer::PlayServer(PlayServerOptions options, const Workbench& workbench, PlayPages pages)
    : impl_(std::make_unique<Impl>(std::move(options), workbench, std::move(pages))) {}
PlayServer::~PlayServer() = default;

std::string PlayServer::url() const { return impl_->url(); }
void PlayServer::run(const std::function<bool()>& is_over) { impl_->run(is_over); }

std::string make_token() {
  std::random_device random;
  std::string token;
  for (int i = 0; i < 4; ++i) token += fmt::format("{:08x}", random());
  return token;
}

}  // namespace koppel
