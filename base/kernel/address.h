/* Assigns virtual addresses to a kernel's buffers without a GPU: in the emulator and in the interpreter.
 *
 *   first buffer    0x0000010000000100      2^40 bytes apart, so that the upper bits number the buffers
 *   second buffer   0x0000020000000100      and the lower 40 bits hold the offset
 *
 * Addresses depend only on the sizes, alignments and order of the buffers, never on the host's memory: every run
 * assigns the same address. The distance between two buffers is at least 2^36 bytes, so an index of 32 bits, signed or
 * unsigned, times an element of 8 bytes never reaches another buffer. */
#ifndef NEREID_BASE_KERNEL_ADDRESS_H
#define NEREID_BASE_KERNEL_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Distance between the starts of smaller buffers. */
#define NEREID_ADDRESS_SPACING (UINT64_C(1) << 40)

/* Buffers end before this address. */
#define NEREID_ADDRESS_LIMIT (UINT64_C(1) << 62)

/* An address below this results from a null pointer. */
#define NEREID_ADDRESS_NULL_PAGE UINT64_C(4096)

/* The initial position of an address space. */
#define NEREID_ADDRESS_START UINT64_C(1)

/* Generic addresses from here to NEREID_ADDRESS_WINDOWS_END belong to shared, local and parameter memory; buffers are
 * never placed there. */
#define NEREID_ADDRESS_WINDOWS UINT64_C(0x00007d0000000000)
#define NEREID_ADDRESS_WINDOWS_END UINT64_C(0x0000800000000000)

/* Assigns an address to a buffer of `bytes` bytes and advances *position past it. The address is a multiple of
 * `alignment`, a power of two, and of 256, but not of any greater power of two, so that a program that relies on more
 * alignment is detected. False, with nothing changed, when the alignment is not a power of two or the address space of
 * 2^62 bytes is exhausted. */
bool nereid_address_assign(uint64_t *position, uint64_t bytes, uint64_t alignment, uint64_t *out_address);

/* Returns the bytes between an address and the nearest byte of a buffer or its end; 0 within it. */
static inline uint64_t nereid_address_distance(uint64_t buffer, uint64_t bytes, uint64_t address) {
  const uint64_t end = buffer + bytes;
  return address < buffer ? buffer - address : address > end ? address - end : 0;
}

#endif
