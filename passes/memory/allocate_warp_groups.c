/* tritongpu-allocate-warp-groups: assigns warps of the CTA, and registers, to partitions.
 *
 *   module {"ttg.num-warps" = 4}    ttg.warp_specialize() … partition0() num_warps(1) … partition1() num_warps(2)
 *   ->
 *   module {"ttg.num-warps" = 4, "ttg.total-num-warps" = 8}
 *     ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 6, 4, 7>}
 *     … partition0() num_warps(1) … partition1() num_warps(2) … partition2() num_warps(1)
 *
 * A CTA is launched with the warps of the largest ttg.warp_specialize, in whole groups of four, since setmaxnreg
 * applies to such a group (PTX ISA). In operations with fewer warps, empty partitions take the rest, so that every warp
 * has a partition to run. Larger partitions come first, so that a partition of four warps or more starts at a group.
 *
 * With `requestedRegisters`, the warps of a group get the maximum of what its partitions request, and the default
 * region gets the remaining registers, in steps of 8. Only sm_90a supports this. Requests that exceed the registers of
 * the CTA are ignored with a warning. ttg.maxnreg is limited to the equal share of a thread, with a warning: the
 * assembler would otherwise use so many registers that no CTA can be launched. Modules without either do not change. */
#include "passes/pass.h"
#include "passes/support/collect.h"

#include "base/target_facts.h"
#include "dialects/diagnose.h"
#include "dialects/ir.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttg.h"
#include "seam/context.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

enum {
  GROUP = 4, /* warps */
  MAX_WARPS = 32,
  STEP = 8,
  MIN_REGISTERS = 24, /* minimum operand of setmaxnreg */
  MAX_REGISTERS = 256,
  EMPTY_REQUEST = 16 /* request of an empty partition */
};

static int32_t round_up(int32_t value, int32_t step) {
  return (value + step - 1) / step * step;
}

static intptr_t partitions_of(MlirOperation op) {
  return nereid_ttg_warp_specialize_get_partition_num_warps_count(op);
}

static int32_t extra_warps(MlirOperation op) {
  int32_t warps = 0;
  for (intptr_t i = 0; i < partitions_of(op); ++i)
    warps += nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
  return warps;
}

static void set_array(MlirOperation op, const char *name, intptr_t n, const int32_t *values) {
  nereid_ir_set_attribute(op, name, mlirDenseI32ArrayGet(mlirOperationGetContext(op), n, values));
}

/* --- empty partitions --- */

static void add_empty_body(MlirOperation op, MlirRegion region) {
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  MlirLocation location = mlirOperationGetLocation(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); ++i)
    mlirBlockAddArgument(body, mlirValueGetType(mlirOperationGetOperand(op, i)), location);
  mlirRegionAppendOwnedBlock(region, body);
  nereid_builder_t builder = {.location = location, .block = body};
  nereid_ttg_warp_return_build(&builder);
}

/* Rebuilds the operation that holds the partitions: the number of regions is fixed at creation. */
static void add_regions(MlirOperation op, intptr_t before, intptr_t after) {
  MlirBlock holder = mlirRegionGetFirstBlock(nereid_ttg_warp_specialize_get_partition_op_holder(op));
  MlirOperation old = mlirBlockGetFirstOperation(holder);
  nereid_builder_t builder = {.location = mlirOperationGetLocation(old), .block = holder, .before = old};
  MlirOperation made = nereid_ttg_warp_specialize_partitions_build(&builder, after);
  for (intptr_t i = 0; i < after; ++i)
    if (i < before)
      mlirRegionTakeBody(mlirOperationGetRegion(made, i), mlirOperationGetRegion(old, i));
    else
      add_empty_body(op, mlirOperationGetRegion(made, i));
  mlirOperationDestroy(old);
}

/* Splits the remaining warps into powers of two, largest first: at most five for the warps of a CTA. */
static void fill_up(MlirOperation op, int32_t total) {
  int32_t warps[MAX_WARPS + GROUP], registers[MAX_WARPS + GROUP];
  const intptr_t before = partitions_of(op);
  const bool asks = !mlirAttributeIsNull(nereid_ttg_warp_specialize_get_requested_registers_attr(op));
  intptr_t n = before;
  for (intptr_t i = 0; i < n; ++i) {
    warps[i] = nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
    registers[i] = asks ? nereid_ttg_warp_specialize_get_requested_registers(op, i) : EMPTY_REQUEST;
  }
  for (int32_t left = total - extra_warps(op), size = MAX_WARPS; size; size /= 2)
    for (; size <= left; left -= size) {
      warps[n] = size;
      registers[n++] = EMPTY_REQUEST;
    }
  if (n == before)
    return;
  set_array(op, "partitionNumWarps", n, warps);
  if (asks)
    set_array(op, "requestedRegisters", n, registers);
  add_regions(op, before, n);
}

/* --- assignment of warps --- */

static void set_starts(MlirOperation op, int32_t first) {
  int32_t starts[MAX_WARPS];
  for (int32_t size = MAX_WARPS; size; size /= 2)
    for (intptr_t i = 0; i < partitions_of(op); ++i)
      if (nereid_ttg_warp_specialize_get_partition_num_warps(op, i) == size) {
        starts[i] = first;
        first += size;
      }
  set_array(op, "warpGroupStartIds", partitions_of(op), starts);
}

/* --- registers --- */

/* The registers of partition `i`: the largest request in its group of warps. */
static int32_t registers_of(MlirOperation op, intptr_t i) {
  const int32_t start = nereid_ttg_warp_specialize_get_warp_group_start_ids(op, i);
  int32_t largest = MIN_REGISTERS;
  for (intptr_t k = 0; k < partitions_of(op); ++k) {
    const int32_t asked = round_up(nereid_ttg_warp_specialize_get_requested_registers(op, k), STEP);
    if (nereid_ttg_warp_specialize_get_warp_group_start_ids(op, k) / GROUP == start / GROUP && asked > largest)
      largest = asked;
  }
  return largest < MAX_REGISTERS ? largest : MAX_REGISTERS;
}

static void warn(MlirOperation op, const char *message) {
  if (message)
    nereidMlirEmitWithNotes(MlirDiagnosticWarning, mlirOperationGetLocation(op), message, 0, NULL);
}

/* A thread's equal share of the register file. */
static int32_t share_of(MlirOperation module, int32_t total) {
  return NEREID_TARGET_REGISTERS / (total * nereid_ttg_threads_per_warp(module)) / STEP * STEP;
}

/* Registers per thread at launch, equal for all warps: at most the register file, or a warp would wait forever. */
static int32_t launch_registers(MlirOperation module, int32_t total) {
  const int32_t said = nereid_ttg_maxnreg(module), share = share_of(module, total);
  return said && said < share ? said : share;
}

/* Limits ttg.maxnreg to the share of a thread. */
static void limit_registers(const nereid_pass_t *pass, int32_t total) {
  const int32_t said = nereid_ttg_maxnreg(pass->op), share = total > 0 ? share_of(pass->op, total) : said;
  if (said <= share)
    return;
  warn(pass->op, nereid_arena_format(pass->scratch,
                                     "maxnreg is %d, but a CTA has %d registers, %d for each thread of %d warps: %d "
                                     "are used",
                                     said, (int)NEREID_TARGET_REGISTERS, share, total, share));
  nereid_ir_set_integer(pass->op, "ttg.maxnreg", share);
}

static void warn_of_requests(const nereid_pass_t *pass, MlirOperation op, int32_t total, int32_t left) {
  const int32_t threads = nereid_ttg_threads_per_warp(pass->op), all = launch_registers(pass->op, total) * total;
  warn(op,
       nereid_arena_format(pass->scratch,
                           "the partitions request %d registers, and the default region needs at least %d, but the "
                           "CTA is launched with %d: the requests are ignored",
                           (all - left) * threads, MIN_REGISTERS * (total - extra_warps(op)) * threads, all * threads));
}

