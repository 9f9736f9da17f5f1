/* The positions of the elements of a tensor in a buffer.
 *
 *   tensor<64x32xf16, #blocked> in !ttg.memdesc<64x32xf16, #shared, ...>
 *   (register, lane, warp) -> slot of the element: its distance, in elements, from the start of the buffer or view */
#ifndef NEREID_ANALYSIS_SLOT_LAYOUT_H
#define NEREID_ANALYSIS_SLOT_LAYOUT_H

#include "dialects/ttg/memdesc.h"
#include "layout/encoding.h"

typedef enum nereid_slots_found {
  NEREID_SLOTS_FOUND,
  NEREID_SLOTS_NOT_LINEAR, /* the buffer's encoding is not a linear layout */
  NEREID_SLOTS_NOT_WHOLE,  /* the buffer does not hold the whole tensor */
  NEREID_SLOTS_CLUSTER,    /* elements move between the CTAs of a cluster */
} nereid_slots_found_t;

/* The layout of `rank` trailing dimensions of the buffer that `memdesc` is a view of; false when it is not linear. */
bool nereid_slot_layout_of_buffer(const nereid_ttg_memdesc_t *memdesc, int rank, nereid_layout_t *out);

/* The slots of a tensor of layout `tensor` in `memdesc`: a layout of one dimension. */
nereid_slots_found_t nereid_slot_layout(const nereid_layout_t *tensor, const nereid_ttg_memdesc_t *memdesc,
                                        nereid_layout_t *out);

/* The distance, in elements, from the start of `memdesc` to that of its view at `coordinates`; false when the encoding
 * does not determine it. */
bool nereid_slot_layout_offset(const nereid_ttg_memdesc_t *memdesc, const int32_t *coordinates, uint32_t *out);

/* The same three for all encodings including padded ones, whose slots are numbered without the gaps:
 * nereid_layout_padded_offset adds the gaps. */
bool nereid_slot_order_of_buffer(const nereid_ttg_memdesc_t *memdesc, int rank, nereid_layout_t *out);
nereid_slots_found_t nereid_slot_order(const nereid_layout_t *tensor, const nereid_ttg_memdesc_t *memdesc,
                                       nereid_layout_t *out);
bool nereid_slot_order_offset(const nereid_ttg_memdesc_t *memdesc, const int32_t *coordinates, uint32_t *out);

/* Views of parts. A part keeps the slots of the buffer, of which swizzles permute bits: where the offset of the part
 * and the slots of its elements share bits, the slot of an element is their xor, not their sum.
 *
 *   #swizzled<{vec = 8, perPhase = 2, maxPhase = 4}>, [0, 16] of 128x32 -> 128x16:
 *   slot(r, c) = 16 xor (32 r + (c xor 8 ((r / 2) mod 4))) */

/* Whether `memdesc` is a part of its buffer, or of a stage of it. */
bool nereid_slot_is_part(const nereid_ttg_memdesc_t *memdesc);

/* The bits of slots in which the first element of a view of this type may differ from that of the buffer. */
uint32_t nereid_slot_start_bits(const nereid_ttg_memdesc_t *memdesc);

/* Gets the slot of the first element of view `buffer`, in the buffer or stage; false where it depends on control
 * flow. */
bool nereid_slot_start(MlirValue buffer, uint32_t *out);

/* The bits of slots that swizzles permute: those in which several bits of coordinates meet. */
uint32_t nereid_slot_swizzled_bits(const nereid_ttg_memdesc_t *memdesc);

/* The slots of one `stage` of `source`, the result of a ttg.memdesc_index. Uses the source's encoding if it has the
 * stage's rank, otherwise (an encoding that orders all dimensions of the source) the stage's own encoding, as in
 * Triton. Stages are contiguous. False when neither is linear. */
bool nereid_slot_order_of_stage(const nereid_ttg_memdesc_t *source, const nereid_ttg_memdesc_t *stage,
                                nereid_layout_t *out);

#endif
