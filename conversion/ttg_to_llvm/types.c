/* Types and layouts of the conversion: scalars to LLVM types, tensors to registers and coordinates. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/lower.h"

#include "base/float.h"
#include "dialects/diagnose.h"
#include "layout/encoding.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

MlirType nereid_lower_element_type(MlirType type) {
  return mlirTypeIsAShaped(type) ? mlirShapedTypeGetElementType(type) : type;
}

bool nereid_lower_is_descriptor_type(MlirType type) {
  return nereid_tt_tensordesc_type_isa(type);
}

static bool is_fp8(MlirType type) {
  return mlirTypeIsAFloat8E4M3FN(type) || mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E4M3FNUZ(type) ||
         mlirTypeIsAFloat8E5M2FNUZ(type) || mlirTypeIsAFloat8E4M3B11FNUZ(type);
}

/* Widths that registers and memory have; an i4 takes the room of an i8. */
static bool is_integer_width(unsigned width) {
  return width > 0 && width <= 64 && (width & (width - 1)) == 0;
}

MlirType nereid_lower_type(nereid_lower_t *lower, MlirType type) {
  if (nereid_ttg_memdesc_type_isa(type))
    return lower->types.ptr_shared;
  if (nereid_ttg_async_token_type_isa(type))
    return lower->types.i32; /* nothing: order is in the instructions */
  if (mlirTypeIsAShaped(type) && !mlirTypeIsARankedTensor(type))
    return (MlirType){NULL};
  type = nereid_lower_element_type(type);
  if (nereid_tt_ptr_type_isa(type))
    return mlirLLVMPointerTypeGet(lower->context, (unsigned)nereid_tt_ptr_type_get_address_space(type));
  if (nereid_tt_tensordesc_type_isa(type))
    return lower->types.ptr;
  if (is_fp8(type))
    return lower->types.i8;
  if (mlirTypeIsAIndex(type))
    return lower->types.i32;
  if (mlirTypeIsAInteger(type) && !is_integer_width(mlirIntegerTypeGetWidth(type)))
    return (MlirType){NULL};
  if (mlirTypeIsAInteger(type))
    return mlirIntegerTypeIsSignless(type) ? type : mlirIntegerTypeGet(lower->context, mlirIntegerTypeGetWidth(type));
  if (mlirTypeIsAF16(type) || mlirTypeIsABF16(type) || mlirTypeIsAF32(type) || mlirTypeIsAF64(type) ||
      mlirTypeIsALLVMPointerType(type))
    return type;
  return (MlirType){NULL};
}

uint64_t nereid_lower_float_bits(MlirAttribute value) {
  MlirType type = mlirAttributeGetType(value);
  const double number = mlirFloatAttrGetValueDouble(value);
  const float single = (float)number;
  uint64_t bits = 0;
  uint32_t single_bits = 0;
  if (mlirTypeIsAFloat8E4M3FN(type))
    return nereid_float_to_f8e4m3fn(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAFloat8E5M2(type))
    return nereid_float_to_f8e5m2(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAF16(type))
    return nereid_float_to_f16(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsABF16(type))
    return nereid_float_to_bf16(number, NEREID_FLOAT_NEAREST);
  if (mlirTypeIsAF32(type)) {
    memcpy(&single_bits, &single, sizeof single);
    return single_bits;
  }
  memcpy(&bits, &number, sizeof number);
  return bits;
}

MlirAttribute nereid_lower_with_attribute(nereid_lower_t *lower, MlirAttribute attributes, const char *name,
                                          MlirAttribute value) {
  MlirStringRef key = mlirStringRefCreateFromCString(name);
  const intptr_t n = mlirDictionaryAttrGetNumElements(attributes);
  MlirNamedAttribute *all = nereid_arena_new(lower->arena, MlirNamedAttribute, (size_t)n + 1);
  intptr_t count = 0;
  for (intptr_t i = 0; all && i < n; ++i) {
    MlirNamedAttribute attribute = mlirDictionaryAttrGetElement(attributes, i);
    if (!mlirStringRefEqual(mlirIdentifierStr(attribute.name), key))
      all[count++] = attribute;
  }
  if (!all)
    return attributes;
  all[count++] = nereid_emit_attribute(lower, name, value);
  return mlirDictionaryAttrGet(lower->context, count, all);
}

