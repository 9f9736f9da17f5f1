/* Lowers ops on tensor maps in memory: ttng.tensormap_create, tensormap_fenceproxy_acquire,
 * reinterpret_tensor_descriptor.
 *
 *   ttng.tensormap_create %p, %base, [%box], [%dim], [], [%step] {elem_type = 7 : i32, ...}
 *   ->
 *   if (thread < 32)                                                     the first warp, in 128 bytes of scratch
 *     st.shared.b32 [scratch + 4 * thread], 0;  bar.warp.sync
 *     if (thread == 0)  tensormap.replace.tile.global_address.shared::cta.b1024.b64 [scratch], %base;  ...
 *     bar.warp.sync;  tensormap.cp_fenceproxy.global.shared::cta...release.gpu.sync.aligned [%p], [scratch], 128
 *
 * The format of a tensor map is not documented, so each field is set by an instruction, in a map that begins as zeros
 * (PTX ISA, "tensormap.replace", "tensormap.cp_fenceproxy"). The copy releases the map to the tensor-map proxy of the
 * GPU; an acquire precedes its first use in each CTA. */
#include "conversion/ttg_to_llvm/emit.h"
#include "conversion/ttg_to_llvm/memory/tma.h"
#include "conversion/ttg_to_llvm/slots.h"

#include "nereid/dialects/ttng.h"

enum { WARP_THREADS = 32, RAW_STRIDES = 86 };

/* The generic address of an address in global memory or in the kernel's parameters. */
static MlirValue generic(nereid_lower_t *lower, MlirValue address) {
  MlirType type = lower->types->ptr;
  return mlirTypeEqual(mlirValueGetType(address), type) ? address
                                                        : nereid_emit_cast(lower, "llvm.addrspacecast", type, address);
}

/* Sets a field of the map at `map`, which may have a dimension ("box_dim", ", 1"), to a value in a register. */
static void set_value(nereid_lower_t *lower, MlirValue map, const char *field, const char *dimension, bool wide,
                      MlirValue value) {
  const char *text = nereid_arena_format(lower->arena, "tensormap.replace.tile.%s.shared::cta.b1024.b%d [$0]%s, $1;",
                                         field, wide ? 64 : 32, dimension);
  MlirValue operands[] = {map, value};
  if (text)
    nereid_emit_asm(lower, text, wide ? "r,l,~{memory}" : "r,r,~{memory}", true, 0, NULL, 2, operands, NULL);
}

/* The same for each dimension. */
static void set_values(nereid_lower_t *lower, MlirOperation op, MlirValue map, const char *field, bool wide,
                       intptr_t count, MlirValue (*get)(MlirOperation op, intptr_t i)) {
  for (intptr_t i = 0; i < count; ++i) {
    const char *dimension = nereid_arena_format(lower->arena, ", %d", (int)i);
    if (dimension)
      set_value(lower, map, field, dimension, wide, nereid_lower_get(lower, get(op, i)).values[0]);
  }
}

/* Sets a field to a constant. */
static void set_constant(nereid_lower_t *lower, MlirValue map, const char *field, intptr_t value) {
  const char *text =
      nereid_arena_format(lower->arena, "tensormap.replace.tile.%s.shared::cta.b1024.b32 [$0], %d;", field, (int)value);
  if (text)
    nereid_emit_asm(lower, text, "r,~{memory}", true, 0, NULL, 1, &map, NULL);
}

static void set_fields(nereid_lower_t *lower, MlirOperation op, MlirValue map) {
  const intptr_t rank = nereid_ttng_tensormap_create_get_box_dim_count(op);
  set_value(lower, map, "global_address", "", true,
            nereid_lower_get(lower, nereid_ttng_tensormap_create_get_global_address(op)).values[0]);
  set_constant(lower, map, "rank", rank - 1);
  set_values(lower, op, map, "box_dim", false, rank, nereid_ttng_tensormap_create_get_box_dim);
  set_values(lower, op, map, "global_dim", false, rank, nereid_ttng_tensormap_create_get_global_dim);
  set_values(lower, op, map, "global_stride", true, rank - 1, nereid_ttng_tensormap_create_get_global_stride);
  set_values(lower, op, map, "element_stride", false, rank, nereid_ttng_tensormap_create_get_element_stride);
  set_constant(lower, map, "elemtype", nereid_ttng_tensormap_create_get_elem_type(op));
  set_constant(lower, map, "interleave_layout", nereid_ttng_tensormap_create_get_interleave_layout(op));
  set_constant(lower, map, "swizzle_mode", nereid_ttng_tensormap_create_get_swizzle_mode(op));
  set_constant(lower, map, "fill_mode", nereid_ttng_tensormap_create_get_fill_mode(op));
}

/* Each of the warp's threads clears a word; the barrier also orders the thread that last used the scratch. */
static void clear(nereid_lower_t *lower, MlirValue map, MlirValue thread) {
  MlirValue operands[] = {nereid_emit_gep(lower, map, lower->types->i32, thread), nereid_emit_i32(lower, 0)};
  nereid_emit_warp_barrier(lower);
  nereid_emit_asm(lower, "st.shared.b32 [$0], $1;", "r,r,~{memory}", true, 0, NULL, 2, operands, NULL);
  nereid_emit_warp_barrier(lower);
}

static bool lower_create(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue thread = lower->group->thread_id;
  if (!nereid_lower_needs_tma(lower, op))
    return false;
  if (lower->module->options.ptx_version < RAW_STRIDES)
    return nereid_lower_error(op, "sets strides, which ptxas encodes wrongly before PTX 8.6; the PTX version is %d.%d",
                              (int)lower->module->options.ptx_version / 10,
                              (int)lower->module->options.ptx_version % 10);
  MlirValue map = nereid_slots_scratch(lower, op);
  MlirValue place = generic(lower, nereid_lower_get(lower, nereid_ttng_tensormap_create_get_desc_ptr(op)).values[0]);
  if (mlirValueIsNull(map))
    return false;
  MlirBlock rest = nereid_lower_begin_if(
      lower, nereid_emit_icmp(lower, NEREID_ICMP_ULT, thread, nereid_emit_i32(lower, WARP_THREADS)));
  clear(lower, map, thread);
  MlirBlock set =
      nereid_lower_begin_if(lower, nereid_emit_icmp(lower, NEREID_ICMP_EQ, thread, nereid_emit_i32(lower, 0)));
  set_fields(lower, op, map);
  nereid_lower_end_if(lower, set);
  nereid_emit_warp_barrier(lower);
  MlirValue operands[] = {place, map};
  nereid_emit_asm(lower,
                  "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [$0], [$1], "
                  "128;",
                  "l,r,~{memory}", true, 0, NULL, 2, operands, NULL);
  nereid_lower_end_if(lower, rest);
  return true;
}

static bool lower_reinterpret(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  MlirValue address = nereid_lower_get(lower, nereid_ttng_reinterpret_tensor_descriptor_get_raw_desc(op)).values[0];
  if (!nereid_lower_needs_tma(lower, op))
    return false;
  nereid_lower_set_scalar(lower, mlirOperationGetResult(op, 0), generic(lower, address));
  return true;
}

/* ptxas omits a fence after the acquire unless a wait for bulk copies follows it, so an empty group is awaited. */
static bool lower_acquire(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row) {
  (void)row;
  if (!nereid_lower_needs_tma(lower, op))
    return false;
  MlirValue address = nereid_ttng_tensormap_fenceproxy_acquire_get_desc_ptr(op);
  MlirValue map = generic(lower, nereid_lower_get(lower, address).values[0]);
  nereid_emit_asm(lower,
                  "fence.proxy.tensormap::generic.acquire.gpu [$0], 128; cp.async.bulk.commit_group; "
                  "cp.async.bulk.wait_group.read 0;",
                  "l,~{memory}", true, 0, NULL, 1, &map, NULL);
  return true;
}

const nereid_lower_row_t nereid_lower_tensormap_rows[] = {
    {NEREID_OP_TTNG_TENSORMAP_CREATE, lower_create, NULL},
    {NEREID_OP_TTNG_REINTERPRET_TENSOR_DESCRIPTOR, lower_reinterpret, NULL},
    {NEREID_OP_TTNG_TENSORMAP_FENCEPROXY_ACQUIRE, lower_acquire, NULL},
    {NEREID_OP_UNKNOWN, NULL, NULL},
};
