/* The emulator's 128 bytes of a tensor map; docs/abi.md draws them. */
#ifndef NEREID_LAUNCH_TMA_LAYOUT_H
#define NEREID_LAUNCH_TMA_LAYOUT_H

#include "nereid/tma.h"

/* Encodes a valid request. */
void nereid_tma_layout_write(const nereid_tma_request_t *request, uint8_t bytes[128]);

#endif
