// Which packets are newer than those before, by their sequence numbers.
//
// Anybody can send a packet with the largest number that there is; were all smaller ones old from
// then on, that one packet would lock out the rest. So a number is taken where it is a little ahead
// of the last, and dropped where it is the last or a little behind; where it is far away, the
// second of two in a row is taken [Schulzrinne et al. 2003, RFC 3550, appendix A.1]. The sender is
// back after two packets at most, or after kBehind where the forged number was near. 0 begins anew.
//
// Where packets are signed none can be forged, but old ones can be sent again: then every number
// must be larger than the last.
#pragma once

#include <cstdint>

namespace koppel {

class PacketWindow {
 public:
  static constexpr std::uint64_t kAhead = 3000, kBehind = 100;

  explicit PacketWindow(bool is_signed = false) : is_signed_(is_signed) {}

  bool takes(std::uint64_t sequence) noexcept {
    if (is_signed_) return (!has_last_ || sequence > last_) && take(sequence);
    if (!has_last_ || sequence == 0) return take(sequence);
    // Differences are modulo 2⁶⁴.
    if (const std::uint64_t ahead = sequence - last_; ahead >= 1 && ahead <= kAhead) {
      return take(sequence);
    }
    if (last_ - sequence <= kBehind) return false;
    const std::uint64_t ahead = sequence - far_;
    if (has_far_ && ahead >= 1 && ahead <= kAhead) return take(sequence);
    far_ = sequence;
    has_far_ = true;
    return false;
  }

 private:
  bool take(std::uint64_t sequence) noexcept {
    last_ = sequence;
    has_last_ = true;
    has_far_ = false;
    return true;
  }

  bool is_signed_, has_last_ = false, has_far_ = false;
  std::uint64_t last_ = 0, far_ = 0;
};

}  // namespace koppel
