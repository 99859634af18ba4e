// Inputs and outputs by UDP, in the packets of peer.h. At the start of a step the packets that have
// arrived are taken (at most 64) and the newest is used; without any, inputs stay. At its end a
// packet with the outputs is sent. Nothing waits: what the network does not take is lost, and
// counted. Values that are not finite are wrong, and change nothing. Without a host it listens to
// this machine alone. With a key only packets that are signed by it count (peer.h), and those that
// are sent are signed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <koppel/live/channel.hpp>
#include <koppel/live/packet_window.hpp>

namespace koppel {

struct UdpAddress {
  std::string host;  // empty: this machine; "*", to listen at: whoever reaches it
  int port = 0;      // 0, to listen at: any that is free
};
// "5000", "192.168.0.7:5000". Throws Error `live.bad-address`.
UdpAddress read_address(const std::string& text);

using UdpKey = std::array<unsigned char, 16>;
// A file with 32 hexadecimal digits. Throws Error `live.bad-key`.
UdpKey read_key(const std::string& path);

class UdpChannel : public Channel {
 public:
  // Where to listen for inputs, and where to send outputs to.
  UdpChannel(std::optional<UdpAddress> listen, std::optional<UdpAddress> send,
             std::optional<UdpKey> key = {})
      : listen_(std::move(listen)), send_(std::move(send)), key_(key), window_(key.has_value()) {}
  UdpChannel(const UdpChannel&) = delete;
  UdpChannel& operator=(const UdpChannel&) = delete;
  ~UdpChannel() override;

  // Throws Error `live.no-socket`.
  void open(const Ports& ports) override;
  void read(double t, std::span<double> u) noexcept override;
  void write(double t, std::span<const double> y) noexcept override;
  std::vector<std::string> notes() const override;

  int port() const { return port_; }  // at which it listens
  long num_received() const { return num_received_; }

 private:
  bool take(std::size_t size) noexcept;  // of the bytes received

  std::optional<UdpAddress> listen_, send_;
  std::optional<UdpKey> key_;
  PacketWindow window_;
  int in_ = -1, out_ = -1;  // sockets
  int port_ = 0;
  std::vector<unsigned char> received_, sent_;
  std::vector<double> values_;
  std::uint64_t sequence_out_ = 0;
  long num_received_ = 0, num_wrong_ = 0, num_unsigned_ = 0, num_not_finite_ = 0, num_old_ = 0,
       num_lost_ = 0;
};

}  // namespace koppel
