/* Lowers TMA copies: ttng.async_tma_copy_global_to_local, _local_to_global, async_tma_reduce, async_tma_store_wait,
 * fence_async_shared.
 *
 *   ttng.async_tma_copy_global_to_local %d[%i, %j] %buffer, %bar, %pred
 *   ->
 *   if (thread == 0 && %pred)                                               one instruction per box
 *     cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes
 *         [%buffer + o], [%d, {%j + x, %i + y}], [%bar]
 *
 * The box that the host encodes into the tensor map (docs/abi.md) is the block, as the CTA layout of the descriptor's
 * encoding divides it, with each dimension limited to 256 and, if the buffer is swizzled, with rows of the swizzle's
 * width. The boxes of a #ttg.nvmma_shared buffer are consecutive, so that the offset of a box is that of its first
 * element. Coordinates count from the innermost dimension (PTX ISA, "cp.async.bulk.tensor"). A descriptor is the
 * address of its 128 bytes.
 *
 * In im2col mode the box is a row of channels for each pixel, and offsets follow the mbarrier.
 *
 * In a cluster each CTA copies its part of the tensor: the coordinates of the part are added. Of CTAs with the same
 * part all load it, and the first one stores it. With `multicast` the first one loads it to all, with
 * .multicast::cluster and the set of these CTAs; the bytes count at the mbarrier of each. With `divided` they load it
 * together: each copies consecutive boxes to all. */
#include "conversion/ttg_to_llvm/memory/tma.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/memory/shared.h"

#include "analysis/access/slot_layout.h"
#include "analysis/allocation/allocation.h"
#include "base/bits.h"
#include "base/target_facts.h"
#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/memdesc.h"
#include "dialects/ttg/tensor_types.h"
#include "dialects/ttng/descriptor_type.h"

#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "passes/support/residue.h"
#include "seam/ir.h"

#include <assert.h>

enum {
  MAX_BOX = 256,
  MAX_PIXELS = 1024, /* rows of a box in im2col mode (CUDA driver API, cuTensorMapEncodeIm2col) */
  MAX_RANK = 5,
  ROW_UNIT = 16,   /* bytes (PTX ISA, "Tensor dimension, size and format") */
  ALIGNMENT = 128, /* bytes, of a box in shared memory (PTX ISA, "cp.async.bulk.tensor") */
};

/* A copy between a box of a tensor in global memory and a buffer. */
typedef struct transfer {
  MlirOperation op;
  MlirValue descriptor, buffer;
  intptr_t rank;                   /* coordinates */
  MlirValue coordinates[MAX_RANK]; /* i32, outermost first */
  intptr_t n_offsets;              /* of im2col mode; 0: boxes of a tensor */
  MlirValue offsets[MAX_RANK];     /* i16, outermost first */
  nereid_ttg_memdesc_t memdesc;
  nereid_layout_t layout; /* layout of the buffer */
  int64_t part[MAX_RANK]; /* shape of the buffer in one CTA */
  int64_t box[MAX_RANK];  /* of one instruction, in elements of the buffer's dimensions */
  int64_t count;          /* instructions */
  MlirValue ctas;         /* i16, the CTAs that get the boxes; null: only this one */
  MlirValue shift;        /* i32, bytes from the buffer to the first box of this CTA; null: 0 */
} transfer_t;

/* The operands of an instruction as inline assembly. */
typedef struct operands {
  MlirValue values[2 * MAX_RANK + 4];
  intptr_t count;
  const char *constraints;
} operands_t;

bool nereid_lower_needs_tma(nereid_lower_t *lower, MlirOperation op) {
  return nereid_target_has_async_proxy(lower->module->options.capability) ||
         nereid_lower_error(op, "uses the tensor memory accelerator, which needs sm_90; the target is sm_%d",
                            (int)lower->module->options.capability);
}

/* Whether TMA can fill a buffer of this encoding: rows that follow the tensor's. */
static bool check_buffer(const transfer_t *transfer) {
  const nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  if (!nereid_ttg_nvmma_shared_attr_isa(memdesc->encoding) ||
      nereid_ttg_nvmma_shared_attr_get_transposed(memdesc->encoding) ||
      nereid_ttg_nvmma_shared_attr_get_fp4_padded(memdesc->encoding))
    return nereid_lower_error(transfer->op,
                              "has a buffer of encoding %s, expected #ttg.nvmma_shared, neither transposed "
                              "nor padded",
                              nereid_text_of_attribute(memdesc->encoding).chars);
  return true;
}

/* Whether the rows of a box are multiples of 16 bytes that the encoding can swizzle: it swizzles rows of
 * swizzlingByteWidth * 8 / elementBitWidth elements, TMA rows of swizzlingByteWidth bytes. */
static bool check_rows(const transfer_t *transfer) {
  const nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  assert(memdesc->rank > 0);
  const int64_t swizzle = nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(memdesc->encoding);
  const int64_t bits = nereid_lower_memory_bits(memdesc->element);
  const int64_t bytes = transfer->part[memdesc->rank - 1] * (bits / 8);
  if (swizzle && nereid_ttg_nvmma_shared_attr_get_element_bit_width(memdesc->encoding) != bits)
    return nereid_lower_error(transfer->op,
                              "has a buffer of %lld-bit elements whose encoding swizzles elements of %u bits: expected "
                              "elementBitWidth = %lld",
                              (long long)bits,
                              (unsigned)nereid_ttg_nvmma_shared_attr_get_element_bit_width(memdesc->encoding),
                              (long long)bits);
  if (bytes < ROW_UNIT)
    return nereid_lower_error(
        transfer->op, "copies rows of %lld bytes, expected a multiple of %d: TMA copies whole units of %d bytes",
        (long long)bytes, (int)ROW_UNIT, (int)ROW_UNIT);
  return bytes >= swizzle ||
         nereid_lower_error(transfer->op,
                            "copies rows of %lld bytes to a buffer whose encoding swizzles rows of %lld: expected a "
                            "swizzlingByteWidth of %lld at most",
                            (long long)bytes, (long long)swizzle, bytes < 2 * ROW_UNIT ? 0LL : (long long)bytes);
}

/* Whether constant coordinates are those of a box that a GPU accepts: the innermost one a multiple of 16 bytes, and the
 * begin of a store inside the tensor. Others are an illegal instruction on an H200. */
static bool check_coordinate(const transfer_t *transfer, intptr_t i, MlirValue coordinate) {
  MlirAttribute constant = nereidMlirValueGetConstant(coordinate);
  if (mlirAttributeIsNull(constant) || !mlirAttributeIsAInteger(constant))
    return true;
  const int64_t value = mlirIntegerAttrGetValueInt(constant);
  const int64_t bytes = value * (nereid_lower_memory_bits(transfer->memdesc.element) / 8);
  if (i + 1 == transfer->rank && bytes % ROW_UNIT != 0)
    return nereid_lower_error(transfer->op,
                              "begins at element %lld of a row, expected a multiple of %d bytes, as TMA requires",
                              (long long)value, (int)ROW_UNIT);
  if (value < 0 && nereid_op_kind(transfer->op) != NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL)
    return nereid_lower_error(transfer->op,
                              "begins at %lld in dimension %ld, expected a store to begin inside the tensor, as TMA "
                              "requires",
                              (long long)value, (long)i);
  return true;
}

/* The extent of dimension `d` of the buffer in the boxes of the descriptor, before the limits of TMA. */
static int64_t box_extent(const transfer_t *transfer, int d) {
  MlirType block = nereid_ttng_descriptor_block(mlirValueGetType(transfer->descriptor));
  int64_t shape[NEREID_TTG_MAX_RANK];
  if (mlirTypeIsNull(block))
    return transfer->part[d];
  const int rank = (int)mlirShapedTypeGetRank(block), at = rank - transfer->memdesc.rank + d;
  if (rank > NEREID_TTG_MAX_RANK || at < 0 || at >= rank)
    return transfer->part[d];
  nereid_ttg_part_of_tensor(block, rank, shape);
  return shape[at];
}

