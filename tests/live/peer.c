/* The other side in C99: that peer.h is C, and that both languages write the same. */
#include <koppel/live/peer.h>

#include "tests/live/peer_in_c.h"

int packet_in_c(unsigned char* packet, double t, const double* values, uint32_t count) {
  koppel_packet_write(packet, 7, t, values, count);
  return (int)koppel_packet_size(count);
}

double block_in_c(uint64_t* block, double t, double value) {
  double back = 0, when = 0;
  koppel_block_write(block, t, &value, 1);
  return koppel_block_read(block, &when, &back, 1, 1) == 2 && when == t ? back : -1;
}
