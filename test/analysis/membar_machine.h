/* Executes a program on two warps once, and reports whether two conflicting accesses were unordered.
 *
 * It is independent of the analysis: slots come from the actual values of counters, layouts from their definition
 * (element e of a layout with s per thread is in warp e / 32 s mod 2), and for each 128 bytes it stores the time of
 * each warp's last read and write. Branches and trip counts are random. */
#ifndef NEREID_TEST_ANALYSIS_MEMBAR_MACHINE_H
#define NEREID_TEST_ANALYSIS_MEMBAR_MACHINE_H

#include "base/map.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "seam/ir.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

#include <string.h>

enum { WARPS = 2, UNIT = 128, UNITS = 512, MAX_STEPS = 400, MAX_COPIES = 256, MAX_FUNCTIONS = 8 };

typedef struct copy {
  MlirOperation op;
  int64_t first; /* byte */
  int size, scale, group;
  bool waited;
} copy_t;

typedef struct machine {
  MlirOperation module;
  MlirOperation without; /* a removed barrier; null: none */
  bool weakened;         /* it is replaced by a warp barrier */
  uint64_t state;        /* state of the random number generator */
  nereid_arena_t *arena;
  int now, steps; /* time of the last access or barrier; ops so far */
  int cta_barrier, warp_barrier;
  int reads[UNITS][WARPS], writes[UNITS][WARPS]; /* last times */
  MlirOperation readers[UNITS][WARPS], writers[UNITS][WARPS];
  MlirOperation op, racing[2]; /* the accessing op; the first unordered pair */
  copy_t copies[MAX_COPIES];
  int n_copies, groups;
  bool race, stuck;
} machine_t;

typedef struct frame {
  nereid_map_t values; /* integers, and the first bytes of buffers */
  int64_t base;
} frame_t;

static uint32_t draw(machine_t *m, uint32_t limit) {
  m->state = m->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(m->state >> 33) % limit;
}

static void set_value(frame_t *frame, MlirValue value, int64_t number) {
  *nereid_map_insert(&frame->values, value.ptr) = (uintptr_t)number;
}

static int64_t value_of(const frame_t *frame, MlirValue value) {
  const uintptr_t *place = nereid_map_find(&frame->values, value.ptr);
  return place ? (int64_t)*place : 0;
}

/* --- memory --- */

static bool ordered(const machine_t *m, int time, bool same_warp) {
  return !time || m->cta_barrier > time || (same_warp && m->warp_barrier > time);
}

/* Records an access of a unit by a warp, and checks its order to earlier accesses. */
static void check(machine_t *m, int64_t unit, int warp, bool writes) {
  for (int w = 0; w < WARPS && !m->race; ++w) {
    const bool after_write = ordered(m, m->writes[unit][w], w == warp);
    if (after_write && (!writes || ordered(m, m->reads[unit][w], w == warp)))
      continue;
    m->race = true;
    m->racing[0] = after_write ? m->readers[unit][w] : m->writers[unit][w];
    m->racing[1] = m->op;
  }
}

/* Whether `warp` holds unit `u` of `units` in a layout of `scale` elements per thread. */
static bool holds(int warp, int u, int units, int scale) {
  return units <= scale || u / scale % WARPS == warp;
}

typedef enum what { CHECK = 1, LEAVE = 2 } what_t;

/* `size` elements from byte `first` on; scale 0: any warp may access each. */
static void touch(machine_t *m, int64_t first, int size, int scale, bool writes, int what) {
  const int units = size * 4 / UNIT;
  ++m->now;
  for (int pass = CHECK; pass <= LEAVE; ++pass)
    for (int u = 0; (what & pass) && u < units; ++u)
      for (int w = 0; w < WARPS; ++w) {
        const int64_t unit = first / UNIT + u;
        if (unit < 0 || unit >= UNITS || (scale && !holds(w, u, units, scale)))
          continue;
        if (pass == CHECK) {
          check(m, unit, w, writes);
          continue;
        }
        *(writes ? &m->writes[unit][w] : &m->reads[unit][w]) = m->now;
        *(writes ? &m->writers[unit][w] : &m->readers[unit][w]) = m->op;
      }
}

static void wait_for_all(machine_t *m) {
  m->cta_barrier = m->warp_barrier = ++m->now;
}

/* --- ops --- */

static int scale_of(MlirType tensor) {
  MlirAttribute sizes = nereid_ttg_blocked_attr_get_size_per_thread(mlirRankedTensorTypeGetEncoding(tensor));
  return mlirDenseI32ArrayGetElement(sizes, 0);
}

static int64_t attribute_of(MlirOperation op, const char *name) {
  MlirAttribute attribute = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
  return mlirAttributeIsNull(attribute) ? -1 : mlirIntegerAttrGetValueInt(attribute);
}

static void touch_tensor(machine_t *m, const frame_t *frame, MlirValue buffer, MlirType tensor, bool writes) {
  touch(m, value_of(frame, buffer), (int)mlirShapedTypeGetDimSize(tensor, 0), scale_of(tensor), writes, CHECK | LEAVE);
}