static bool find_box(transfer_t *transfer) {
  const nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  const int64_t swizzle = nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(memdesc->encoding);
  const int64_t bits = nereid_ttg_nvmma_shared_attr_get_element_bit_width(memdesc->encoding);
  transfer->count = 1;
  for (int d = 0; d < memdesc->rank; ++d) {
    const int64_t extent = box_extent(transfer, d);
    const int64_t most = transfer->n_offsets && d == 0 ? MAX_PIXELS : MAX_BOX;
    transfer->box[d] = extent < most ? extent : most;
    if (d + 1 == memdesc->rank && swizzle)
      transfer->box[d] = 8 * swizzle / bits;
    if (transfer->box[d] < 1 || transfer->box[d] > transfer->part[d])
      return nereid_lower_error(transfer->op,
                                "copies boxes of %lld in dimension %d to a part of %lld in each CTA: expected a "
                                "CGALayout of the descriptor that divides its block at least as much",
                                (long long)transfer->box[d], d, (long long)transfer->part[d]);
    transfer->count *= transfer->part[d] / transfer->box[d];
  }
  return true;
}

/* Whether a slot of a ring begins at a multiple of 128 bytes: all do, or the index selects such slots only. */
static bool check_slot(const transfer_t *transfer, MlirOperation view) {
  const int64_t bytes = nereid_allocation_bytes(mlirValueGetType(mlirOperationGetResult(view, 0)));
  int64_t residue;
  if (bytes < 1 || bytes % ALIGNMENT == 0)
    return true;
  if (nereid_residue_of(nereid_ttg_memdesc_index_get_index(view), ALIGNMENT / bytes, &residue) && residue == 0)
    return true;
  return nereid_lower_error(transfer->op,
                            "copies a slot of %lld bytes, expected one that begins at a multiple of %d bytes: a ring "
                            "of larger slots, or an index that is a multiple of %lld",
                            (long long)bytes, (int)ALIGNMENT, (long long)(ALIGNMENT / bytes));
}

/* Whether each box begins at a multiple of 128 bytes. */
static bool check_alignment(const transfer_t *transfer) {
  int64_t bytes = nereid_lower_memory_bits(transfer->memdesc.element) / 8;
  for (int d = 0; d < transfer->memdesc.rank; ++d)
    bytes *= transfer->box[d];
  if (transfer->count > 1 && bytes % ALIGNMENT)
    return nereid_lower_error(transfer->op,
                              "copies several boxes of %lld bytes, expected a multiple of %d bytes: a CGALayout of the "
                              "descriptor that divides its block less",
                              (long long)bytes, (int)ALIGNMENT);
  for (MlirOperation op = nereid_defining_op(transfer->buffer);
       !mlirOperationIsNull(op) && nereid_ttg_is_memdesc_view(op);
       op = nereid_defining_op(mlirOperationGetOperand(op, 0)))
    if (nereid_op_kind(op) == NEREID_OP_TTG_MEMDESC_INDEX && !check_slot(transfer, op))
      return false;
  return true;
}

/* The slot of the element `step` after the first of a box in dimension `d`, relative to the first, as TMA places it:
 * rows are dense, and their 16-byte units are permuted by the three address bits from 7 on. */
static int64_t box_slot(const transfer_t *transfer, int d, int64_t step) {
  const nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  const int64_t swizzle = nereid_ttg_nvmma_shared_attr_get_swizzling_byte_width(memdesc->encoding);
  const int64_t bytes = nereid_lower_memory_bits(memdesc->element) / 8;
  int64_t address = step * bytes;
  for (int inner = d + 1; inner < memdesc->rank; ++inner)
    address *= transfer->box[inner];
  if (swizzle)
    address ^= address >> 3 & (swizzle - ROW_UNIT);
  return address / bytes;
}