/* Sets no registers when the default region would get too few. */
static void set_registers(const nereid_pass_t *pass, MlirOperation op, int32_t total) {
  int32_t actual[1 + MAX_WARPS];
  const int32_t each = launch_registers(pass->op, total), warps = total - extra_warps(op);
  int32_t left = each * total; /* in registers of all threads of one lane */
  for (intptr_t i = 0; i < partitions_of(op); ++i) {
    actual[1 + i] = registers_of(op, i);
    left -= actual[1 + i] * nereid_ttg_warp_specialize_get_partition_num_warps(op, i);
  }
  actual[0] = left / warps / STEP * STEP;
  if (actual[0] < MIN_REGISTERS) {
    warn_of_requests(pass, op, total, left);
    return;
  }
  if (actual[0] > MAX_REGISTERS)
    actual[0] = MAX_REGISTERS;
  set_array(op, "actualRegisters", 1 + partitions_of(op), actual);
  nereid_ir_set_integer(pass->op, "ttg.maxnreg",
                        each < MAX_REGISTERS ? each : MAX_REGISTERS - 1); /* a thread can address at most 255 */
}

/* --- the pass --- */

/* The first partition whose request no setmaxnreg has as its operand; -1: none. */
static intptr_t invalid_request(MlirOperation op) {
  if (!mlirAttributeIsNull(nereid_ttg_warp_specialize_get_requested_registers_attr(op)))
    for (intptr_t i = 0; i < partitions_of(op); ++i) {
      const int32_t asked = nereid_ttg_warp_specialize_get_requested_registers(op, i);
      if (asked < 0 || asked > MAX_REGISTERS)
        return i;
    }
  return -1;
}

static bool check(MlirOperation op, int32_t warps) {
  const bool asks = !mlirAttributeIsNull(nereid_ttg_warp_specialize_get_requested_registers_attr(op));
  const intptr_t asked = asks ? nereid_ttg_warp_specialize_get_requested_registers_count(op) : partitions_of(op);
  if (asked != partitions_of(op))
    nereid_diagnose(op, "has %ld register counts, expected one per partition, %ld", (long)asked,
                    (long)partitions_of(op));
  else if (invalid_request(op) >= 0)
    nereid_diagnose(op, "requests %d registers for each thread of partition %ld: expected 0 to %d",
                    nereid_ttg_warp_specialize_get_requested_registers(op, invalid_request(op)),
                    (long)invalid_request(op), (int)MAX_REGISTERS);
  else if (warps <= 0)
    nereid_diagnose(op, "needs the number of warps of its default region: expected ttg.num-warps on the module");
  else if (warps + round_up(extra_warps(op), GROUP) > MAX_WARPS)
    nereid_diagnose(op, "needs %d warps, %d of them for partitions: expected at most %d", warps + extra_warps(op),
                    extra_warps(op), MAX_WARPS);
  else
    return true;
  return false;
}

MlirLogicalResult nereid_pass_tritongpu_allocate_warp_groups(nereid_pass_t *pass) {
  nereid_operations_t ops = {0};
  const bool registers = nereid_pass_option_bool(pass, "registers");
  const int32_t warps = nereid_ttg_num_warps(pass->op);
  int32_t extra = 0;
  if (!nereid_collect_kind(pass->op, NEREID_OP_TTG_WARP_SPECIALIZE, pass->scratch, &ops))
    return mlirLogicalResultFailure();
  for (size_t i = 0; i < ops.size; ++i) {
    if (!check(ops.data[i], warps))
      return mlirLogicalResultFailure();
    const int32_t needed = round_up(extra_warps(ops.data[i]), GROUP);
    extra = needed > extra ? needed : extra;
  }
  limit_registers(pass, warps + extra);
  for (size_t i = 0; i < ops.size; ++i) {
    fill_up(ops.data[i], extra);
    set_starts(ops.data[i], warps);
    mlirOperationRemoveAttributeByName(ops.data[i], mlirStringRefCreateFromCString("actualRegisters"));
    if (registers && !mlirAttributeIsNull(nereid_ttg_warp_specialize_get_requested_registers_attr(ops.data[i])))
      set_registers(pass, ops.data[i], warps + extra);
  }
  if (ops.size)
    nereid_ir_set_integer(pass->op, "ttg.total-num-warps", warps + extra);
  return mlirLogicalResultSuccess();
}