static void run_barrier(machine_t *m, MlirOperation op) {
  const bool gone = mlirOperationEqual(op, m->without);
  if (gone && !m->weakened)
    return;
  if (gone || nereid_ttg_local_barrier_get_warp(op))
    m->warp_barrier = ++m->now;
  else
    wait_for_all(m);
}

static void run_copy(machine_t *m, const frame_t *frame, MlirOperation op) {
  MlirType tensor = mlirValueGetType(mlirOperationGetOperand(op, 0));
  copy_t copy = {.op = op,
                 .first = value_of(frame, mlirOperationGetOperand(op, 1)),
                 .size = (int)mlirShapedTypeGetDimSize(tensor, 0),
                 .scale = scale_of(tensor),
                 .group = m->groups};
  touch(m, copy.first, copy.size, copy.scale, true, CHECK);
  if (m->n_copies == MAX_COPIES)
    m->stuck = true;
  else
    m->copies[m->n_copies++] = copy;
}

/* The wait performs the writes of its copies. */
static void run_wait(machine_t *m, int pending) {
  for (int i = 0; i < m->n_copies; ++i)
    if (!m->copies[i].waited && m->copies[i].group < m->groups - pending) {
      m->copies[i].waited = true;
      m->op = m->copies[i].op;
      touch(m, m->copies[i].first, m->copies[i].size, m->copies[i].scale, true, LEAVE);
    }
}

static void run_conversion(machine_t *m, const frame_t *frame, MlirOperation op) {
  const int64_t offset = attribute_of(op, "allocation.offset");
  if (offset < 0)
    return;
  touch(m, frame->base + offset, 128, 0, true, CHECK | LEAVE);
  wait_for_all(m);
  touch(m, frame->base + offset, 128, 0, false, CHECK | LEAVE);
}

static bool compare(nereid_arith_cmp_i_predicate_t predicate, int64_t a, int64_t b) {
  switch (predicate) {
  case NEREID_ARITH_CMP_I_PREDICATE_EQ:
    return a == b;
  case NEREID_ARITH_CMP_I_PREDICATE_SGE:
    return a >= b;
  default:
    return a < b;
  }
}

static void run_arithmetic(frame_t *frame, MlirOperation op) {
  int64_t x[3] = {0}, result = 0;
  if (mlirOperationGetNumResults(op) != 1 || mlirTypeIsARankedTensor(mlirValueGetType(mlirOperationGetResult(op, 0))))
    return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 3; ++i)
    x[i] = value_of(frame, mlirOperationGetOperand(op, i));
  switch (nereid_op_kind(op)) {
  case NEREID_OP_ARITH_CONSTANT:
    result = mlirIntegerAttrGetValueInt(nereid_arith_constant_get_value_attr(op));
    break;
  case NEREID_OP_ARITH_ADDI:
    result = x[0] + x[1];
    break;
  case NEREID_OP_ARITH_REMUI:
    result = x[0] % x[1];
    break;
  case NEREID_OP_ARITH_CMPI:
    result = compare(nereid_arith_cmpi_get_predicate(op), x[0], x[1]);
    break;
  case NEREID_OP_ARITH_SELECT:
    result = x[0] ? x[1] : x[2];
    break;
  case NEREID_OP_TTG_MEMDESC_INDEX:
    result = x[0] + x[1] * 512;
    break;
  case NEREID_OP_TTG_MEMDESC_SUBSLICE:
    result = x[0] + (int64_t)nereid_ttg_memdesc_subslice_get_offsets(op, 0) * 4;
    break;
  default: /* memdesc_reinterpret */
    result = x[0];
  }
  set_value(frame, mlirOperationGetResult(op, 0), result);
}

/* --- control flow --- */

static MlirOperation run_block(machine_t *m, frame_t *frame, MlirBlock block);

static void run_function(machine_t *m, MlirOperation function, int64_t base, intptr_t n, const int64_t *arguments) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(function, 0));
  frame_t frame = {.base = base};
  nereid_map_initialize(&frame.values, m->arena);
  for (intptr_t i = 0; i < n; ++i)
    set_value(&frame, mlirBlockGetArgument(block, i), arguments[i]);
  while (!mlirBlockIsNull(block) && !m->stuck && !m->race) {
    MlirOperation last = run_block(m, &frame, block);
    const intptr_t successors = mlirOperationIsNull(last) ? 0 : mlirOperationGetNumSuccessors(last);
    if (!successors)
      return;
    const uint32_t taken = draw(m, (uint32_t)successors);
    MlirBlock next = mlirOperationGetSuccessor(last, (intptr_t)taken);
    intptr_t first = successors == 1 ? 0 : 1; /* the condition operand precedes the forwarded values */
    if (taken == 1)
      first += mlirBlockGetNumArguments(mlirOperationGetSuccessor(last, 0));
    int64_t passed[16];
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(next); ++i)
      passed[i] = value_of(&frame, mlirOperationGetOperand(last, first + i));
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(next); ++i)
      set_value(&frame, mlirBlockGetArgument(next, i), passed[i]);
    block = next;
  }
}

