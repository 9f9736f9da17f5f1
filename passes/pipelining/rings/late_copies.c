/* The order of copies and uses in a step; see late_copies.h. */
#include "passes/pipelining/rings/late_copies.h"

#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "dialects/ir.h"
#include "nereid/dialects/ops.h"
#include "passes/dot/dot_registers.h"
#include "passes/pipelining/loop_stages.h"
#include "passes/pipelining/ring.h"
#include "passes/pipelining/ring_budget.h"

#include "mlir-c/BuiltinTypes.h"

/* Bytes that one iteration copies, and whether warps read what others copied. */
typedef struct copies {
  int64_t bytes;
  bool cross;
} copies_t;

static copies_t copies_of(const nereid_operations_t *keys) {
  copies_t copies = {0};
  for (size_t i = 0; i < keys->size; ++i) {
    MlirType type = mlirValueGetType(nereid_ir_result(keys->data[i]));
    if (!nereid_ring_is_load(keys->data[i]) || !mlirTypeIsARankedTensor(type))
      continue;
    copies.cross = copies.cross || nereid_ring_crosses_warps(keys->data[i]);
    copies.bytes += nereid_scratch_part_bytes(type);
  }
  return copies;
}

/* Whether the dots of a step should begin before its copies, as threads execute both: dots that take longer than
 * copies, where warps read what others copied (`cross`), or where other CTAs hide the latency of copies. */
static bool dots_come_first(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys, bool cross,
                            nereid_arena_t *arena) {
  nereid_operations_t dots = {0};
  nereid_collect(loop, nereid_dot_is_dot, arena, &dots);
  bool slow = cross && dots.size > 0;
  for (size_t i = 0; i < dots.size; ++i) {
    if (nereid_op_kind(dots.data[i]) != NEREID_OP_TT_DOT)
      return false;
    slow &= nereid_dot_is_slow(dots.data[i]);
  }
  return slow || nereid_ring_budget_relies_on_ctas(module, loop, keys);
}

bool nereid_ring_copies_late(MlirOperation module, MlirOperation loop, const nereid_operations_t *keys, int64_t last,
                             nereid_arena_t *arena) {
  enum { SMALL = 8192 /* bytes that one iteration loads */ };
  const copies_t copies = copies_of(keys);
  if (nereid_loop_has_dot(loop))
    return dots_come_first(module, loop, keys, copies.cross, arena);
  return copies.cross && (copies.bytes > SMALL || (last + 1) * copies.bytes > nereid_allocation_limit(module) / 2);
}
