// Channels: where a live loop gets its inputs from, at the start of each step, and sends its
// outputs to, at its end. `read` and `write` neither allocate, nor throw, nor wait.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace koppel {

// The names of what goes in and out, in order.
struct Ports {
  std::vector<std::string> inputs, outputs;
};

class Channel {
 public:
  virtual ~Channel() = default;
  // Before the loop. Throws Error where there is something wrong.
  virtual void open(const Ports& ports) { (void)ports; }
  // The inputs for the step from t on; those that the channel has nothing new for stay.
  virtual void read(double t, std::span<double> u) noexcept {
    (void)t;
    (void)u;
  }
  // The outputs at t.
  virtual void write(double t, std::span<const double> y) noexcept {
    (void)t;
    (void)y;
  }
  // After the loop: what to tell about it, in sentences.
  virtual std::vector<std::string> notes() const { return {}; }
};

// Functions of the program that calls the library. Both may be empty.
class CallbackChannel : public Channel {
 public:
  using Read = std::function<void(double t, std::span<double> u)>;
  using Write = std::function<void(double t, std::span<const double> y)>;
  CallbackChannel(Read read, Write write) : read_(std::move(read)), write_(std::move(write)) {}

  void read(double t, std::span<double> u) noexcept override {
    if (read_) read_(t, u);
  }
  void write(double t, std::span<const double> y) noexcept override {
    if (write_) write_(t, y);
  }

 private:
  Read read_;
  Write write_;
};

// For each of `names` its place among `ports`; throws Error `id` with a suggestion for a name that
// is not there. `what` says where the names are from: "file u.csv has a column".
std::vector<std::size_t> places_of(std::span<const std::string> names,
                                   std::span<const std::string> ports, const std::string& id,
                                   const std::string& what);

}  // namespace koppel
