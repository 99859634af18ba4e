#ifndef KOPPEL_TESTS_LIVE_PEER_IN_C_H
#define KOPPEL_TESTS_LIVE_PEER_IN_C_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

int packet_in_c(unsigned char* packet, double t, const double* values, uint32_t count);
double block_in_c(uint64_t* block, double t, double value);

#ifdef __cplusplus
}
#endif

#endif
