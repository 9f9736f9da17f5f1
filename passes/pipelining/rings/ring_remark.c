/* Remarks on rings; see ring_remark.h. The consumers are found in the lowered loop: the users of the slots, through
 * views, other than those that fill them. */
#include "passes/pipelining/rings/ring_remark.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"
#include "passes/debug_info/debug_scope.h"
#include "seam/context.h"

#include <string.h>

enum { MAX_READERS = 8 };

typedef struct readers {
  nereid_arena_t *arena;
  const char *texts[MAX_READERS];
  size_t count;
} readers_t;

/* Whether the users of an op's result use the slot. */
static bool is_view(MlirOperation op) {
  return mlirOperationGetNumResults(op) == 1 &&
         nereid_ttg_memdesc_type_isa(mlirValueGetType(mlirOperationGetResult(op, 0)));
}

static bool reads(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTNG_WAIT_BARRIER:
  case NEREID_OP_TTNG_ARRIVE_BARRIER:
  case NEREID_OP_TTG_LOCAL_DEALLOC:
  case NEREID_OP_TTG_LOCAL_STORE:
  case NEREID_OP_TTG_LOCAL_SCATTER:
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
  case NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL:
    return false;
  default:
    return true;
  }
}

/* Adds "ttg.local_load at kernels.py:12:3", once. */
static void add_reader(readers_t *readers, MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  const char *place = nereid_debug_place_text(readers->arena, mlirOperationGetLocation(op));
  const char *text = nereid_arena_format(readers->arena, "%.*s%s%s", (int)name.length, name.data, place ? " at " : "",
                                         place ? place : "");
  for (size_t i = 0; text && i < readers->count; ++i)
    if (strcmp(readers->texts[i], text) == 0)
      return;
  if (text && readers->count < MAX_READERS)
    readers->texts[readers->count++] = text;
}

static void add_readers(readers_t *readers, MlirValue buffer) {
  for (MlirOpOperand use = mlirValueGetFirstUse(buffer); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (is_view(op))
      add_readers(readers, mlirOperationGetResult(op, 0));
    else if (reads(op))
      add_reader(readers, op);
  }
}

/* "ttg.local_load at k.py:3:1, tt.dot at k.py:4:1", in the order of the program: uses are listed last first. */
static const char *list_of(const readers_t *readers) {
  const char *text = readers->count ? "" : "nothing";
  for (size_t i = readers->count; text && i-- > 0;)
    text = nereid_arena_format(readers->arena, "%s%s%s", text, *text ? ", " : "", readers->texts[i]);
  return text ? text : "";
}

/* " for 2 rings", if several share the mbarriers of a slot. */
static const char *shared_by(nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  const char *text = ring->sharing > 1 ? nereid_arena_format(arena, " for %zu rings", ring->sharing) : "";
  return text ? text : "";
}

/* "every 4 iterations": how often the parity of a phase changes. */
static const char *change_of(nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  const char *text =
      ring->slots == 1 ? "in each iteration" : nereid_arena_format(arena, "every %d iterations", ring->slots);
  return text ? text : "";
}

/* The partition that fills the slots of a warp-specialized loop. */
static const char *partition_of(nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  const char *text = "TMA by a producer warp";
  if (ring->by == NEREID_RING_BY_CP_ASYNC)
    text = nereid_arena_format(arena, "cp.async by %d producer warps", ring->producers);
  else if (ring->by == NEREID_RING_BY_STORES)
    text = nereid_arena_format(arena, "stores of the %d warps of partition %d", ring->producers, ring->partition);
  return text ? text : "";
}

/* What fills the slots, and what tells the consumers that a slot is full. */
static const char *producer_of(nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  const char *iterations = ring->ahead == 1 ? "iteration" : "iterations", *text;
  const nereid_op_kind_t kind = nereid_op_kind(ring->fill);
  if (ring->warps)
    text = nereid_arena_format(
        arena,
        "%s up to %d %s ahead; a full and an empty mbarrier per slot%s, whose phases change %s; %lld consumer warps "
        "release a slot",
        partition_of(arena, ring), ring->ahead, iterations, shared_by(arena, ring), change_of(arena, ring),
        (long long)ring->warps);
  else if (kind == NEREID_OP_TTNG_ASYNC_TMA_COPY_GLOBAL_TO_LOCAL)
    text = nereid_arena_format(arena, "TMA %d %s ahead; one full mbarrier per slot%s, whose phase changes %s",
                               ring->ahead, iterations, shared_by(arena, ring), change_of(arena, ring));
  else if (kind == NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL)
    text = nereid_arena_format(arena, "cp.async %d %s ahead; the wait leaves %d commit %s in flight", ring->ahead,
                               iterations, ring->pending, ring->pending == 1 ? "group" : "groups");
  else
    text =
        nereid_arena_format(arena, "stores of the threads %d %s ahead; barriers order them", ring->ahead, iterations);
  return text ? text : "";
}

/* ", multicast: each of 2 CTAs loads 1/2 of the slot for all of them". */
static const char *multicast_of(nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  const char *text =
      ring->ctas > 1 ? nereid_arena_format(arena, ", multicast: each of %d CTAs loads 1/%d of the slot for all of them",
                                           ring->ctas, ring->ctas)
                     : "";
  return text ? text : "";
}

void nereid_ring_remark(const nereid_pass_t *pass, nereid_arena_t *arena, const nereid_ring_remark_t *ring) {
  readers_t readers = {.arena = arena};
  if (!nereidMlirRemarksEnabled(pass->context))
    return;
  add_readers(&readers, ring->buffer);
  nereid_pass_remark_passed(pass, ring->fill, "ring", "ring of %d %s of %lld bytes: filled by %s%s; read by %s",
                            ring->slots, ring->slots == 1 ? "slot" : "slots", (long long)ring->bytes,
                            producer_of(arena, ring), multicast_of(arena, ring), list_of(&readers));
}