/* Whether the boxes of a part of a buffer are boxes in shared memory: the part keeps the order of the whole buffer, so
 * that its rows are dense only if it has whole rows. It begins at a multiple of 128 bytes, beyond a swizzle pattern. */
static bool check_part(const transfer_t *transfer) {
  const nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  uint32_t start;
  if (!nereid_slot_is_part(memdesc) && !transfer->n_offsets)
    return true;
  for (int d = 0; d < memdesc->rank; ++d)
    for (int64_t step = 1; step < transfer->box[d]; step *= 2) {
      int32_t at[NEREID_LAYOUT_MAX_RANK] = {0};
      uint32_t slot = 0;
      at[d] = (int32_t)step;
      if (nereid_slot_order_offset(memdesc, at, &slot) && (int64_t)slot == box_slot(transfer, d, step))
        continue;
      return nereid_lower_error(transfer->op,
                                "uses a subview that is not dense in shared memory: indices %lld apart in dimension %d "
                                "are %u elements apart, and %lld in a box of TMA; expected a subview of whole rows",
                                (long long)step, d, slot, (long long)box_slot(transfer, d, step));
    }
  if (!nereid_slot_start(transfer->buffer, &start))
    start = nereid_slot_start_bits(memdesc);
  const int64_t bytes = (int64_t)start * (nereid_lower_memory_bits(memdesc->element) / 8);
  return bytes % ALIGNMENT == 0 ||
         nereid_lower_error(transfer->op,
                            "uses a subview that begins at byte %lld of the buffer, expected a multiple of %d bytes",
                            (long long)bytes, (int)ALIGNMENT);
}

/* In im2col mode, one box has all pixels: those of another box would begin where the box of pixels of an image ends. */
static bool check_pixels(const transfer_t *transfer) {
  return !transfer->n_offsets || transfer->box[0] == transfer->memdesc.shape[0] ||
         nereid_lower_error(transfer->op,
                            "copies %lld pixels in boxes of %lld: expected at most %d, which the CTAs of a cluster do "
                            "not divide",
                            (long long)transfer->memdesc.shape[0], (long long)transfer->box[0], (int)MAX_PIXELS);
}

static bool begin(nereid_lower_t *lower, transfer_t *transfer, MlirValue (*coordinate)(MlirOperation op, intptr_t i)) {
  nereid_ttg_memdesc_t *memdesc = &transfer->memdesc;
  *memdesc = nereid_ttg_memdesc_of(transfer->buffer);
  if (!nereid_lower_needs_tma(lower, transfer->op) || !check_buffer(transfer))
    return false;
  nereid_ttg_shape_per_cta(memdesc->encoding, memdesc->rank, memdesc->shape, transfer->part);
  if (!check_rows(transfer))
    return false;
  if (!nereid_slot_order_of_buffer(memdesc, memdesc->rank, &transfer->layout))
    return nereid_lower_error(transfer->op, "has a buffer that its encoding does not fit: %s",
                              nereid_text_of_type(mlirValueGetType(transfer->buffer)).chars);
  const intptr_t dropped = transfer->rank - memdesc->rank;
  for (intptr_t i = 0; i < transfer->rank; ++i) {
    if (!check_coordinate(transfer, i, coordinate(transfer->op, i)))
      return false;
    MlirValue value = nereid_lower_get(lower, coordinate(transfer->op, i)).values[0], part = {NULL};
    if (i >= dropped)
      part = nereid_lower_add_cta_coordinate(lower, &transfer->layout, (int)(i - dropped), part);
    transfer->coordinates[i] = mlirValueIsNull(part) ? value : nereid_emit_add(lower, value, part);
  }
  return find_box(transfer) && check_pixels(transfer) && check_alignment(transfer) && check_part(transfer);
}

