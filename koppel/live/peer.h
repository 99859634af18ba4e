/* What stands at the other side of a channel of `koppel live`: packets of UDP and blocks of shared
 * memory, for programs in C99 (gcc or clang) or C++. No allocation, no waiting. Both sides use this
 * file.
 *
 * Packet, all numbers little-endian, 24 + 8 count bytes:
 *
 *   offset  0  "KPL1"
 *           4  count of values, unsigned, 32 bits
 *           8  sequence, unsigned, 64 bits: grows with every packet; 0 begins anew
 *          16  t, in seconds, binary64
 *          24  the values, binary64: inputs, or outputs, in the order that the program prints
 *
 * With a key of 16 bytes that both sides know, 8 bytes follow: SipHash-2-4 of all before
 * [Aumasson & Bernstein 2012], little-endian. The sequence must then grow for as long as the program
 * at the other side runs: a sender that is started anew goes on above its last number, such as with
 * the nanoseconds of the clock.
 *
 * Shared memory, in the byte order of the machine, all words of 64 bits:
 *
 *   word 0  magic, KOPPEL_SHARED_MAGIC; written last
 *        1  number of inputs n          2  number of outputs m
 *        3  word at which the block of inputs starts (written by the peer)
 *        4  word at which the block of outputs starts (written by the program)
 *        5  byte at which the names start: inputs, then outputs, each ended by a newline
 *        6  size of all in bytes
 *
 *   block   sequence, t, values: the sequence is odd while the block is written, and 0 before it
 *           has ever been (a sequence lock: readers never block the writer)
 */
#ifndef KOPPEL_LIVE_PEER_H
#define KOPPEL_LIVE_PEER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define KOPPEL_PACKET_HEAD 24
#define KOPPEL_SHARED_MAGIC UINT64_C(0x00314d48534c504b) /* "KPLSHM1" */

static inline void koppel_put_bytes(unsigned char* at, uint64_t value, int count) {
  for (int i = 0; i < count; ++i) at[i] = (unsigned char)(value >> (8 * i));
}

static inline uint64_t koppel_get_bytes(const unsigned char* at, int count) {
  uint64_t value = 0;
  for (int i = 0; i < count; ++i) value |= (uint64_t)at[i] << (8 * i);
  return value;
}

