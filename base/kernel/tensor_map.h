/* A tensor map of the emulator: the arguments of cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col (CUDA driver API),
 * and the 128 bytes of docs/abi.md. Dimensions count from the innermost, in messages from the outermost, as in the
 * IR. */
#ifndef NEREID_BASE_TENSOR_MAP_H
#define NEREID_BASE_TENSOR_MAP_H

#include "base/message.h"

#include <stdbool.h>
#include <stdint.h>

enum { NEREID_TENSOR_MAP_RANK = 5, NEREID_TENSOR_MAP_BYTES = 128 };

/* CUtensorMapDataType. */
enum {
  NEREID_TENSOR_MAP_U8,
  NEREID_TENSOR_MAP_U16,
  NEREID_TENSOR_MAP_U32,
  NEREID_TENSOR_MAP_S32,
  NEREID_TENSOR_MAP_U64,
  NEREID_TENSOR_MAP_S64,
  NEREID_TENSOR_MAP_F16,
  NEREID_TENSOR_MAP_F32,
  NEREID_TENSOR_MAP_F64,
  NEREID_TENSOR_MAP_BF16,
  NEREID_TENSOR_MAP_F32_FTZ,
  NEREID_TENSOR_MAP_TF32,
  NEREID_TENSOR_MAP_TF32_FTZ,
  NEREID_TENSOR_MAP_U4,
  NEREID_TENSOR_MAP_U4_PADDED,
  NEREID_TENSOR_MAP_ELEMENTS
};

typedef struct nereid_tensor_map {
  uint64_t address;
  uint8_t element, rank, swizzle; /* swizzle in bytes: 0, 32, 64, 128 */
  uint8_t interleave;             /* 0: none; 1, 2: 16 and 32 bytes */
  bool nan_padding, im2col;
  uint64_t shape[NEREID_TENSOR_MAP_RANK];       /* elements, 1 to 2^32 */
  uint64_t strides[NEREID_TENSOR_MAP_RANK - 1]; /* bytes, of dimension 1 and up */
  uint32_t box[NEREID_TENSOR_MAP_RANK];         /* im2col: channels per pixel, pixels per column */
  uint8_t steps[NEREID_TENSOR_MAP_RANK];        /* stride within the box, in elements; 0 is 1 */
  int16_t lower[3], upper[3];                   /* im2col: corners of the box of pixels, of dimensions 1 to rank - 2; */
  /* 16 bits for rank 3, 8 for more */
} nereid_tensor_map_t;

/* Returns the bits of one element in global memory: 4, 8, 16, 32 or 64; 0 for an invalid element. */
uint32_t nereid_tensor_map_element_bits(unsigned element);

/* Checks the requirements of the hardware. NEREID_ERROR_ARGUMENT: the message names the violated rule and the
 * number. */
NEREID_MUST_USE nereid_status_t nereid_tensor_map_validate(const nereid_tensor_map_t *map, nereid_message_t *message);

/* Encodes the map into 128 bytes. */
void nereid_tensor_map_write(const nereid_tensor_map_t *map, uint8_t bytes[NEREID_TENSOR_MAP_BYTES]);
/* Decodes 128 bytes. False when they are not the emulator's encoding. The map need not be valid. */
bool nereid_tensor_map_read(const void *bytes, nereid_tensor_map_t *out_map);

#endif