/* The first element of box `number`, the last dimension fastest, in coordinates of the buffer. */
static void first_of_box(const transfer_t *transfer, int64_t number, int32_t *out) {
  for (int d = transfer->memdesc.rank; d-- > 0;) {
    assert(transfer->box[d] > 0); /* find_box has checked it */
    const int64_t boxes = transfer->part[d] / transfer->box[d];
    out[d] = (int32_t)(number % boxes * transfer->box[d]);
    number /= boxes;
  }
}

/* Appends `n` operands, the last one first, to the list "$2, $3" and the constraints. */
static bool append_list(nereid_lower_t *lower, intptr_t n, const MlirValue *values, char constraint, operands_t *out,
                        const char **out_list) {
  const char *list = "";
  for (intptr_t i = n; list && i-- > 0;) {
    list = nereid_arena_format(lower->arena, "%s%s$%d", list, *list ? ", " : "", (int)out->count);
    out->constraints = nereid_arena_format(lower->arena, "%s,%c", out->constraints, constraint);
    out->values[out->count++] = values[i];
    if (!out->constraints)
      return false;
  }
  *out_list = list;
  return list != NULL;
}

/* Emits "HEAD [$0], [$1, {coordinates}], [mbarrier], {offsets}, CTAs" or, for stores, "HEAD [$1, {coordinates}], [$0]".
 */
static bool emit_box(nereid_lower_t *lower, const transfer_t *transfer, const char *head, MlirValue map,
                     MlirValue barrier, int64_t number) {
  int32_t first[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t slot;
  first_of_box(transfer, number, first);
  if (!nereid_slot_order_offset(&transfer->memdesc, first, &slot))
    return nereid_lower_error(transfer->op, "has a buffer that its encoding does not fit: %s",
                              nereid_text_of_type(mlirValueGetType(transfer->buffer)).chars);
  const int64_t bytes = (int64_t)slot * (nereid_lower_memory_bits(transfer->memdesc.element) / 8);
  MlirValue base = nereid_shared_base(lower, transfer->buffer);
  if (!mlirValueIsNull(transfer->shift))
    base = nereid_emit_gep(lower, base, lower->types->i8, transfer->shift);
  operands_t operands = {{nereid_emit_offset(lower, base, bytes), map}, 2, "r,l"};
  MlirValue coordinates[MAX_RANK];
  const intptr_t dropped = transfer->rank - transfer->memdesc.rank;
  for (intptr_t d = transfer->rank; d-- > 0;) {
    const int32_t step = d >= dropped ? first[d - dropped] : 0;
    coordinates[d] = transfer->coordinates[d];
    if (step)
      coordinates[d] = nereid_emit_add(lower, coordinates[d], nereid_emit_i32(lower, step));
  }
  const char *list = NULL, *text = NULL, *at = NULL;
  if (!append_list(lower, transfer->rank, coordinates, 'r', &operands, &list))
    return false;
  if (mlirValueIsNull(barrier)) {
    text = nereid_arena_format(lower->arena, "%s [$1, {%s}], [$0];", head, list);
  } else {
    text = nereid_arena_format(lower->arena, "%s [$0], [$1, {%s}]", head, list);
    if (!text || !append_list(lower, 1, &barrier, 'r', &operands, &at))
      return false;
    text = nereid_arena_format(lower->arena, "%s, [%s]", text, at);
    if (!text || !append_list(lower, transfer->n_offsets, transfer->offsets, 'h', &operands, &list))
      return false;
    text = *list ? nereid_arena_format(lower->arena, "%s, {%s}", text, list) : text;
    if (!text || !append_list(lower, !mlirValueIsNull(transfer->ctas), &transfer->ctas, 'h', &operands, &at))
      return false;
    text = nereid_arena_format(lower->arena, "%s%s%s;", text, *at ? ", " : "", at);
  }
  const char *constraints = nereid_arena_format(lower->arena, "%s,~{memory}", operands.constraints);
  if (text && constraints)
    nereid_emit_asm(lower, text, constraints, true, 0, NULL, operands.count, operands.values, NULL);
  return text && constraints;
}

static MlirValue first_thread(nereid_lower_t *lower) {
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, lower->group->thread_id, nereid_emit_i32(lower, 0));
}

/* The bits of the CTA's number that select nothing of the buffer: CTAs that only differ in them have the same part. */
static uint32_t copies_of_part(const nereid_lower_t *lower, const transfer_t *transfer) {
  uint32_t masks[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(&transfer->layout, masks);
  const uint32_t divided = (UINT32_C(1) << transfer->layout.in_bits[NEREID_LAYOUT_BLOCK]) - 1;
  return masks[NEREID_LAYOUT_BLOCK] | ((uint32_t)(lower->group->grid.num_ctas - 1) & ~divided);
}

/* Whether the executing CTA is the first of those with its part; null when all parts differ. */
static MlirValue first_cta(nereid_lower_t *lower, const transfer_t *transfer) {
  const uint32_t copies = copies_of_part(lower, transfer);
  if (!copies)
    return (MlirValue){NULL};
  MlirValue rank = nereid_emit_cta_rank(lower);
  return nereid_emit_icmp(lower, NEREID_ICMP_EQ, nereid_emit_and(lower, rank, nereid_emit_i32(lower, (int32_t)copies)),
                          nereid_emit_i32(lower, 0));
}

/* One thread copies all boxes, if `predicate` (null: always) holds. */
static bool emit_boxes(nereid_lower_t *lower, const transfer_t *transfer, const char *head, MlirValue barrier,
                       MlirValue predicate) {
  MlirBlock rest = nereid_lower_begin_if(lower, nereid_lower_both(lower, first_thread(lower), predicate));
  MlirValue map = nereid_lower_get(lower, transfer->descriptor).values[0];
  bool good = head != NULL;
  for (int64_t i = 0; good && i < transfer->count; ++i)
    good = emit_box(lower, transfer, head, map, barrier, i);
  if (good && mlirValueIsNull(barrier))
    nereid_emit_asm(lower, "cp.async.bulk.commit_group;", "~{memory}", true, 0, NULL, 0, NULL, NULL);
  nereid_lower_end_if(lower, rest);
  return good;
}

/* --- multicast --- */

/* Bit `bit` of the CTA's number, times `factor`, an i32. */
static MlirValue emit_rank_bit(nereid_lower_t *lower, MlirValue rank, int bit, int64_t factor) {
  MlirValue one =
      nereid_emit_and(lower, nereid_emit_lshr(lower, rank, nereid_emit_i32(lower, bit)), nereid_emit_i32(lower, 1));
  return nereid_emit_mul(lower, one, nereid_emit_i32(lower, (int32_t)factor));
}

/* Moves the first box by `number` boxes in CTAs with bit `bit` of their number. */
static bool move_first_box(nereid_lower_t *lower, transfer_t *transfer, MlirValue rank, int bit, int64_t number) {
  int32_t first[NEREID_LAYOUT_MAX_RANK] = {0};
  uint32_t slot;
  const intptr_t dropped = transfer->rank - transfer->memdesc.rank;
  first_of_box(transfer, number, first);
  if (!nereid_slot_order_offset(&transfer->memdesc, first, &slot))
    return false;
  for (intptr_t d = dropped; d < transfer->rank; ++d)
    if (first[d - dropped])
      transfer->coordinates[d] =
          nereid_emit_add(lower, transfer->coordinates[d], emit_rank_bit(lower, rank, bit, first[d - dropped]));
  MlirValue bytes =
      emit_rank_bit(lower, rank, bit, (int64_t)slot * (nereid_lower_memory_bits(transfer->memdesc.element) / 8));
  transfer->shift = mlirValueIsNull(transfer->shift) ? bytes : nereid_emit_add(lower, transfer->shift, bytes);
  return true;
}

/* The CTAs with the part of the executing one, as the operand of .multicast::cluster: a constant set, moved to the
 * first of them. */
static MlirValue emit_ctas(nereid_lower_t *lower, MlirValue rank, uint32_t copies) {
  int32_t set = 0;
  for (uint32_t x = 0; x < (uint32_t)lower->group->grid.num_ctas; ++x)
    set |= (x & ~copies) == 0 ? INT32_C(1) << x : 0;
  MlirValue first = nereid_emit_and(lower, rank, nereid_emit_i32(lower, (int32_t)~copies));
  return nereid_emit_cast(lower, "llvm.trunc", lower->types->i16,
                          nereid_emit_shl(lower, nereid_emit_i32(lower, set), first));
}

/* Distributes the boxes over the 2^n CTAs with the same part: each copies 2^-n of them. Bit k of a CTA's number among
 * them is the k-th bit of `copies`. */
static bool divide_boxes(nereid_lower_t *lower, transfer_t *transfer, MlirValue rank, uint32_t copies) {
  const int64_t sharers = INT64_C(1) << nereid_bit_count(copies);
  if (transfer->count < sharers)
    return nereid_lower_error(transfer->op,
                              "divides %lld CTAs' copy of %lld boxes among them: expected a CGALayout of the "
                              "descriptor with a box for each CTA, or a copy that is not divided",
                              (long long)sharers, (long long)transfer->count);
  transfer->count /= sharers;
  int64_t step = transfer->count;
  for (int bit = 0; copies >> bit; ++bit) {
    if (!(copies >> bit & 1))
      continue;
    if (!move_first_box(lower, transfer, rank, bit, step))
      return nereid_lower_error(transfer->op, "has a buffer that its encoding does not fit: %s",
                                nereid_text_of_type(mlirValueGetType(transfer->buffer)).chars);
    step *= 2;
  }
  return true;
}

/* Makes the CTAs with the same part targets of the copy; `issues`, unless null, is whether the executing one copies. */
static bool share_boxes(nereid_lower_t *lower, transfer_t *transfer, MlirValue *issues) {
  const uint32_t copies = copies_of_part(lower, transfer);
  if (!copies)
    return true;
  MlirValue rank = nereid_emit_cta_rank(lower);
  if (!nereid_ttng_async_tma_copy_global_to_local_get_divided(transfer->op))
    *issues = first_cta(lower, transfer);
  else if (!divide_boxes(lower, transfer, rank, copies))
    return false;
  transfer->ctas = emit_ctas(lower, rank, copies);
  return true;
}

static bool lower_copy_in(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  transfer_t transfer = {.op = op,
                         .descriptor = nereid_ttng_async_tma_copy_global_to_local_get_desc(op),
                         .buffer = nereid_ttng_async_tma_copy_global_to_local_get_result(op),
                         .rank = nereid_ttng_copy_rank(op)};
  const intptr_t n = nereid_ttng_async_tma_copy_global_to_local_get_coord_count(op);
  for (intptr_t i = transfer.rank; i < n; ++i)
    transfer.offsets[transfer.n_offsets++] =
        nereid_lower_get(lower, nereid_ttng_async_tma_copy_global_to_local_get_coord(op, i)).values[0];
  if (!begin(lower, &transfer, nereid_ttng_async_tma_copy_global_to_local_get_coord))
    return false;
  MlirValue predicate = nereid_lower_get(lower, nereid_ttng_async_tma_copy_global_to_local_get_pred(op)).values[0];
  MlirValue issues = {NULL};
  if (nereid_ttng_async_tma_copy_global_to_local_get_multicast(op) && !share_boxes(lower, &transfer, &issues))
    return false;
  const char *head = nereid_arena_format(
      lower->arena, "cp.async.bulk.tensor.%dd.shared::cluster.global%s.mbarrier::complete_tx::bytes%s",
      (int)transfer.rank, transfer.n_offsets ? ".im2col" : "",
      mlirValueIsNull(transfer.ctas) ? "" : ".multicast::cluster");
  return emit_boxes(lower, &transfer, head,
                    nereid_shared_base(lower, nereid_ttng_async_tma_copy_global_to_local_get_barrier(op)),
                    nereid_lower_both(lower, predicate, issues));
}

static bool lower_copy_out(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  transfer_t transfer = {.op = op,
                         .descriptor = nereid_ttng_async_tma_copy_local_to_global_get_desc(op),
                         .buffer = nereid_ttng_async_tma_copy_local_to_global_get_src(op),
                         .rank = nereid_ttng_async_tma_copy_local_to_global_get_coord_count(op)};
  if (!begin(lower, &transfer, nereid_ttng_async_tma_copy_local_to_global_get_coord))
    return false;
  const char *head =
      nereid_arena_format(lower->arena, "cp.async.bulk.tensor.%dd.global.shared::cta.bulk_group", (int)transfer.rank);
  return emit_boxes(lower, &transfer, head, (MlirValue){NULL}, first_cta(lower, &transfer));
}

static const char *reduction_of(nereid_tt_descriptor_reduce_kind_t kind) {
  switch (kind) {
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_ADD:
    return "add";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MIN:
    return "min";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_MAX:
    return "max";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_INC:
    return "inc";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_DEC:
    return "dec";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_AND:
    return "and";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_OR:
    return "or";
  case NEREID_TT_DESCRIPTOR_REDUCE_KIND_XOR:
    return "xor";
  default:
    return NULL;
  }
}

static bool lower_reduce_out(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const char *reduction = reduction_of(nereid_ttng_async_tma_reduce_get_kind(op));
  transfer_t transfer = {.op = op,
                         .descriptor = nereid_ttng_async_tma_reduce_get_desc(op),
                         .buffer = nereid_ttng_async_tma_reduce_get_src(op),
                         .rank = nereid_ttng_async_tma_reduce_get_coord_count(op)};
  if (!reduction)
    return nereid_lower_error(op, "has a reduction that TMA does not have");
  if (!begin(lower, &transfer, nereid_ttng_async_tma_reduce_get_coord))
    return false;
  const char *head = nereid_arena_format(
      lower->arena, "cp.reduce.async.bulk.tensor.%dd.global.shared::cta.%s.bulk_group", (int)transfer.rank, reduction);
  return emit_boxes(lower, &transfer, head, (MlirValue){NULL}, first_cta(lower, &transfer));
}

/* Only the thread that issued the stores has groups. All threads wait for reads, as no branch is required. */
static bool lower_store_wait(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  const bool writes = nereid_ttng_async_tma_store_wait_get_writes(op);
  const char *text = nereid_arena_format(lower->arena, "cp.async.bulk.wait_group%s %d;", writes ? "" : ".read",
                                         (int)nereid_ttng_async_tma_store_wait_get_pendings(op));
  MlirBlock rest = {NULL};
  if (!nereid_lower_needs_tma(lower, op) || !text)
    return false;
  if (writes)
    rest = nereid_lower_begin_if(lower, first_thread(lower));
  nereid_emit_asm(lower, text, "~{memory}", true, 0, NULL, 0, NULL, NULL);
  if (writes)
    nereid_lower_end_if(lower, rest);
  return true;
}

static bool lower_fence(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!nereid_lower_needs_tma(lower, op))
    return false;
  const char *text = nereid_ttng_fence_async_shared_get_global_memory(op) ? "fence.proxy.async.global;"
                     : nereid_ttng_fence_async_shared_get_b_cluster(op)   ? "fence.proxy.async.shared::cluster;"
                                                                          : "fence.proxy.async.shared::cta;";
  nereid_emit_asm(lower, text, "~{memory}", true, 0, NULL, 0, NULL, NULL);
  return true;
}

const nereid_lower_row_t nereid_lower_tma_rows[] = {
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL, lower_copy_in, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_COPY_LOCAL_TO_GLOBAL, lower_copy_out, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_REDUCE, lower_reduce_out, NULL},
    {NEREID_OP_TTNG_ASYNC_TMA_STORE_WAIT, lower_store_wait, NULL},
    {NEREID_OP_TTNG_FENCE_ASYNC_SHARED, lower_fence, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
