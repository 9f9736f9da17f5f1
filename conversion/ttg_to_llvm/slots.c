/* Stores registers to slots of shared memory and loads them; see slots.h. */
#include "conversion/ttg_to_llvm/slots.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/words.h"

#include "dialects/ir.h"
#include "layout/encoding.h"
#include "nereid/dialects/ttg.h"

#include "mlir-c/Dialect/LLVM.h"

#include <stdio.h>

enum { MAX_VECTOR = 16, ACCESS_BYTES = 16, WORD_BYTES = 4, MAX_TILES = 4 };

/* --- elements --- */

int64_t nereid_slots_element_bytes(MlirType element) {
  return nereid_lower_memory_bits(element) / 8;
}

MlirType nereid_slots_memory_type(nereid_lower_t *lower, MlirType element) {
  if (mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) < 8)
    return lower->types->i8;
  return mlirTypeIsAInteger(element) || mlirTypeIsAFloat(element) ? element : lower->types->i64;
}

MlirValue nereid_slots_to_memory(nereid_lower_t *lower, MlirType memory, MlirValue value) {
  MlirType type = mlirValueGetType(value);
  if (mlirTypeIsAInteger(type) && !mlirTypeEqual(type, memory))
    return nereid_emit_cast(lower, "llvm.zext", memory, value);
  return nereid_emit_bits(lower, memory, value);
}

MlirValue nereid_slots_from_memory(nereid_lower_t *lower, MlirType element, MlirValue value) {
  if (mlirTypeIsAInteger(element) && !mlirTypeEqual(element, mlirValueGetType(value)))
    return nereid_emit_cast(lower, "llvm.trunc", element, value);
  return nereid_emit_bits(lower, element, value);
}

/* --- addresses --- */

nereid_slots_t nereid_slots_make(nereid_lower_t *lower, const nereid_layout_t *layout, MlirType element,
                                 MlirValue scratch) {
  nereid_slots_t slots = {.layout = *layout, .element = element, .base = scratch};
  slots.memory = nereid_slots_memory_type(lower, element);
  slots.bytes = nereid_slots_element_bytes(element);
  slots.vector = nereid_layout_contiguity(layout, 0);
  while (slots.vector * slots.bytes > ACCESS_BYTES)
    slots.vector /= 2;
  const uint32_t in_threads =
      nereid_layout_span(layout, NEREID_LAYOUT_LANE) | nereid_layout_span(layout, NEREID_LAYOUT_WARP);
  slots.mixed = nereid_layout_span(layout, NEREID_LAYOUT_REGISTER) & in_threads;
  if (in_threads) {
    MlirValue thread = nereid_lower_thread_coordinate(lower, layout, 0);
    slots.thread_offset = nereid_emit_mul(lower, thread, nereid_emit_i32(lower, (int32_t)slots.bytes));
  }
  return slots;
}

void nereid_slots_align(nereid_slots_t *slots, uint32_t bits) {
  while (bits & ((uint32_t)slots->vector - 1))
    slots->vector /= 2;
}

void nereid_slots_start(nereid_slots_t *slots, uint32_t start) {
  const uint32_t in_threads =
      nereid_layout_span(&slots->layout, NEREID_LAYOUT_LANE) | nereid_layout_span(&slots->layout, NEREID_LAYOUT_WARP);
  slots->start = start;
  slots->in_pattern = true;
  slots->mixed |= start & in_threads;
  nereid_slots_align(slots, start);
}

/* Slots are contiguous up to the next gap, with the alignment of all gaps. */
void nereid_slots_pad(nereid_slots_t *slots, MlirAttribute encoding) {
  if (!nereid_ttg_padded_shared_attr_isa(encoding))
    return;
  slots->padding = encoding;
  MlirAttribute intervals = nereid_ttg_padded_shared_attr_get_intervals(encoding);
  MlirAttribute paddings = nereid_ttg_padded_shared_attr_get_paddings(encoding);
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(intervals); ++i)
    while (mlirDenseI32ArrayGetElement(intervals, i) % slots->vector ||
           mlirDenseI32ArrayGetElement(paddings, i) % slots->vector)
      slots->vector /= 2;
}

MlirValue nereid_slots_padded(nereid_lower_t *lower, MlirAttribute encoding, int64_t element_bytes, MlirValue offset) {
  if (mlirAttributeIsNull(encoding) || !nereid_ttg_padded_shared_attr_isa(encoding))
    return offset;
  MlirAttribute intervals = nereid_ttg_padded_shared_attr_get_intervals(encoding);
  MlirAttribute paddings = nereid_ttg_padded_shared_attr_get_paddings(encoding);
  MlirValue padded = offset;
  for (intptr_t i = 0; i < mlirDenseArrayGetNumElements(intervals); ++i) {
    const int32_t interval = mlirDenseI32ArrayGetElement(intervals, i) * (int32_t)element_bytes;
    const int32_t gap = mlirDenseI32ArrayGetElement(paddings, i) * (int32_t)element_bytes;
    MlirValue gaps = nereid_emit_lshr(lower, offset, nereid_emit_i32(lower, __builtin_ctz((unsigned)interval)));
    padded = nereid_emit_add(lower, padded, nereid_emit_mul(lower, gaps, nereid_emit_i32(lower, gap)));
  }
  return padded;
}

nereid_slots_t nereid_slots_moved(nereid_lower_t *lower, const nereid_slots_t *slots, MlirValue offset, bool adds) {
  nereid_slots_t moved = *slots;
  if (adds)
    moved.base = nereid_emit_gep(lower, slots->base, lower->types->i8, offset);
  else if (mlirValueIsNull(slots->thread_offset))
    moved.thread_offset = offset;
  else
    moved.thread_offset = nereid_emit_xor(lower, slots->thread_offset, offset);
  if (!adds)
    moved.mixed = nereid_layout_span(&slots->layout, NEREID_LAYOUT_REGISTER) | slots->start;
  return moved;
}

/* The slots of one run of accesses, all in one block: the thread's address by register part in the mixed bits, packed,
 * ptr<3>, null until used. */
typedef struct addresses {
  const nereid_slots_t *slots;
  MlirValue *bases;
} addresses_t;

static addresses_t make_addresses(nereid_lower_t *lower, const nereid_slots_t *slots) {
  const size_t count = (size_t)1 << __builtin_popcount(slots->mixed);
  return (addresses_t){slots, nereid_arena_new(lower->arena, MlirValue, count)};
}

/* The bits of `value` at the bits of `mask`, packed. */
static uint32_t pack_bits(uint32_t value, uint32_t mask) {
  uint32_t packed = 0;
  for (int at = 0; mask; mask &= mask - 1, ++at)
    packed |= (value & mask & -mask ? UINT32_C(1) : 0) << at;
  return packed;
}

/* The thread's address for registers with these mixed bits: one xor for all of them. */
static MlirValue thread_base(nereid_lower_t *lower, const addresses_t *addresses, uint32_t mixed) {
  const nereid_slots_t *slots = addresses->slots;
  MlirValue *base = &addresses->bases[pack_bits(mixed, slots->mixed)], offset = slots->thread_offset;
  if (mlirValueIsNull(*base)) {
    if (mixed)
      offset = nereid_emit_xor(lower, offset, nereid_emit_i32(lower, (int32_t)(mixed * slots->bytes)));
    offset = nereid_slots_padded(lower, slots->padding, slots->bytes, offset);
    *base = nereid_emit_gep(lower, slots->base, lower->types->i8, offset);
  }
  return *base;
}

/* ptr<3>: the slot of register `r`. */
static MlirValue address(nereid_lower_t *lower, const addresses_t *addresses, uint32_t r) {
  const nereid_slots_t *slots = addresses->slots;
  const uint32_t slot = nereid_layout_apply(&slots->layout, r, 0, 0, 0) ^ slots->start;
  MlirValue base = slots->base;
  if (addresses->bases && !mlirValueIsNull(slots->thread_offset))
    base = thread_base(lower, addresses, slot & slots->mixed);
  /* Only the register determines these bits, so their gaps add to those of the thread. */
  const uint32_t own = slot & ~slots->mixed;
  const int64_t at = mlirAttributeIsNull(slots->padding) ? own : nereid_layout_padded_offset(slots->padding, own);
  return nereid_emit_offset(lower, base, at * slots->bytes);
}

MlirValue nereid_slots_address(nereid_lower_t *lower, const nereid_slots_t *slots, uint32_t r) {
  const addresses_t addresses = make_addresses(lower, slots);
  return address(lower, &addresses, r);
}

static MlirNamedAttribute alignment(nereid_lower_t *lower, const nereid_slots_t *slots) {
  return nereid_emit_attribute(lower, "alignment", mlirIntegerAttrGet(lower->types->i64, slots->vector * slots->bytes));
}

/* --- accesses --- */

/* Elements in each 32-bit word of an access; 1 where elements are not parts of words. */
static int32_t elements_in_word(const nereid_slots_t *slots) {
  const bool whole = mlirTypeEqual(slots->element, slots->memory) && slots->bytes < WORD_BYTES;
  return whole && slots->vector * slots->bytes >= WORD_BYTES ? WORD_BYTES / (int32_t)slots->bytes : 1;
}

/* The registers of one access as a value to store. */
static MlirValue pack_vector(nereid_lower_t *lower, const nereid_slots_t *slots, const MlirValue *values) {
  MlirValue parts[MAX_VECTOR];
  const int32_t in_word = elements_in_word(slots);
  for (int32_t i = 0; i < slots->vector; i += in_word)
    parts[i / in_word] = in_word > 1 ? nereid_emit_word(lower, in_word, values + i)
                                     : nereid_slots_to_memory(lower, slots->memory, values[i]);
  return nereid_emit_pack(lower, slots->vector / in_word, parts);
}

/* The registers of the value that an access loaded. */
static void unpack_vector(nereid_lower_t *lower, const nereid_slots_t *slots, MlirValue loaded, MlirValue *out_values) {
  const int32_t in_word = elements_in_word(slots);
  for (int32_t i = 0; i < slots->vector; i += in_word) {
    MlirValue part = slots->vector == in_word ? loaded : nereid_emit_extract(lower, loaded, i / in_word);
    if (in_word > 1)
      nereid_emit_split(lower, slots->memory, in_word, part, out_values + i);
    else
      out_values[i] = nereid_slots_from_memory(lower, slots->element, part);
  }
}

void nereid_slots_store(nereid_lower_t *lower, const nereid_slots_t *slots, const MlirValue *values) {
  const int32_t registers = nereid_layout_registers(&slots->layout);
  MlirNamedAttribute attribute = alignment(lower, slots);
  const addresses_t addresses = make_addresses(lower, slots);
  for (int32_t n = 0; n < registers; n += slots->vector) {
    const int32_t r = slots->last_first ? registers - slots->vector - n : n;
    MlirValue operands[] = {pack_vector(lower, slots, values + r), address(lower, &addresses, (uint32_t)r)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 1, &attribute);
  }
}

void nereid_slots_load(nereid_lower_t *lower, const nereid_slots_t *slots, MlirValue *out_values) {
  const int32_t registers = nereid_layout_registers(&slots->layout);
  MlirNamedAttribute attribute = alignment(lower, slots);
  const addresses_t addresses = make_addresses(lower, slots);
  const int32_t in_word = elements_in_word(slots), parts = slots->vector / in_word;
  MlirType part = in_word > 1 ? lower->types->i32 : slots->memory;
  MlirType type = parts == 1 ? part : nereid_emit_vector_type(part, parts);
  for (int32_t r = 0; r < registers; r += slots->vector) {
    MlirValue at = address(lower, &addresses, (uint32_t)r);
    MlirOperation load = nereid_emit_op(lower, "llvm.load", 1, &type, 1, &at, 1, &attribute);
    unpack_vector(lower, slots, mlirOperationGetResult(load, 0), out_values + r);
  }
}

/* --- matrices --- */

enum { NAME_BYTES = 80 };

static void matrices_name(const nereid_layout_matrices_t *matrices, const char *access, char *out) {
  snprintf(out, NAME_BYTES, "llvm.nvvm.%s.sync.aligned.m8n8.x%d%s.b16", access, matrices->tiles,
           matrices->transposed ? ".trans" : "");
}

void nereid_slots_store_matrices(nereid_lower_t *lower, const nereid_slots_t *rows,
                                 const nereid_layout_matrices_t *matrices, const MlirValue *values) {
  const int32_t in_word = WORD_BYTES / (int32_t)rows->bytes, count = nereid_layout_registers(&rows->layout);
  const addresses_t addresses = make_addresses(lower, rows);
  char name[NAME_BYTES];
  matrices_name(matrices, "stmatrix", name);
  for (int32_t done = 0; done < count; ++done) {
    const int32_t n = rows->last_first ? count - 1 - done : done;
    MlirValue operands[1 + MAX_TILES] = {address(lower, &addresses, (uint32_t)n)};
    for (int tile = 0; tile < matrices->tiles; ++tile) {
      const MlirValue *from = values + (n * matrices->tiles + tile) * in_word;
      MlirValue word[WORD_BYTES];
      for (int32_t i = 0; i < in_word; ++i)
        word[i] = nereid_slots_to_memory(lower, rows->memory, from[i]);
      operands[1 + tile] =
          in_word == 1 ? nereid_emit_bits(lower, lower->types->i32, word[0]) : nereid_emit_word(lower, in_word, word);
    }
    nereid_emit_intrinsic(lower, name, (MlirType){NULL}, 1 + matrices->tiles, operands);
  }
}

void nereid_slots_load_matrices(nereid_lower_t *lower, const nereid_slots_t *rows,
                                const nereid_layout_matrices_t *matrices, MlirValue *out_values) {
  const int32_t in_word = WORD_BYTES / (int32_t)rows->bytes, count = nereid_layout_registers(&rows->layout);
  const addresses_t addresses = make_addresses(lower, rows);
  MlirType i32 = lower->types->i32, words[MAX_TILES] = {i32, i32, i32, i32};
  MlirType loaded =
      matrices->tiles == 1 ? i32 : mlirLLVMStructTypeLiteralGet(lower->context, matrices->tiles, words, false);
  char name[NAME_BYTES];
  matrices_name(matrices, "ldmatrix", name);
  for (int32_t n = 0; n < count; ++n) {
    MlirValue at = address(lower, &addresses, (uint32_t)n);
    MlirValue all = nereid_emit_intrinsic(lower, name, loaded, 1, &at);
    for (int tile = 0; tile < matrices->tiles; ++tile) {
      MlirValue word = matrices->tiles == 1 ? all : nereid_emit_field(lower, all, i32, tile);
      MlirValue *values = out_values + (ptrdiff_t)(n * matrices->tiles + tile) * in_word;
      if (in_word == 1)
        values[0] = nereid_emit_bits(lower, rows->memory, word);
      else
        nereid_emit_split(lower, rows->memory, in_word, word, values);
      for (int32_t i = 0; i < in_word; ++i)
        values[i] = nereid_slots_from_memory(lower, rows->element, values[i]);
    }
  }
}

bool nereid_slots_check_scratch(MlirOperation op) {
  return nereid_ir_allocation_offset(op, -1) >= 0 ||
         nereid_lower_error(op, "has no offset in shared memory: run allocate-shared-memory first");
}

MlirValue nereid_slots_scratch(nereid_lower_t *lower, MlirOperation op) {
  return nereid_slots_check_scratch(op) ? nereid_lower_shared_pointer(lower, nereid_ir_allocation_offset(op, 0))
                                        : (MlirValue){NULL};
}
