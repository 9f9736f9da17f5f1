/* Tensor maps: the 128-byte tensor descriptors of the tensor memory accelerator (TMA), created on the host.
 *
 * A request describes the tensor of a kernel's descriptor parameter. Dimensions count from the outermost, as in the IR.
 * Strides are in bytes, as in the hardware's requirements:
 *
 *   nereid_tma_request_t request = {.address = a, .element = NEREID_TMA_F16, .rank = 2, .shape = {M, K},
 *                                   .strides = {K * 2, 2}, .box = {128, 64}, .swizzle = 128};
 *
 * The cache keeps one descriptor per distinct request and retains the memory of the tensor that it describes. */
#ifndef NEREID_TMA_H
#define NEREID_TMA_H

#include "base/element.h"
#include "base/message.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct nereid_device;

enum { NEREID_TMA_RANK = 5 };

/* The driver's CUtensorMapDataType, with the driver's values. */
typedef enum nereid_tma_element {
  NEREID_TMA_U8 = 0,
  NEREID_TMA_U16 = 1,
  NEREID_TMA_U32 = 2,
  NEREID_TMA_S32 = 3,
  NEREID_TMA_U64 = 4,
  NEREID_TMA_S64 = 5,
  NEREID_TMA_F16 = 6,
  NEREID_TMA_F32 = 7,
  NEREID_TMA_F64 = 8,
  NEREID_TMA_BF16 = 9,
  NEREID_TMA_F32_FTZ = 10,
  NEREID_TMA_TF32 = 11,
  NEREID_TMA_TF32_FTZ = 12,
  NEREID_TMA_U4 = 13,        /* sixteen 4-bit values in 8 bytes */
  NEREID_TMA_U4_PADDED = 14, /* sixteen 4-bit values in 16 bytes of shared memory, half of them padding */
} nereid_tma_element_t;

/* A tensor map. Kernel parameters require an alignment of 64 bytes; the bytes are opaque (docs/abi.md has the
 * emulator's layout). */
typedef struct nereid_tma_descriptor {
#ifdef __cplusplus
  alignas(64) uint8_t bytes[128];
#else
  _Alignas(64) uint8_t bytes[128];
#endif
} nereid_tma_descriptor_t;

typedef struct nereid_tma_request {
  uint64_t address; /* of element 0, in global memory */
  nereid_tma_element_t element;
  uint32_t rank;                     /* 1 to 5 */
  uint64_t shape[NEREID_TMA_RANK];   /* elements, outermost first */
  uint64_t strides[NEREID_TMA_RANK]; /* bytes from one index to the next; the innermost must be one element */
  uint32_t box[NEREID_TMA_RANK];     /* elements of one transfer, outermost first */
  uint32_t swizzle;                  /* bytes: 0, 32, 64 or 128 */
  bool nan_padding;                  /* elements outside the tensor read as NaN, not 0; float types only */
} nereid_tma_request_t;

/* The reader of the descriptor. */
typedef enum nereid_tma_backend {
  NEREID_TMA_DRIVER = 0,   /* a GPU: cuTensorMapEncodeTiled, which requires a device */
  NEREID_TMA_EMULATOR = 1, /* Nereid's emulator: the layout of docs/abi.md, requires no device */
} nereid_tma_backend_t;

/* Gets the map's type for elements of a kernel: integers as unsigned, 8-bit floats as bytes. False when there is
 * none. */
bool nereid_tma_element_of(nereid_element_t element, nereid_tma_element_t *out_element);

/* Returns the bits of one element in global memory: 4, 8, 16, 32 or 64; 0 for an invalid element. */
uint32_t nereid_tma_element_bits(nereid_tma_element_t element);

/* Computes the box of a tile of the IR: every dimension at most 256, the innermost as wide as the swizzle if there is
 * one (Triton 3.6 splits a wider tile into several transfers). `block` and `out_box` have `rank` elements; `fp4_padded`
 * tiles count two 4-bit values per element. */
void nereid_tma_box_of(uint32_t rank, const int32_t *block, uint32_t element_bits, uint32_t swizzle, bool fp4_padded,
                       uint32_t *out_box);

/* Checks the requirements of the hardware (CUDA driver API, cuTensorMapEncodeTiled). NEREID_ERROR_ARGUMENT: the message
 * names the violated rule and the number. */
NEREID_MUST_USE nereid_status_t nereid_tma_validate(const nereid_tma_request_t *request, nereid_message_t *message);

/* Validates and encodes a request. `device` may be null for NEREID_TMA_EMULATOR. NEREID_ERROR_UNSUPPORTED: the driver
 * does not support tensor maps (before CUDA 12.0). */
NEREID_MUST_USE nereid_status_t nereid_tma_encode(nereid_tma_backend_t backend, struct nereid_device *device,
                                                  const nereid_tma_request_t *request,
                                                  nereid_tma_descriptor_t *out_descriptor, nereid_message_t *message);

/* --- the cache --- */

/* Equal requests share one descriptor. All functions may be called from any thread. */
typedef struct nereid_tma_cache nereid_tma_cache_t;
typedef struct nereid_tma_entry nereid_tma_entry_t;

/* The owner of the memory that a descriptor refers to. The cache calls `retain` once when it creates an entry and
 * `release` once when the last reference is released, so the memory outlives the descriptor. Callbacks may be null;
 * they are called without a lock and may call the cache. */
typedef struct nereid_tma_owner {
  void *data;
  void (*retain)(void *data);
  void (*release)(void *data);
} nereid_tma_owner_t;

/* `device` is borrowed, must outlive the cache, and may be null for NEREID_TMA_EMULATOR. */
NEREID_MUST_USE nereid_status_t nereid_tma_cache_create(nereid_tma_backend_t backend, struct nereid_device *device,
                                                        nereid_tma_cache_t **out_cache);

/* Entries with references stay valid and are freed with their last reference. Null is valid. */
void nereid_tma_cache_destroy(nereid_tma_cache_t *cache);

/* Gets the descriptor for `request`, created if needed, and adds a reference. `owner` may be null. The owner is
 * retained only when the entry is created; for an existing entry the first owner keeps the memory alive. Errors as
 * nereid_tma_encode, and NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_tma_cache_get(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                                                     const nereid_tma_owner_t *owner, nereid_tma_entry_t **out_entry,
                                                     nereid_message_t *message);

/* Adds a reference. */
void nereid_tma_entry_retain(nereid_tma_entry_t *entry);

/* Releases a reference; the last one removes the entry and releases the owner. Null is valid. */
void nereid_tma_entry_release(nereid_tma_entry_t *entry);

/* Valid as long as a reference is held. */
const nereid_tma_descriptor_t *nereid_tma_entry_descriptor(const nereid_tma_entry_t *entry);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Decodes the emulator's encoding. False when the bytes are not such a descriptor. The decoded request equals the
 * encoded one. */
bool nereid_tma_decode(const void *bytes, nereid_tma_request_t *out_request);

/* Returns the number of descriptors in the cache. */
size_t nereid_tma_cache_size(nereid_tma_cache_t *cache);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif
