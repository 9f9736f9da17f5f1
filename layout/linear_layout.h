/* Linear layouts: maps over F2 from hardware coordinates to tensor coordinates.
 *
 *   element(register, lane, warp, block) = XOR of one basis per set bit of the four inputs
 *
 *   #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], ...}> on 8x16:
 *     register  [(0,1) (0,8)]            bit 1 is the repetition that fills the row
 *     lane      [(0,2) (0,4) (1,0) (2,0) (4,0)]
 *
 * A tensor coordinate is *packed*: the row-major linear index of the element, dimension rank-1 in the lowest bits. So
 * every basis is one 32-bit word, a row-major reshape changes no basis, and a transposition permutes bit fields.
 * An input is *flat* when its dimensions are packed the same way: register in the lowest bits, then lane, warp, block.
 * A shared layout uses the register slot for the offset, in elements from the start of the buffer.
 *
 * Everything is by value: no function allocates, keeps state or takes ownership, and all of them are thread safe.
 * Sizes are always given as the number of bits (log2 of a power of two). The theory: Zhou et al., "Linear Layouts:
 * Robust Code Generation of Efficient Tensor Computation Using F2", 2025. */
#ifndef NEREID_LAYOUT_LINEAR_LAYOUT_H
#define NEREID_LAYOUT_LINEAR_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

enum {
  NEREID_LAYOUT_MAX_RANK = 32, /* tensor dimensions */
  NEREID_LAYOUT_MAX_BITS = 32, /* bits of one input dimension, and of a packed coordinate */
};

typedef enum nereid_layout_dim {
  NEREID_LAYOUT_REGISTER = 0, /* a thread's elements, in the order of the values that hold them */
  NEREID_LAYOUT_OFFSET = 0,   /* in a shared layout, elements from the start of the buffer */
  NEREID_LAYOUT_LANE = 1,     /* threads of a warp */
  NEREID_LAYOUT_WARP = 2,     /* warps of a CTA */
  NEREID_LAYOUT_BLOCK = 3,    /* CTAs of a cluster */
  NEREID_LAYOUT_DIMS = 4,
} nereid_layout_dim_t;

typedef struct nereid_layout {
  uint8_t rank;                                               /* tensor dimensions */
  uint8_t in_bits[NEREID_LAYOUT_DIMS];                        /* log2 of the size of each input dimension */
  uint8_t out_bits[NEREID_LAYOUT_MAX_RANK];                   /* log2 of the size of each tensor dimension */
  uint32_t bases[NEREID_LAYOUT_DIMS][NEREID_LAYOUT_MAX_BITS]; /* packed image of each input bit; 0: a broadcast */
} nereid_layout_t;

/* --- construction --- */

/* Returns the layout of `rank` dimensions of size 1 from inputs of size 1: the identity of nereid_layout_multiply. */
void nereid_layout_initialize(nereid_layout_t *layout, int rank);

/* Maps 2^bits values of input `in` to tensor dimension `d` by the identity. */
void nereid_layout_identity1d(nereid_layout_t *out, nereid_layout_dim_t in, int rank, int d, int bits);

/* Maps 2^bits values of input `in` to the same element. */
void nereid_layout_zeros1d(nereid_layout_t *out, nereid_layout_dim_t in, int rank, int bits);

/* The product `layout` x `outer`: `layout` becomes the low part and `outer` the high part of every input and tensor
 * dimension. Ranks are equal. False, and `layout` unchanged, when a dimension or the packed coordinate would exceed
 * NEREID_LAYOUT_MAX_BITS. */
bool nereid_layout_multiply(nereid_layout_t *layout, const nereid_layout_t *outer);

/* Multiply by identity1d and by zeros1d, the two factors of encodings. */
bool nereid_layout_extend(nereid_layout_t *layout, nereid_layout_dim_t in, int d, int bits);
bool nereid_layout_extend_zeros(nereid_layout_t *layout, nereid_layout_dim_t in, int bits);

/* --- queries --- */

/* The packed coordinate held at hardware coordinate (register, lane, warp, block). Bits past an input's size are
 * ignored. */
uint32_t nereid_layout_apply(const nereid_layout_t *layout, uint32_t reg, uint32_t lane, uint32_t warp, uint32_t block);

/* The same from a flat input. */
uint32_t nereid_layout_apply_flat(const nereid_layout_t *layout, uint64_t flat);

/* Splits a packed coordinate into `layout->rank` coordinates, in elements. */
void nereid_layout_coordinates(const nereid_layout_t *layout, uint32_t packed, int32_t *out_coordinates);

/* The packed coordinate of `layout->rank` coordinates; high bits that do not fit are dropped. */
uint32_t nereid_layout_pack(const nereid_layout_t *layout, const int32_t *coordinates);

/* Position of the lowest bit of dimension `d` in a packed coordinate. */
int nereid_layout_out_shift(const nereid_layout_t *layout, int d);

/* The bits of a packed coordinate that belong to dimension `d`, in place. */
uint32_t nereid_layout_out_mask(const nereid_layout_t *layout, int d);

/* Bits of all inputs together (of a flat input) and of a packed coordinate. */
int nereid_layout_in_total(const nereid_layout_t *layout);
int nereid_layout_out_total(const nereid_layout_t *layout);

/* Elements that each thread holds, including replicated ones. */
int32_t nereid_layout_registers(const nereid_layout_t *layout);

/* The longest run 2^k such that registers 0 .. 2^k - 1 hold consecutive elements along dimension `d`, and so does
 * every aligned run of that length: the maximum width of a vector access of registers in order, in elements. */
int32_t nereid_layout_contiguity(const nereid_layout_t *layout, int d);

/* The bits that input `in` can change in a packed coordinate. If the sets of two inputs are disjoint, their parts add,
 * so one base plus constants addresses every register. */
uint32_t nereid_layout_span(const nereid_layout_t *layout, nereid_layout_dim_t in);

bool nereid_layout_equal(const nereid_layout_t *a, const nereid_layout_t *b);

/* --- algebra --- */

/* Dimension of the image, in bits. */
int nereid_layout_image_bits(const nereid_layout_t *layout);

/* Whether every element is held by some hardware index. */
bool nereid_layout_surjective(const nereid_layout_t *layout);

/* Whether no element is replicated. */
bool nereid_layout_injective(const nereid_layout_t *layout);

/* For each input dimension, the mask of its bits whose image is in the span of the lower bits (in flat order): they
 * replicate elements. A thread is the first owner of its elements when (lane & masks[LANE]) == 0 and so on. */
void nereid_layout_free_masks(const nereid_layout_t *layout, uint32_t out_masks[NEREID_LAYOUT_DIMS]);

/* A basis of the flat inputs that `layout` maps to 0, in ascending order of their highest bits; no vector has the
 * highest bit of another. Writes at most 64 and returns how many. */
int nereid_layout_kernel(const nereid_layout_t *layout, uint64_t *out);

/* Whether the inputs have the same sizes, and two inputs hold replicas of one element in both layouts or in neither. */
bool nereid_layout_same_replicas(const nereid_layout_t *a, const nereid_layout_t *b);

/* outer(inner(x)): the packed result of `inner` is the flat input of `outer`, so their totals are equal (false if
 * not). Inputs are those of `inner`, tensor dimensions those of `outer`. */
bool nereid_layout_compose(const nereid_layout_t *inner, const nereid_layout_t *outer, nereid_layout_t *out);

/* The smallest x with outer(x(y)) = target(y): the location in outer of target's elements. x has the inputs of
 * `target` and the dimensions [block, warp, lane, register] of `outer` (so `register`, or a shared offset, is in the
 * low bits of the packed result). Copies of an element resolve to the lowest flat input. False when `outer` lacks an
 * element of `target` or the shapes differ in total size. */
bool nereid_layout_solve(const nereid_layout_t *target, const nereid_layout_t *outer, nereid_layout_t *out);

/* A right inverse of a surjective layout, and the inverse of a bijective one: from a packed coordinate (in the register
 * slot) to [block, warp, lane, register]. False when not surjective. */
bool nereid_layout_invert(const nereid_layout_t *layout, nereid_layout_t *out);

/* `layout` = `tile` x quotient: true, and the quotient, if the low bits of every input equal those of `tile` and the
 * images of the others are multiples of it. */
bool nereid_layout_divide(const nereid_layout_t *layout, const nereid_layout_t *tile, nereid_layout_t *out_quotient);

/* --- transformations of the tensor dimensions --- */

/* Dimension i of the result is dimension order[i] of `layout`. */
void nereid_layout_transpose(const nereid_layout_t *layout, const int32_t *order, nereid_layout_t *out);

/* A row-major reshape in place: only the split of the packed coordinate changes. False when the totals differ. */
bool nereid_layout_reshape(nereid_layout_t *layout, int rank, const uint8_t *out_bits);

/* Drops dimension `d`: coordinates along it are projected out, which replicates elements. */
void nereid_layout_drop_dim(nereid_layout_t *layout, int d);

/* Removes register bits that only replicate elements of the thread. */
void nereid_layout_drop_register_copies(nereid_layout_t *layout);

/* One CTA's part: the block input shrinks to size 1; tensor dimensions keep their sizes. */
void nereid_layout_drop_blocks(nereid_layout_t *layout);

/* Whether the CTAs of a cluster select the same parts. If not, which register a thread reads depends on its CTA, also
 * where the CTA has the elements itself. */
bool nereid_layout_same_parts(const nereid_layout_t *a, const nereid_layout_t *b);

/* --- conversions --- */

/* Kinds of conversions of a distributed tensor between layouts, in order of cost. */
typedef enum nereid_layout_conversion {
  NEREID_LAYOUT_CONVERSION_NONE,     /* the same register of the same thread */
  NEREID_LAYOUT_CONVERSION_REGISTER, /* a register of the same thread, the same one in every thread: renaming */
  NEREID_LAYOUT_CONVERSION_SELECT,   /* a register of the same thread, dependent on lane or warp */
  NEREID_LAYOUT_CONVERSION_WARP,     /* another lane of the same warp: shuffles */
  NEREID_LAYOUT_CONVERSION_SHARED,   /* another warp of the same CTA: shared memory */
  NEREID_LAYOUT_CONVERSION_CLUSTER,  /* another CTA */
  NEREID_LAYOUT_CONVERSION_INVALID,  /* different tensors, or `from` lacks an element */
} nereid_layout_conversion_t;

/* The least expensive conversion of `from` to `to`. If `out_source` is not null and the result is not INVALID, it is
 * set to the map from (register, lane, warp, block) in `to` to dimensions [block, warp, lane, register] in `from`,
 * which prefers the reader's own block, warp and lane. */
nereid_layout_conversion_t nereid_layout_convert(const nereid_layout_t *from, const nereid_layout_t *to,
                                                 nereid_layout_t *out_source);

#endif