unsigned nereid_lower_memory_bits(MlirType element) {
  element = nereid_lower_element_type(element);
  if (nereid_tt_ptr_type_isa(element) || mlirTypeIsALLVMPointerType(element))
    return 64;
  if (mlirTypeIsAFloat(element))
    return mlirFloatTypeGetWidth(element);
  unsigned width = mlirTypeIsAInteger(element) ? mlirIntegerTypeGetWidth(element) : 32;
  return width < 8 ? 8 : width;
}

enum { MAX_REGISTER_BITS = 16 }; /* the largest tensor in one warp has 2^15 */

const nereid_layout_t *nereid_lower_layout(nereid_lower_t *lower, MlirType tensor) {
  uintptr_t *found = nereid_map_find(&lower->layouts, tensor.ptr);
  if (found)
    return (const nereid_layout_t *)*found;
  nereid_layout_t *layout = nereid_arena_new(lower->arena, nereid_layout_t, 1);
  uintptr_t *place = nereid_map_insert(&lower->layouts, tensor.ptr);
  if (!layout || !place)
    return NULL;
  if (nereid_layout_from_type(tensor, layout) != NEREID_OK) {
    if (mlirAttributeIsNull(mlirRankedTensorTypeGetEncoding(tensor)))
      nereid_diagnose_at(lower->builder.location,
                         "%s has no encoding that distributes it over threads; convert-triton-to-tritongpu comes first",
                         nereid_text_of_type(tensor).chars);
    else
      nereid_diagnose_at(lower->builder.location, "%s has an encoding that does not distribute it over threads",
                         nereid_text_of_type(tensor).chars);
    return NULL;
  }
  if (layout->in_bits[NEREID_LAYOUT_REGISTER] > MAX_REGISTER_BITS) {
    nereid_diagnose_at(lower->builder.location, "%s puts 2^%d elements into every thread: expected at most 2^%d",
                       nereid_text_of_type(tensor).chars, (int)layout->in_bits[NEREID_LAYOUT_REGISTER],
                       MAX_REGISTER_BITS);
    return NULL;
  }
  *place = (uintptr_t)layout;
  return layout;
}

intptr_t nereid_lower_registers(nereid_lower_t *lower, MlirType type) {
  if (!mlirTypeIsARankedTensor(type))
    return 1;
  const nereid_layout_t *layout = nereid_lower_layout(lower, type);
  return layout ? nereid_layout_registers(layout) : 0;
}

/* --- coordinates --- */

/* Bit `bit` of the thread id: lanes, then warps. The block (CTA of a cluster) is not a thread. */
static uint32_t thread_basis(const nereid_layout_t *layout, int bit) {
  const int lanes = layout->in_bits[NEREID_LAYOUT_LANE];
  return bit < lanes ? layout->bases[NEREID_LAYOUT_LANE][bit] : layout->bases[NEREID_LAYOUT_WARP][bit - lanes];
}

/* (id & mask) moved left by `shift` bits. */
static MlirValue emit_field(nereid_lower_t *lower, MlirValue id, uint32_t mask, int shift) {
  MlirValue field = nereid_emit_and(lower, id, nereid_emit_i32(lower, (int32_t)mask));
  if (shift > 0)
    return nereid_emit_shl(lower, field, nereid_emit_i32(lower, shift));
  return shift < 0 ? nereid_emit_lshr(lower, field, nereid_emit_i32(lower, -shift)) : field;
}

static MlirValue combine(nereid_lower_t *lower, MlirValue sum, MlirValue part) {
  return mlirValueIsNull(sum) ? part : nereid_emit_xor(lower, sum, part);
}

static uint32_t basis_in(const nereid_layout_t *layout, uint32_t basis, int d) {
  return (basis & nereid_layout_out_mask(layout, d)) >> nereid_layout_out_shift(layout, d);
}

/* Whether id bit `bit` moves dimension `d` by one bit only, and by which shift. */
static bool single_bit(const nereid_layout_t *layout, int bit, int d, int *out_shift) {
  uint32_t basis = basis_in(layout, thread_basis(layout, bit), d);
  if (!basis || (basis & (basis - 1)))
    return false;
  *out_shift = __builtin_ctz(basis) - bit;
  return true;
}

/* The thread's part of the coordinate in dimension `d`: runs of id bits that move together become one field. */
MlirValue nereid_lower_thread_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d) {
  const int bits = layout->in_bits[NEREID_LAYOUT_LANE] + layout->in_bits[NEREID_LAYOUT_WARP];
  MlirValue sum = {NULL};
  for (int bit = 0; bit < bits;) {
    int shift = 0, next_shift = 0, end = bit + 1;
    if (single_bit(layout, bit, d, &shift)) {
      while (end < bits && single_bit(layout, end, d, &next_shift) && next_shift == shift)
        ++end;
      const uint32_t mask = (uint32_t)(((UINT64_C(1) << (end - bit)) - 1) << bit);
      sum = combine(lower, sum, emit_field(lower, lower->thread_id, mask, shift));
    } else if (basis_in(layout, thread_basis(layout, bit), d)) {
      /* One id bit moves several: all ones or zero, masked by the basis. */
      MlirValue one = emit_field(lower, nereid_emit_lshr(lower, lower->thread_id, nereid_emit_i32(lower, bit)), 1, 0);
      MlirValue basis = nereid_emit_i32(lower, (int32_t)basis_in(layout, thread_basis(layout, bit), d));
      sum = combine(lower, sum, nereid_emit_mul(lower, one, basis));
    }
    bit = end;
  }
  return mlirValueIsNull(sum) ? nereid_emit_i32(lower, 0) : sum;
}

/* CTAs of a cluster hold different blocks: adds what %cluster_ctarank moves. */
static MlirValue emit_block_part(nereid_lower_t *lower, const nereid_layout_t *layout, int d, MlirValue sum) {
  MlirValue rank = {NULL};
  for (int bit = 0; bit < layout->in_bits[NEREID_LAYOUT_BLOCK]; ++bit) {
    uint32_t basis = basis_in(layout, layout->bases[NEREID_LAYOUT_BLOCK][bit], d);
    if (!basis)
      continue;
    if (mlirValueIsNull(rank))
      rank = nereid_emit(lower, "nvvm.read.ptx.sreg.cluster.ctarank", lower->types.i32, 0, NULL);
    MlirValue one = emit_field(lower, nereid_emit_lshr(lower, rank, nereid_emit_i32(lower, bit)), 1, 0);
    sum = combine(lower, sum, nereid_emit_mul(lower, one, nereid_emit_i32(lower, (int32_t)basis)));
  }
  return sum;
}

static void fill_offsets(const nereid_layout_t *layout, int32_t *offsets) {
  const int32_t registers = nereid_layout_registers(layout);
  for (int32_t r = 0; r < registers; ++r)
    nereid_layout_coordinates(layout, nereid_layout_apply(layout, (uint32_t)r, 0, 0, 0),
                              offsets + (ptrdiff_t)r * layout->rank);
}

const nereid_coordinates_t *nereid_lower_coordinates(nereid_lower_t *lower, MlirType tensor) {
  uintptr_t *found = nereid_map_find(&lower->coordinates, tensor.ptr);
  if (found)
    return (const nereid_coordinates_t *)*found;
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  nereid_coordinates_t *made = nereid_arena_new(lower->arena, nereid_coordinates_t, 1);
  if (!layout || !made)
    return NULL;
  made->rank = layout->rank;
  made->registers = nereid_layout_registers(layout);
  int32_t *offsets = nereid_arena_new(lower->arena, int32_t, (size_t)(made->registers * made->rank));
  if (!offsets)
    return NULL;
  fill_offsets(layout, offsets);
  made->offsets = offsets;
  const uint32_t in_registers = nereid_layout_span(layout, NEREID_LAYOUT_REGISTER);
  const uint32_t in_threads = nereid_layout_span(layout, NEREID_LAYOUT_LANE) |
                              nereid_layout_span(layout, NEREID_LAYOUT_WARP) |
                              nereid_layout_span(layout, NEREID_LAYOUT_BLOCK);
  nereid_builder_t saved = nereid_lower_enter_prologue(lower);
  for (int d = 0; d < made->rank; ++d) {
    made->disjoint[d] = !(in_registers & in_threads & nereid_layout_out_mask(layout, d));
    made->base[d] = emit_block_part(lower, layout, d, nereid_lower_thread_coordinate(lower, layout, d));
  }
  nereid_lower_leave_prologue(lower, saved);
  uintptr_t *place = nereid_map_insert(&lower->coordinates, tensor.ptr);
  if (place)
    *place = (uintptr_t)made;
  return made;
}

MlirValue nereid_lower_coordinate(nereid_lower_t *lower, const nereid_coordinates_t *coordinates, intptr_t r,
                                  intptr_t d) {
  const int32_t offset = coordinates->offsets[r * coordinates->rank + d];
  if (!offset)
    return coordinates->base[d];
  MlirValue constant = nereid_emit_i32(lower, offset);
  return coordinates->disjoint[d] ? nereid_emit_or_disjoint(lower, coordinates->base[d], constant)
                                  : nereid_emit_xor(lower, coordinates->base[d], constant);
}

MlirValue nereid_lower_unique_thread(nereid_lower_t *lower, MlirType tensor) {
  const nereid_layout_t *layout = nereid_lower_layout(lower, tensor);
  if (!layout)
    return (MlirValue){NULL};
  uint32_t masks[NEREID_LAYOUT_DIMS];
  nereid_layout_free_masks(layout, masks);
  const uint32_t threads =
      masks[NEREID_LAYOUT_LANE] | (masks[NEREID_LAYOUT_WARP] << layout->in_bits[NEREID_LAYOUT_LANE]);
  MlirValue unique = {NULL}, zero = {NULL};
  if (threads) {
    zero = nereid_emit_i32(lower, 0);
    MlirValue copies = nereid_emit_and(lower, lower->thread_id, nereid_emit_i32(lower, (int32_t)threads));
    unique = nereid_emit_icmp(lower, 0, copies, zero);
  }
  if (masks[NEREID_LAYOUT_BLOCK]) {
    MlirValue rank = nereid_emit(lower, "nvvm.read.ptx.sreg.cluster.ctarank", lower->types.i32, 0, NULL);
    MlirValue copies = nereid_emit_and(lower, rank, nereid_emit_i32(lower, (int32_t)masks[NEREID_LAYOUT_BLOCK]));
    MlirValue first = nereid_emit_icmp(lower, 0, copies, nereid_emit_i32(lower, 0));
    unique = mlirValueIsNull(unique) ? first : nereid_emit_and(lower, unique, first);
  }
  return unique;
}

MlirValue nereid_lower_storing_thread(nereid_lower_t *lower, MlirType type) {
  if (mlirTypeIsARankedTensor(type))
    return nereid_lower_unique_thread(lower, type);
  MlirValue id = lower->thread_id;
  if (lower->grid.num_ctas > 1) {
    MlirValue rank = nereid_emit(lower, "nvvm.read.ptx.sreg.cluster.ctarank", lower->types.i32, 0, NULL);
    id = nereid_emit_or(lower, id, rank);
  }
  return nereid_emit_icmp(lower, 0, id, nereid_emit_i32(lower, 0));
}

bool nereid_lower_rename(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                         const nereid_layout_t *to) {
  nereid_lowered_t source = nereid_lower_operand(lower, op, 0);
  nereid_layout_t map;
  if (nereid_layout_convert(from, to, &map) > NEREID_LAYOUT_CONVERSION_REGISTER)
    return nereid_lower_error(op, "moves elements between threads; convert the layout of its operand first");
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  for (intptr_t r = 0; lowered.values && r < lowered.count; ++r) {
    int32_t place[NEREID_LAYOUT_DIMS];
    nereid_layout_coordinates(&map, nereid_layout_apply(&map, (uint32_t)r, 0, 0, 0), place);
    lowered.values[r] = source.values[place[NEREID_LAYOUT_DIMS - 1]];
  }
  nereid_lower_set(lower, mlirOperationGetResult(op, 0), lowered);
  return true;
}