static inline uint64_t koppel_bits(double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline double koppel_number(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static inline size_t koppel_packet_size(uint32_t count) {
  return KOPPEL_PACKET_HEAD + 8 * (size_t)count;
}

/* Fills koppel_packet_size(count) bytes. */
static inline void koppel_packet_write(unsigned char* packet, uint64_t sequence, double t,
                                       const double* values, uint32_t count) {
  memcpy(packet, "KPL1", 4);
  koppel_put_bytes(packet + 4, count, 4);
  koppel_put_bytes(packet + 8, sequence, 8);
  koppel_put_bytes(packet + 16, koppel_bits(t), 8);
  for (uint32_t i = 0; i < count; ++i) {
    koppel_put_bytes(packet + KOPPEL_PACKET_HEAD + 8 * (size_t)i, koppel_bits(values[i]), 8);
  }
}

/* 1 where the `size` bytes are a packet of `count` values; 0, and nothing changed, otherwise. */
static inline int koppel_packet_read(const unsigned char* packet, size_t size, uint64_t* sequence,
                                     double* t, double* values, uint32_t count) {
  if (size != koppel_packet_size(count) || memcmp(packet, "KPL1", 4) != 0) return 0;
  if (koppel_get_bytes(packet + 4, 4) != count) return 0;
  *sequence = koppel_get_bytes(packet + 8, 8);
  *t = koppel_number(koppel_get_bytes(packet + 16, 8));
  for (uint32_t i = 0; i < count; ++i) {
    values[i] = koppel_number(koppel_get_bytes(packet + KOPPEL_PACKET_HEAD + 8 * (size_t)i, 8));
  }
  return 1;
}

#define KOPPEL_PACKET_KEY 16 /* bytes */
#define KOPPEL_PACKET_TAG 8

static inline uint64_t koppel_rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

static inline void koppel_sip_round(uint64_t v[4]) {
  v[0] += v[1], v[2] += v[3];
  v[1] = koppel_rotate(v[1], 13) ^ v[0], v[3] = koppel_rotate(v[3], 16) ^ v[2];
  v[0] = koppel_rotate(v[0], 32);
  v[2] += v[1], v[0] += v[3];
  v[1] = koppel_rotate(v[1], 17) ^ v[2], v[3] = koppel_rotate(v[3], 21) ^ v[0];
  v[2] = koppel_rotate(v[2], 32);
}

/* SipHash-2-4 [Aumasson & Bernstein 2012]. */
static inline uint64_t koppel_sip_hash(const unsigned char* key, const unsigned char* text,
                                       size_t size) {
  const uint64_t k0 = koppel_get_bytes(key, 8), k1 = koppel_get_bytes(key + 8, 8);
  uint64_t v[4] = {k0 ^ UINT64_C(0x736f6d6570736575), k1 ^ UINT64_C(0x646f72616e646f6d),
                   k0 ^ UINT64_C(0x6c7967656e657261), k1 ^ UINT64_C(0x7465646279746573)};
  for (size_t at = 0;; at += 8) {
    const int is_last = size - at < 8;
    const uint64_t word = is_last ? koppel_get_bytes(text + at, (int)(size - at)) |
                                        ((uint64_t)(size & 255) << 56)
                                  : koppel_get_bytes(text + at, 8);
    v[3] ^= word;
    koppel_sip_round(v), koppel_sip_round(v);
    v[0] ^= word;
    if (is_last) break;
  }
  v[2] ^= 255;
  for (int i = 0; i < 4; ++i) koppel_sip_round(v);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* Adds KOPPEL_PACKET_TAG bytes behind the `size` bytes of a packet. */
static inline void koppel_packet_sign(unsigned char* packet, size_t size,
                                      const unsigned char* key) {
  koppel_put_bytes(packet + size, koppel_sip_hash(key, packet, size), KOPPEL_PACKET_TAG);
}

/* 1 where the last KOPPEL_PACKET_TAG of `size` bytes belong to those before. */
static inline int koppel_packet_is_signed(const unsigned char* packet, size_t size,
                                          const unsigned char* key) {
  if (size < KOPPEL_PACKET_TAG) return 0;
  size -= KOPPEL_PACKET_TAG;
  return koppel_get_bytes(packet + size, KOPPEL_PACKET_TAG) == koppel_sip_hash(key, packet, size);
}

/* One writer for each block. */
static inline void koppel_block_write(uint64_t* block, double t, const double* values,
                                      size_t count) {
  const uint64_t sequence = __atomic_load_n(&block[0], __ATOMIC_RELAXED);
  __atomic_store_n(&block[0], sequence + 1, __ATOMIC_RELAXED);
  __atomic_thread_fence(__ATOMIC_RELEASE);
  __atomic_store_n(&block[1], koppel_bits(t), __ATOMIC_RELAXED);
  for (size_t i = 0; i < count; ++i) {
    __atomic_store_n(&block[2 + i], koppel_bits(values[i]), __ATOMIC_RELAXED);
  }
  __atomic_store_n(&block[0], sequence + 2, __ATOMIC_RELEASE);
}

/* The sequence of what was read into t and values; 0 where nothing has been written yet, or the
 * writer was at work at each of `tries` times: then t and values may be of no use. */
static inline uint64_t koppel_block_read(const uint64_t* block, double* t, double* values,
                                         size_t count, int tries) {
  for (int k = 0; k < tries; ++k) {
    const uint64_t before = __atomic_load_n(&block[0], __ATOMIC_ACQUIRE);
    if (before == 0) return 0;
    *t = koppel_number(__atomic_load_n(&block[1], __ATOMIC_RELAXED));
    for (size_t i = 0; i < count; ++i) {
      values[i] = koppel_number(__atomic_load_n(&block[2 + i], __ATOMIC_RELAXED));
    }
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    if (before % 2 == 0 && __atomic_load_n(&block[0], __ATOMIC_RELAXED) == before) return before;
  }
  return 0;
}

#endif
