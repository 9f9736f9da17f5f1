/* Tensor maps: the 128-byte tensor descriptors of the tensor memory accelerator (TMA), created on the host.
 *
 * Most programs need none of this: nereid_kernel_launch accepts a tensor (nereid_tensor_t) for a descriptor parameter
 * and creates the map that the kernel's metadata describes. This header is for descriptors of other kernels.
 *
 * A request describes one map. Dimensions count from the outermost, as in the IR. Strides are in bytes, as in the
 * hardware's requirements:
 *
 *   nereid_tma_request_t request = {.address = a, .element = NEREID_TMA_F16, .rank = 2, .shape = {M, K},
 *                                   .strides = {K * 2, 2}, .box = {128, 64}, .swizzle = 128};
 *
 * nereid_tma_request_of_tile, _1d and _2d create requests from tensors. A cache keeps one immutable map per distinct
 * request; a reference to it retains the owner of the tensor's memory. */
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

/* Bytes that one request to memory loads into the L2 cache, at most the row of the box. */
typedef enum nereid_tma_promotion {
  NEREID_TMA_PROMOTE_256 = 0, /* the default, as in Triton */
  NEREID_TMA_PROMOTE_128 = 1,
  NEREID_TMA_PROMOTE_64 = 2,
  NEREID_TMA_PROMOTE_NONE = 3,
} nereid_tma_promotion_t;

typedef struct nereid_tma_request {
  uint64_t address; /* of element 0, in global memory */
  nereid_tma_element_t element;
  uint32_t rank;                     /* 1 to 5 */
  uint64_t shape[NEREID_TMA_RANK];   /* elements, outermost first */
  uint64_t strides[NEREID_TMA_RANK]; /* bytes from one index to the next; the innermost must be one element */
  uint32_t box[NEREID_TMA_RANK];     /* elements of one transfer, outermost first */
  uint32_t swizzle;                  /* bytes: 0, 32, 64 or 128 */
  bool nan_padding;                  /* elements outside the tensor read as NaN, not 0; float types only */
  uint32_t steps[NEREID_TMA_RANK];   /* a transfer loads every steps[i]-th element of the box, 1 to 8; 0 is 1. The
                                        innermost is ignored without interleaving */
  uint32_t interleave;               /* bytes of channels that are stored together: 0, 16 (NC/8HWC8) or 32 (NC/16HWC16).
                                        16 and 32 require rank 3 to 5, 32 a swizzle of 32. The emulator encodes such
                                        maps, but its TMA instructions do not support them */
  nereid_tma_promotion_t promotion;
} nereid_tma_request_t;

/* --- tensors --- */

/* The owner of a tensor's memory. `retain` and `release` add and remove one reference; both may be null, and are called
 * without a lock. Two owners are equal when all members are equal. */
typedef struct nereid_tma_owner {
  void *data;
  void (*retain)(void *data);
  void (*release)(void *data);
} nereid_tma_owner_t;

/* The value of elements outside a tensor. */
typedef enum nereid_padding {
  NEREID_PADDING_KERNEL = 0, /* as the kernel's metadata or the tile specifies */
  NEREID_PADDING_ZERO = 1,
  NEREID_PADDING_NAN = 2, /* float types only */
} nereid_padding_t;

/* A tensor in global memory. */
typedef struct nereid_tensor {
  uint64_t address;                  /* device address of the first element */
  nereid_element_t element;          /* NONE: the type that the kernel expects */
  uint32_t rank;                     /* 1 to 5 */
  uint64_t shape[NEREID_TMA_RANK];   /* elements, outermost first */
  uint64_t strides[NEREID_TMA_RANK]; /* elements from one index to the next; all 0: contiguous, rows first */
  nereid_padding_t padding;
  nereid_tma_owner_t owner; /* keeps the memory alive; zeros: the caller does */
} nereid_tensor_t;

/* The tile that a kernel accesses through a descriptor, as its metadata and Triton's TensorDescriptor specify it. */
typedef struct nereid_tma_tile {
  uint32_t rank;
  int32_t block[NEREID_TMA_RANK]; /* elements, outermost first; more than 256 are several transfers (docs/abi.md) */
  int32_t swizzle;                /* bytes: 0, 32, 64, 128; -1: the widest that a row of the block fills */
  bool fp4_padded;                /* two 4-bit floats per byte of the tensor, padded to 8 in shared memory */
  bool nan_padding;               /* unless the tensor specifies its padding */
} nereid_tma_tile_t;

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

/* Computes the strides of a tensor in elements: those given, or those of a contiguous tensor. NEREID_ERROR_ARGUMENT:
 * the rank is not 1 to 5, only some strides are given, or the size overflows. */
NEREID_MUST_USE nereid_status_t nereid_tensor_strides(const nereid_tensor_t *tensor,
                                                      uint64_t out_strides[NEREID_TMA_RANK], nereid_message_t *message);

/* Returns the widest swizzle, in bytes, that rows of this many bytes fill: 128, 64, 32 or 0. */
uint32_t nereid_tma_swizzle_of(uint64_t row_bytes);

/* Computes the request for tiles of a tensor: what Triton's TensorDescriptor(base, shape, strides, block_shape,
 * padding) describes. NEREID_ERROR_ARGUMENT: the ranks differ, or maps do not have this element type. The rules of the
 * hardware are checked when the request is encoded. */
NEREID_MUST_USE nereid_status_t nereid_tma_request_of_tile(const nereid_tensor_t *tensor, const nereid_tma_tile_t *tile,
                                                           nereid_tma_request_t *out_request,
                                                           nereid_message_t *message);

/* Returns the request for blocks of a contiguous vector, without a swizzle; sizes in elements. */
nereid_tma_request_t nereid_tma_request_1d(uint64_t address, nereid_tma_element_t element, uint64_t extent,
                                           uint32_t block);

/* Returns the request for blocks of a contiguous matrix, with the widest swizzle that a row of the block fills; sizes
 * in elements. A block wider than the swizzle is several transfers (nereid_tma_box_of). */
nereid_tma_request_t nereid_tma_request_2d(uint64_t address, nereid_tma_element_t element, uint64_t rows,
                                           uint64_t columns, uint32_t block_rows, uint32_t block_columns);

/* Checks the requirements of the hardware (CUDA driver API, cuTensorMapEncodeTiled). NEREID_ERROR_ARGUMENT: the message
 * names the violated rule and the number. */
NEREID_MUST_USE nereid_status_t nereid_tma_validate(const nereid_tma_request_t *request, nereid_message_t *message);

/* Validates and encodes a request. `device` may be null for NEREID_TMA_EMULATOR. NEREID_ERROR_UNSUPPORTED: the driver
 * does not support tensor maps (before CUDA 12.0). */
NEREID_MUST_USE nereid_status_t nereid_tma_encode(nereid_tma_backend_t backend, struct nereid_device *device,
                                                  const nereid_tma_request_t *request,
                                                  nereid_tma_descriptor_t *out_descriptor, nereid_message_t *message);

/* --- the cache --- */

/* Equal requests share one map. All functions may be called from any thread; finding an existing map takes no lock. */
typedef struct nereid_tma_cache nereid_tma_cache_t;

enum { NEREID_TMA_CACHE_CAPACITY = 1024 }; /* the default */

/* A reference to a map of a cache. Copy it with nereid_tma_reference_retain only. */
typedef struct nereid_tma_reference {
  const nereid_tma_descriptor_t *descriptor; /* immutable; valid until the reference is released */
  struct nereid_tma_entry *entry;            /* internal */
  nereid_tma_owner_t owner;                  /* retained */
} nereid_tma_reference_t;

/* Creates a cache of at most `capacity` maps, rounded up to a power of two (0: NEREID_TMA_CACHE_CAPACITY), of about 0.5
 * KiB each. If there is no room, a new map replaces the least recently used one. `device` is borrowed, must outlive
 * the cache, and may be null for NEREID_TMA_EMULATOR.
 *   NEREID_ERROR_ARGUMENT   NEREID_TMA_DRIVER without a device, or more than 2^20 maps
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_tma_cache_create(nereid_tma_backend_t backend, struct nereid_device *device,
                                                        size_t capacity, nereid_tma_cache_t **out_cache);

/* Destroys a cache. References stay valid; their maps are freed with the last of them. Null is valid. */
void nereid_tma_cache_destroy(nereid_tma_cache_t *cache);

/* Gets a reference to the map of a request, which is encoded if the cache does not have it. Retains `owner`, which may
 * be null, once for each reference. Maps with references are never replaced: when all places of a request are taken,
 * the reference gets a map of its own. Errors as nereid_tma_encode, and NEREID_ERROR_MEMORY; then `out_reference` is
 * zeroed and the owner is not retained. */
NEREID_MUST_USE nereid_status_t nereid_tma_cache_get(nereid_tma_cache_t *cache, const nereid_tma_request_t *request,
                                                     const nereid_tma_owner_t *owner,
                                                     nereid_tma_reference_t *out_reference, nereid_message_t *message);

/* Returns another reference to the same map, and retains its owner again. */
NEREID_MUST_USE nereid_tma_reference_t nereid_tma_reference_retain(const nereid_tma_reference_t *reference);

/* Releases a reference and its owner, and zeroes it. A zeroed reference is valid. */
void nereid_tma_reference_release(nereid_tma_reference_t *reference);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Decodes the emulator's encoding. False when the bytes are not such a descriptor. The decoded request equals the
 * encoded one. */
bool nereid_tma_decode(const void *bytes, nereid_tma_request_t *out_request);

typedef struct nereid_tma_cache_statistics {
  uint64_t misses;    /* requests that were encoded; hits are not counted, since they share no memory */
  uint64_t evictions; /* maps that new ones replaced */
  uint64_t unshared;  /* misses that found no place */
  size_t size;        /* maps in the cache */
  size_t capacity;
} nereid_tma_cache_statistics_t;

nereid_tma_cache_statistics_t nereid_tma_cache_statistics(nereid_tma_cache_t *cache);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif
