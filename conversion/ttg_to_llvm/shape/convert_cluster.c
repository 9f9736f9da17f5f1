/* Moves elements between the CTAs of a cluster; see convert_cluster.h.
 *
 *   st.shared [scratch + (r * threads + thread) * size], register r                      each CTA its own registers
 *   barrier.cluster
 *   mapa there, scratch, CTA; ld.shared::cluster [there + (r' * threads + thread') * size]  from the CTA that has it
 *   barrier.cluster                                                                      the scratch is free again
 *
 * The CTA, thread' and register r' that hold an element of the result are linear functions over F2 of the reading CTA,
 * thread and register, so the parts of CTA and thread are computed once, and xored with a constant for each register.
 * Where several CTAs hold an element, the reading one takes its own, if it is among them: the bits of its number that
 * replicate elements replace those of the CTA that is solved for, with the other bits that hold the same element then.
 * All threads of the cluster execute the conversion: its control flow is the same in all CTAs. */
#include "conversion/ttg_to_llvm/shape/convert_cluster.h"

#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "dialects/ttg/module.h"
#include "layout/cga.h"

#include <assert.h>

enum { MAX_CTAS = 1 << NEREID_LAYOUT_MAX_BLOCK_BITS };

typedef struct move {
  nereid_lower_t *lower;
  MlirType element, memory; /* LLVM types in registers and in shared memory */
  MlirValue scratch;
  int64_t bytes;             /* bytes of an element */
  int registers, threads;    /* register and thread bits of the source */
  nereid_layout_t source;    /* source position of a result element, as the flat index [block, thread, register] */
  MlirValue offset, cta;     /* i32, of register 0: bytes in the scratch, number of the CTA */
  MlirValue bases[MAX_CTAS]; /* i32, addresses of the scratch in CTAs, by xor with `cta`; null until used */
} move_t;

/* The number of an element in the scratch: threads are adjacent. */
static uint32_t slot_of(const move_t *move, uint32_t flat) {
  const uint32_t in_cta = flat & ((UINT32_C(1) << (move->registers + move->threads)) - 1);
  return in_cta >> move->registers | (in_cta & ((UINT32_C(1) << move->registers) - 1)) << move->threads;
}

static uint32_t cta_of(const move_t *move, uint32_t flat) {
  return flat >> (move->registers + move->threads);
}

static void store(const move_t *move, const MlirValue *values) {
  nereid_lower_t *lower = move->lower;
  MlirValue at = nereid_emit_mul(lower, lower->group->thread_id, nereid_emit_i32(lower, (int32_t)move->bytes));
  MlirValue base = nereid_emit_gep(lower, move->scratch, lower->types->i8, at);
  for (int64_t r = 0; r < INT64_C(1) << move->registers; ++r) {
    MlirValue operands[] = {nereid_slots_to_memory(lower, move->memory, values[r]),
                            nereid_emit_offset(lower, base, (r << move->threads) * move->bytes)};
    nereid_emit_op(lower, "llvm.store", 0, NULL, 2, operands, 0, NULL);
  }
}

/* Adds the vectors of the kernel of `from` that a bit of the CTA ends, as often as the reading CTA has that bit. */
static void prefer_own_cta(move_t *move, const nereid_layout_t *from) {
  uint64_t kernel[64];
  const int count = nereid_layout_kernel(from, kernel);
  for (int i = 0; i < count; ++i) {
    const int bit = 63 - __builtin_clzll(kernel[i]) - move->registers - move->threads;
    if (bit >= 0)
      move->source.bases[NEREID_LAYOUT_BLOCK][bit] ^= (uint32_t)kernel[i];
  }
}

/* Computes the source of register 0 of the result. */
static void locate(move_t *move) {
  nereid_lower_t *lower = move->lower;
  MlirValue flat =
      nereid_lower_add_cta_coordinate(lower, &move->source, 0, nereid_lower_thread_coordinate(lower, &move->source, 0));
  MlirValue reg = nereid_emit_and(lower, flat, nereid_emit_i32(lower, (1 << move->registers) - 1));
  MlirValue thread = nereid_emit_and(lower, nereid_emit_lshr(lower, flat, nereid_emit_i32(lower, move->registers)),
                                     nereid_emit_i32(lower, (1 << move->threads) - 1));
  MlirValue slot = nereid_emit_or(lower, thread, nereid_emit_shl(lower, reg, nereid_emit_i32(lower, move->threads)));
  move->offset = nereid_emit_mul(lower, slot, nereid_emit_i32(lower, (int32_t)move->bytes));
  move->cta = nereid_emit_lshr(lower, flat, nereid_emit_i32(lower, move->registers + move->threads));
}

/* The address, in the memory of the cluster, of the scratch of the CTA that differs from that of register 0 by `x`. */
static MlirValue scratch_at(move_t *move, uint32_t x) {
  nereid_lower_t *lower = move->lower;
  if (mlirValueIsNull(move->bases[x])) {
    MlirValue operands[] = {move->scratch, nereid_emit_xor(lower, move->cta, nereid_emit_i32(lower, (int32_t)x))};
    nereid_emit_asm(lower, "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", false, 1, &lower->types->i32, 2, operands,
                    &move->bases[x]);
  }
  return move->bases[x];
}

static MlirValue load(move_t *move, uint32_t flat) {
  nereid_lower_t *lower = move->lower;
  const nereid_lower_types_t *types = lower->types;
  MlirValue offset = nereid_emit_xor(lower, move->offset,
                                     nereid_emit_i32(lower, (int32_t)(slot_of(move, flat) * (uint32_t)move->bytes)));
  MlirValue at = nereid_emit_add(lower, scratch_at(move, cta_of(move, flat)), offset), value;
  switch (move->bytes) {
  case 1:
    nereid_emit_asm(lower, "ld.shared::cluster.u8 $0, [$1];", "=h,r,~{memory}", true, 1, &types->i16, 1, &at, &value);
    value = nereid_emit_cast(lower, "llvm.trunc", types->i8, value);
    break;
  case 2:
    nereid_emit_asm(lower, "ld.shared::cluster.b16 $0, [$1];", "=h,r,~{memory}", true, 1, &types->i16, 1, &at, &value);
    break;
  case 4:
    nereid_emit_asm(lower, "ld.shared::cluster.b32 $0, [$1];", "=r,r,~{memory}", true, 1, &types->i32, 1, &at, &value);
    break;
  default:
    nereid_emit_asm(lower, "ld.shared::cluster.b64 $0, [$1];", "=l,r,~{memory}", true, 1, &types->i64, 1, &at, &value);
  }
  return nereid_slots_from_memory(lower, move->element, nereid_emit_bits(lower, move->memory, value));
}

/* Loads all registers of the result. */
static void load_all(move_t *move, nereid_lowered_t out) {
  locate(move);
  for (intptr_t r = 0; r < out.count; ++r)
    out.values[r] = load(move, nereid_layout_apply(&move->source, (uint32_t)r, 0, 0, 0));
}

/* The same between barriers: after the stores of all CTAs, and before the scratch is used again. */
static void load_between_barriers(move_t *move, nereid_lowered_t out) {
  nereid_emit_cluster_barrier(move->lower);
  load_all(move, out);
  nereid_emit_cluster_barrier(move->lower);
}

/* Whether all threads of the cluster can take part. */
static bool check(const nereid_lower_t *lower, MlirOperation op) {
  MlirOperation module = lower->module->op;
  return nereid_ttg_total_num_warps(module) == nereid_ttg_num_warps(module) ||
         nereid_lower_error(op, "moves elements between the CTAs of a cluster, which is not supported in modules with "
                                "ttg.warp_specialize");
}

/* A move of `element`s through `scratch`; `threads` as in move_t. */
static move_t move_through(nereid_lower_t *lower, MlirType element, MlirValue scratch, int threads) {
  return (move_t){.lower = lower,
                  .element = element,
                  .memory = nereid_slots_memory_type(lower, element),
                  .scratch = scratch,
                  .bytes = nereid_slots_element_bytes(element),
                  .threads = threads};
}

bool nereid_lower_convert_in_cluster(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                                     const nereid_layout_t *to) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType element = nereid_lower_type(lower, mlirValueGetType(result));
  if (!check(lower, op))
    return false;
  move_t move = move_through(lower, element, nereid_slots_scratch(lower, op),
                             from->in_bits[NEREID_LAYOUT_LANE] + from->in_bits[NEREID_LAYOUT_WARP]);
  move.registers = from->in_bits[NEREID_LAYOUT_REGISTER];
  nereid_lowered_t lowered = nereid_lower_array(lower, nereid_layout_registers(to));
  if (mlirValueIsNull(move.scratch) || !lowered.values)
    return false;
  if (!nereid_layout_solve(to, from, &move.source) ||
      !nereid_layout_reshape(&move.source, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(&move.source)}))
    return nereid_lower_error(op, "converts between layouts that do not hold the same tensor");
  prefer_own_cta(&move, from);
  store(&move, nereid_lower_operand(lower, op, 0).values);
  load_between_barriers(&move, lowered);
  nereid_lower_set(lower, result, lowered);
  return true;
}

/* Replaces each image of `owners`, a thread of `layout` as a flat index, by its CTA and the slot of its element there,
 * which has `slot_bits` bits. */
static void place_in_slots(nereid_layout_t *owners, const nereid_layout_t *layout, int slot_bits) {
  const int in_cta = nereid_layout_in_total(layout) - layout->in_bits[NEREID_LAYOUT_BLOCK];
  for (int in = 0; in < NEREID_LAYOUT_DIMS; ++in)
    for (int bit = 0; bit < owners->in_bits[in]; ++bit) {
      const uint32_t flat = owners->bases[in][bit], cta = flat >> in_cta;
      const uint32_t slot = nereid_layout_apply_flat(layout, flat & ((UINT32_C(1) << in_cta) - 1));
      owners->bases[in][bit] = cta << slot_bits | slot;
    }
  owners->out_bits[0] = (uint8_t)(slot_bits + layout->in_bits[NEREID_LAYOUT_BLOCK]);
}

bool nereid_lower_load_from_owners(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *layout,
                                   MlirType element, MlirValue scratch, nereid_lowered_t out) {
  move_t move = move_through(lower, element, scratch, nereid_layout_out_total(layout));
  if (!check(lower, op))
    return false;
  bool solved = nereid_layout_solve(layout, layout, &move.source) &&
                nereid_layout_reshape(&move.source, 1, (uint8_t[]){(uint8_t)nereid_layout_out_total(&move.source)});
  assert(solved); /* a layout has its own elements */
  (void)solved;
  place_in_slots(&move.source, layout, move.threads);
  load_between_barriers(&move, out);
  return true;
}

bool nereid_lower_load_from_ctas(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *places, int slot_bits,
                                 MlirType element, MlirValue scratch, nereid_lowered_t out) {
  move_t move = move_through(lower, element, scratch, slot_bits);
  move.source = *places;
  if (!check(lower, op))
    return false;
  load_all(&move, out);
  return true;
}
