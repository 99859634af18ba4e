#include <koppel/live/udp_channel.hpp>

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>

#include <fmt/format.h>

#include <koppel/live/peer.h>
#include <koppel/base/diagnostic.hpp>
#include <koppel/base/read_text.hpp>

namespace koppel {
namespace {

using Addresses = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

Addresses resolve(const UdpAddress& address, bool to_listen) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_DGRAM;
  // No name is this machine's own address, or with AI_PASSIVE all that it has.
  const bool is_any = to_listen && address.host == "*";
  hints.ai_flags = is_any ? AI_PASSIVE : 0;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(is_any || address.host.empty() ? nullptr : address.host.c_str(),
                                std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) {
    throw Error("live.no-socket",
                fmt::format("the address {} is not known: {}.", address.host, gai_strerror(error)));
  }
  return {found, &freeaddrinfo};
}

// A socket that never waits, bound or connected to the address.
int make_socket(const UdpAddress& address, bool to_listen) {
  const Addresses found = resolve(address, to_listen);
  const int socket_in = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const auto attach = to_listen ? bind : connect;
  if (socket_in < 0 || attach(socket_in, found->ai_addr, found->ai_addrlen) != 0) {
    const std::string why = std::strerror(errno);
    if (socket_in >= 0) close(socket_in);
    throw Error(
        "live.no-socket",
        fmt::format("UDP {} {}:{} is not possible: {}.", to_listen ? "listening at" : "sending to",
                    address.host.empty() ? "127.0.0.1" : address.host, address.port, why),
        to_listen ? "Another program may use the port; choose another." : "");
  }
  return socket_in;
}

}  // namespace

UdpAddress read_address(const std::string& text) {
  UdpAddress out;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string::npos) out.host = text.substr(0, colon);
  const char* const begin = text.data() + (colon == std::string::npos ? 0 : colon + 1);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, out.port);
  if (error != std::errc() || rest != end || out.port < 0 || out.port > 65535) {
    throw Error("live.bad-address", fmt::format("'{}' is not an address of UDP.", text),
                "Give a port, or host:port, such as 192.168.0.7:5000.");
  }
  return out;
}

UdpKey read_key(const std::string& path) {
  std::string text = read_text(path, 4096, "live.bad-key");
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  UdpKey key{};
  bool is_good = text.size() == 2 * key.size();
  for (std::size_t i = 0; is_good && i < key.size(); ++i) {
    const char* const begin = text.data() + 2 * i;
    const auto [rest, error] = std::from_chars(begin, begin + 2, key[i], 16);
    is_good = error == std::errc() && rest == begin + 2;
  }
  if (is_good) return key;
  throw Error("live.bad-key", fmt::format("{} is not a key of UDP.", path),
              "A key is 32 hexadecimal digits, such as `openssl rand -hex 16` prints.");
}

UdpChannel::~UdpChannel() {
  if (in_ >= 0) close(in_);
  if (out_ >= 0) close(out_);
}

void UdpChannel::open(const Ports& ports) {
  const std::size_t tag = key_ ? KOPPEL_PACKET_TAG : 0;
  if (listen_) {
    in_ = make_socket(*listen_, true);
    sockaddr_in bound{};
    socklen_t size = sizeof bound;
    getsockname(in_, reinterpret_cast<sockaddr*>(&bound), &size);
    port_ = ntohs(bound.sin_port);
    values_.resize(ports.inputs.size());
    // One byte more than a right packet, so that longer ones are seen to be wrong.
    received_.resize(koppel_packet_size(static_cast<std::uint32_t>(values_.size())) + tag + 1);
  }
  if (send_) {
    out_ = make_socket(*send_, false);
    sent_.resize(koppel_packet_size(static_cast<std::uint32_t>(ports.outputs.size())) + tag);
  }
}

void UdpChannel::read(double, std::span<double> u) noexcept {
  if (in_ < 0) return;
  constexpr int kMost = 64;  // packets a step
  for (int k = 0; k < kMost; ++k) {
    const ssize_t size = recv(in_, received_.data(), received_.size(), 0);
    if (size < 0) return;
    if (!take(static_cast<std::size_t>(size))) continue;
    ++num_received_;
    std::copy(values_.begin(), values_.end(), u.begin());
  }
}

// True: the values are to be used.
bool UdpChannel::take(std::size_t size) noexcept {
  if (key_) {
    if (koppel_packet_is_signed(received_.data(), size, key_->data()) == 0) {
      ++num_unsigned_;
      return false;
    }
    size -= KOPPEL_PACKET_TAG;
  }
  std::uint64_t sequence = 0;
  double t = 0;
  if (koppel_packet_read(received_.data(), size, &sequence, &t, values_.data(),
                         static_cast<std::uint32_t>(values_.size())) == 0) {
    ++num_wrong_;
    return false;
  }
  if (!std::all_of(values_.begin(), values_.end(), [](double x) { return std::isfinite(x); })) {
    ++num_not_finite_;
    return false;
  }
  if (window_.takes(sequence)) return true;
  ++num_old_;
  return false;
}

void UdpChannel::write(double t, std::span<const double> y) noexcept {
  if (out_ < 0) return;
  const auto count = static_cast<std::uint32_t>(y.size());
  koppel_packet_write(sent_.data(), sequence_out_++, t, y.data(), count);
  if (key_) koppel_packet_sign(sent_.data(), koppel_packet_size(count), key_->data());
  if (send(out_, sent_.data(), sent_.size(), MSG_NOSIGNAL) < 0) ++num_lost_;
}

std::vector<std::string> UdpChannel::notes() const {
  std::vector<std::string> out;
  if (in_ >= 0) {
    out.push_back(fmt::format("UDP: {} packets with inputs were used.", num_received_));
  }
  if (num_wrong_ > 0) {
    out.push_back(fmt::format("UDP: {} packets were not of the form with {} inputs.", num_wrong_,
                              values_.size()));
  }
  if (num_unsigned_ > 0) {
    out.push_back(fmt::format("UDP: {} packets were not signed by the key.", num_unsigned_));
  }
  if (num_not_finite_ > 0) {
    out.push_back(fmt::format("UDP: {} packets had values that are not finite, and were dropped.",
                              num_not_finite_));
  }
  if (num_old_ > 0) {
    out.push_back(fmt::format(
        "UDP: {} packets came after newer ones, or out of order, and were dropped.", num_old_));
  }
  if (num_lost_ > 0) out.push_back(fmt::format("UDP: {} packets could not be sent.", num_lost_));
  return out;
}

}  // namespace koppel
