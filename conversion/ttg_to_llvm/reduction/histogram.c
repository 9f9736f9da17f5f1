/* Lowers tt.histogram to counters in shared memory.
 *
 *   %h = tt.histogram %x, %m : tensor<1024xi32> -> tensor<64xi32>
 *   ->
 *   st.shared [scratch + 4 * bin], 0                     each bin and the additional one; barrier
 *   red.shared.add [scratch + 4 * min(%m ? x : 64, 64)], 1
 *   barrier; ld.shared                                   the bins that the thread holds
 *
 * Masked-off elements and values out of range are counted in an additional bin, so the adds need no predicate. It is
 * cleared, too, so that no add reads bytes that another buffer had before. The hardware combines additions of a
 * constant to equal bins within a warp. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/memory.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "nereid/dialects/tt.h"

enum { COUNTER_BYTES = 4 };

/* Runs the stores only in one of the threads that hold the same bins. */
static void clear_bins(nereid_lower_t *lower, MlirType result, const nereid_slots_t *bins, intptr_t count) {
  MlirValue *zeros = nereid_arena_new(lower->arena, MlirValue, (size_t)count);
  MlirValue unique = nereid_lower_unique_thread_of_cta(lower, result);
  MlirBlock rest = {NULL};
  for (intptr_t r = 0; zeros && r < count; ++r)
    zeros[r] = nereid_emit_i32(lower, 0);
  if (!mlirValueIsNull(unique))
    rest = nereid_lower_begin_if(lower, unique);
  if (zeros)
    nereid_slots_store(lower, bins, zeros);
  if (!mlirBlockIsNull(rest))
    nereid_lower_end_if(lower, rest);
}

/* Clears the additional bin in the first thread. */
static void clear_additional_bin(nereid_lower_t *lower, MlirValue scratch, int32_t bins) {
  MlirValue operands[] = {nereid_emit_offset(lower, scratch, (int64_t)bins * COUNTER_BYTES), nereid_emit_i32(lower, 0),
                          nereid_emit_icmp(lower, NEREID_ICMP_EQ, lower->group->thread_id, nereid_emit_i32(lower, 0))};
  nereid_emit_asm(lower, "@$2 st.shared.b32 [$0], $1;", "r,r,b", true, 0, NULL, 3, operands, NULL);
}

/* The i32 number of the bin that counts an element. */
static MlirValue bin_of(nereid_lower_t *lower, MlirValue element, MlirValue mask, int32_t bins) {
  MlirType type = mlirValueGetType(element);
  if (mlirIntegerTypeGetWidth(type) < 32)
    element = nereid_emit_cast(lower, "llvm.zext", lower->types->i32, element);
  type = mlirValueGetType(element);
  MlirValue last = nereid_emit_int(lower, type, bins);
  element = nereid_emit_binary(lower, "llvm.intr.umin", element, last);
  if (!mlirTypeEqual(type, lower->types->i32))
    element = nereid_emit_cast(lower, "llvm.trunc", lower->types->i32, element);
  return mlirValueIsNull(mask) ? element : nereid_emit_select(lower, mask, element, nereid_emit_i32(lower, bins));
}

static void count_elements(nereid_lower_t *lower, MlirOperation op, MlirValue scratch, int32_t bins) {
  MlirValue source = nereid_tt_histogram_get_src(op), mask = nereid_tt_histogram_get_mask(op);
  MlirType type = mlirValueGetType(source);
  nereid_lowered_t elements = nereid_lower_get(lower, source), masks = {0};
  uint32_t copies[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(nereid_lower_layout(lower, type), copies);
  if (!mlirValueIsNull(mask))
    masks = nereid_lower_get(lower, mask);
  MlirValue unique = nereid_lower_unique_thread_of_cta(lower, type);
  for (intptr_t r = 0; r < elements.count; ++r) {
    if ((uint32_t)r & copies[NEREID_LAYOUT_REGISTER])
      continue;
    MlirValue counts = masks.count ? masks.values[masks.count == 1 ? 0 : r] : (MlirValue){NULL};
    counts = nereid_lower_both(lower, unique, counts);
    MlirValue operands[] = {
        nereid_emit_gep(lower, scratch, lower->types->i32, bin_of(lower, elements.values[r], counts, bins)),
        nereid_emit_i32(lower, 1)};
    nereid_emit_asm(lower, "red.shared.add.u32 [$0], $1;", "r,n", true, 0, NULL, 2, operands, NULL);
  }
}

static MlirValue resize(nereid_lower_t *lower, MlirType to, MlirValue count) {
  const unsigned width = mlirIntegerTypeGetWidth(to);
  if (width == 32)
    return count;
  return nereid_emit_cast(lower, width > 32 ? "llvm.zext" : "llvm.trunc", to, count);
}

static bool lower_histogram(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue result = nereid_tt_histogram_get_result(op);
  MlirType type = mlirValueGetType(result), element = nereid_lower_type(lower, type);
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  MlirValue scratch = nereid_slots_scratch(lower, op);
  const nereid_layout_t *source = nereid_lower_layout(lower, mlirValueGetType(nereid_tt_histogram_get_src(op)));
  if (!layout || !source || mlirValueIsNull(scratch))
    return false;
  if (nereid_layout_span(layout, NEREID_LAYOUT_BLOCK) || nereid_layout_span(source, NEREID_LAYOUT_BLOCK))
    return nereid_lower_error(op, "counts elements of several CTAs of a cluster, which is not supported");
  const nereid_slots_t bins = nereid_slots_make(lower, layout, lower->types->i32, scratch);
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(layout));
  if (!lowered.values)
    return false;
  const int32_t count = (int32_t)mlirShapedTypeGetDimSize(type, 0);
  clear_bins(lower, type, &bins, lowered.count);
  clear_additional_bin(lower, scratch, count);
  nereid_emit_barrier(lower);
  count_elements(lower, op, scratch, count);
  nereid_emit_barrier(lower);
  nereid_slots_load(lower, &bins, lowered.values);
  for (intptr_t r = 0; r < lowered.count; ++r)
    lowered.values[r] = resize(lower, element, lowered.values[r]);
  nereid_lower_set(lower, result, lowered);
  return true;
}

const nereid_lower_row_t nereid_lower_histogram_rows[] = {
    {NEREID_OP_TT_HISTOGRAM, lower_histogram, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