static void run_call(machine_t *m, const frame_t *frame, MlirOperation op) {
  MlirStringRef name = nereid_tt_call_get_callee(op);
  const int64_t offset = attribute_of(op, "allocation.offset");
  int64_t arguments[16];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    arguments[i] = value_of(frame, mlirOperationGetOperand(op, i));
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(m->module));
  for (MlirOperation f = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(f);
       f = mlirOperationGetNextInBlock(f)) {
    MlirAttribute symbol = mlirOperationGetAttributeByName(f, mlirStringRefCreateFromCString("sym_name"));
    if (mlirStringRefEqual(mlirStringAttrGetValue(symbol), name))
      run_function(m, f, frame->base + (offset < 0 ? 0 : offset), mlirOperationGetNumOperands(op), arguments);
  }
}

static void run_loop(machine_t *m, frame_t *frame, MlirOperation op) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, 0));
  int64_t carried[16];
  const intptr_t n = mlirOperationGetNumResults(op);
  for (intptr_t i = 0; i < n; ++i)
    carried[i] = value_of(frame, mlirOperationGetOperand(op, 3 + i));
  for (uint32_t trips = draw(m, 6); trips > 0 && !m->stuck && !m->race; --trips) {
    for (intptr_t i = 0; i < n; ++i)
      set_value(frame, mlirBlockGetArgument(body, 1 + i), carried[i]);
    MlirOperation yield = run_block(m, frame, body);
    for (intptr_t i = 0; !mlirOperationIsNull(yield) && i < n; ++i)
      carried[i] = value_of(frame, mlirOperationGetOperand(yield, i));
  }
  for (intptr_t i = 0; i < n; ++i)
    set_value(frame, mlirOperationGetResult(op, i), carried[i]);
}

static void run_branch(machine_t *m, frame_t *frame, MlirOperation op) {
  MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, (intptr_t)draw(m, 2)));
  if (!mlirBlockIsNull(block))
    run_block(m, frame, block);
}

static void run_op(machine_t *m, frame_t *frame, MlirOperation op) {
  m->op = op;
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_LOCAL_ALLOC:
    set_value(frame, mlirOperationGetResult(op, 0), frame->base + attribute_of(op, "allocation.offset"));
    if (mlirOperationGetNumOperands(op))
      touch_tensor(m, frame, mlirOperationGetResult(op, 0), mlirValueGetType(mlirOperationGetOperand(op, 0)), true);
    return;
  case NEREID_OP_TTG_LOCAL_LOAD:
    touch_tensor(m, frame, mlirOperationGetOperand(op, 0), mlirValueGetType(mlirOperationGetResult(op, 0)), false);
    return;
  case NEREID_OP_TTG_LOCAL_STORE:
    touch_tensor(m, frame, mlirOperationGetOperand(op, 1), mlirValueGetType(mlirOperationGetOperand(op, 0)), true);
    return;
  case NEREID_OP_TTG_LOCAL_BARRIER:
    run_barrier(m, op);
    return;
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    run_copy(m, frame, op);
    return;
  case NEREID_OP_TTG_ASYNC_COMMIT_GROUP:
    ++m->groups;
    return;
  case NEREID_OP_TTG_ASYNC_WAIT:
    run_wait(m, nereid_ttg_async_wait_get_num(op));
    return;
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    run_conversion(m, frame, op);
    return;
  case NEREID_OP_TT_CALL:
    run_call(m, frame, op);
    return;
  case NEREID_OP_SCF_FOR:
    run_loop(m, frame, op);
    return;
  case NEREID_OP_SCF_IF:
    run_branch(m, frame, op);
    return;
  default:
    run_arithmetic(frame, op);
  }
}

/* Returns the terminator of the block; null when the run ended before it. */
static MlirOperation run_block(machine_t *m, frame_t *frame, MlirBlock block) {
  MlirOperation last = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, last);
       op = mlirOperationGetNextInBlock(op)) {
    run_op(m, frame, op);
    if (++m->steps > MAX_STEPS)
      m->stuck = true;
    if (m->race || m->stuck)
      return (MlirOperation){NULL};
  }
  return last;
}

/* Runs `kernel` of `module` once; returns true on a race, with the two ops in `racing` unless it is null. */
static bool has_race(MlirOperation module, MlirOperation kernel, MlirOperation without, bool weakened, uint64_t seed,
                     MlirOperation racing[2]) {
  static machine_t m;
  nereid_arena_t scratch;
  nereid_arena_initialize(&scratch);
  memset(&m, 0, sizeof m);
  m.module = module;
  m.without = without;
  m.weakened = weakened;
  m.state = seed;
  m.arena = &scratch;
  const int64_t arguments[] = {0, draw(&m, 3), draw(&m, 3), 0, 0};
  run_function(&m, kernel, 0, 5, arguments);
  nereid_arena_deinitialize(&scratch);
  for (int i = 0; racing && i < 2; ++i)
    racing[i] = m.racing[i];
  return m.race;
}

#endif
