// Any packets, one after the other: those that are not of the form change nothing, what is signed
// and changed is not signed any more, and whatever has come before, a sender that goes on counting
// is heard again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <koppel/live/peer.h>
#include <koppel/live/packet_window.hpp>

namespace {

using namespace koppel;

void check(bool holds) {
  if (!holds) std::abort();
}

void read(const std::uint8_t* data, std::size_t size, PacketWindow& window) {
  constexpr std::uint32_t kCount = 2;
  std::uint64_t sequence = 0;
  double t = 0, values[kCount] = {3, 4};
  if (koppel_packet_read(data, size, &sequence, &t, values, kCount) == 0) {
    check(sequence == 0 && t == 0 && values[0] == 3 && values[1] == 4);
    return;
  }
  window.takes(sequence);
  unsigned char packet[KOPPEL_PACKET_HEAD + 8 * kCount + KOPPEL_PACKET_TAG];
  koppel_packet_write(packet, sequence, t, values, kCount);
  check(std::memcmp(packet, data, size) == 0);
  const unsigned char key[KOPPEL_PACKET_KEY] = {1, 2, 3};
  koppel_packet_sign(packet, size, key);
  check(koppel_packet_is_signed(packet, sizeof packet, key) == 1);
  packet[sequence % sizeof packet] ^= 1;
  check(koppel_packet_is_signed(packet, sizeof packet, key) == 0);
}

}  // namespace

// Each packet begins with its length.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  PacketWindow window, sent(true);
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < size;) {
    const std::size_t length = data[i++];
    const std::size_t part = length < size - i ? length : size - i;
    read(data + i, part, window);
    if (part >= 8) {
      std::uint64_t number = 0;
      std::memcpy(&number, data + i, 8);
      window.takes(number);
      if (sent.takes(number)) {
        check(number >= last);
        last = number;
      }
    }
    i += part;
  }
  std::uint64_t k = 0;
  while (!window.takes(1000 + k)) check(++k < PacketWindow::kBehind + 3);
  return 0;
}
