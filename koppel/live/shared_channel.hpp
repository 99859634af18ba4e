// Inputs and outputs in POSIX shared memory, laid out as in peer.h: the peer writes a block of
// inputs, the loop one of outputs, each under a sequence lock. Nothing waits: where the peer is
// writing just then, inputs stay what they were for that step, which is counted; so they do where
// a value is not finite, and from then on where another program has cut the memory short.
#pragma once

#include <cstdint>
#include <optional>

#include <koppel/live/bus_guard.hpp>
#include <koppel/live/channel.hpp>

namespace koppel {

class SharedChannel : public Channel {
 public:
  // A name such as "/rig"; the slash may be left out.
  explicit SharedChannel(const std::string& name);
  SharedChannel(const SharedChannel&) = delete;
  SharedChannel& operator=(const SharedChannel&) = delete;
  ~SharedChannel() override;  // the name goes with it

  // Makes the memory. Throws Error `live.no-shared-memory`; one that exists is another program's.
  void open(const Ports& ports) override;
  void read(double t, std::span<double> u) noexcept override;
  void write(double t, std::span<const double> y) noexcept override;
  std::vector<std::string> notes() const override;

 private:
  std::string name_;
  std::uint64_t* memory_ = nullptr;
  std::size_t size_ = 0;  // bytes
  std::uint64_t *inputs_ = nullptr, *outputs_ = nullptr;
  std::optional<BusGuard> guard_;
  std::vector<double> values_;
  std::uint64_t sequence_ = 0;
  long num_changes_ = 0, num_busy_ = 0, num_not_finite_ = 0;
};

}  // namespace koppel
