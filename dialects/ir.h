/* Short forms of mlir-c calls for the folders above the dialects, and the names of attributes that several files read
 * or write. These functions own nothing; a null attribute means an absent one. */
#ifndef NEREID_DIALECTS_IR_H
#define NEREID_DIALECTS_IR_H

#include "nereid/dialects/ops.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

/* --- attribute names --- */

/* Inherent attributes of functions and symbols. */
#define NEREID_ATTR_SYMBOL_NAME "sym_name"
#define NEREID_ATTR_SYMBOL_VISIBILITY "sym_visibility"
#define NEREID_ATTR_FUNCTION_TYPE "function_type"
#define NEREID_ATTR_ARGUMENT_ATTRIBUTES "arg_attrs"

/* Discardable attributes of Triton: offsets in memory, kernel parameters, loops. */
#define NEREID_ATTR_ALLOCATION_OFFSET "allocation.offset"
#define NEREID_ATTR_ALLOCATION_PARTS "allocation.parts" /* how many parts share the scratch of a conversion */
#define NEREID_ATTR_GLOBAL_SCRATCH_OFFSET "ttg.global_scratch_memory_offset"
#define NEREID_ATTR_GLOBAL_SCRATCH_SIZE "ttg.global_scratch_memory_size"
#define NEREID_ATTR_TMA_DESCRIPTOR "tt.nv_tma_desc"
#define NEREID_ATTR_LATENCY "tt.latency"
#define NEREID_ATTR_SCHEDULED_MAX_STAGE "tt.scheduled_max_stage"
#define NEREID_MAX_STAGES 128 /* the limit of both, and of tt.num_stages: a step of the prologue per stage */
#define NEREID_ATTR_NUM_STAGES "tt.num_stages"
#define NEREID_ATTR_FLATTEN "tt.flatten"
#define NEREID_ATTR_LOOP_STAGE "loop.stage"
#define NEREID_ATTR_LOOP_CLUSTER "loop.cluster"
#define NEREID_ATTR_LOOP_OWN_SLOTS "loop.own_slots"       /* a load ahead whose ring shares no counters of slots */
#define NEREID_ATTR_LOOP_IN_REGISTERS "loop.in_registers" /* a load ahead whose value tritongpu-pipeline carries */
#define NEREID_ATTR_LOOP_UNROLLED "loop.unrolled" /* iterations that tritongpu-pipeline unrolls; 0: it does not */

/* Discardable attributes of a ttg.warp_specialize with regions of LLVM: bytes in shared memory for its captures; all
 * CTAs of the cluster synchronize where its regions begin and end. */
#define NEREID_ATTR_ALLOCATION_SIZE "allocation.size"
#define NEREID_ATTR_CLUSTER_BARRIER "ttg.cluster_barrier"

/* --- names and attributes --- */

static inline MlirStringRef nereid_ir_ref(const char *text) {
  return mlirStringRefCreateFromCString(text);
}

static inline MlirAttribute nereid_ir_attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, nereid_ir_ref(name));
}

static inline bool nereid_ir_has_attribute(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(nereid_ir_attribute(op, name));
}

static inline void nereid_ir_set_attribute(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, nereid_ir_ref(name), value);
}

/* Returns the value of an integer attribute, or `fallback` when it is absent. */
static inline int64_t nereid_ir_integer(MlirOperation op, const char *name, int64_t fallback) {
  MlirAttribute value = nereid_ir_attribute(op, name);
  return mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ? fallback : mlirIntegerAttrGetValueInt(value);
}

/* Sets an attribute of type i32. */
static inline void nereid_ir_set_integer(MlirOperation op, const char *name, int64_t value) {
  MlirType i32 = mlirIntegerTypeGet(mlirOperationGetContext(op), 32);
  nereid_ir_set_attribute(op, name, mlirIntegerAttrGet(i32, value));
}

/* --- typed accessors --- */

/* Returns the first result. */
static inline MlirValue nereid_ir_result(MlirOperation op) {
  return mlirOperationGetResult(op, 0);
}

/* Returns the user of `value` if it has exactly one use; null otherwise. */
static inline MlirOperation nereid_ir_only_user(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use)) ? (MlirOperation){NULL}
                                                                                        : mlirOpOperandGetOwner(use);
}

static inline bool nereid_ir_has_one_use(MlirValue value) {
  return !mlirOperationIsNull(nereid_ir_only_user(value));
}

/* Returns the op of `block` that is or contains `op`; null when there is none. */
static inline MlirOperation nereid_ir_ancestor_in(MlirBlock block, MlirOperation op) {
  while (!mlirOperationIsNull(op) && !mlirBlockEqual(mlirOperationGetBlock(op), block))
    op = mlirOperationGetParentOperation(op);
  return op;
}

/* Returns the tt.func that contains `op`, or `op` itself if it is one; null when there is none. */
static inline MlirOperation nereid_ir_function_of(MlirOperation op) {
  while (!mlirOperationIsNull(op) && nereid_op_kind(op) != NEREID_OP_TT_FUNC)
    op = mlirOperationGetParentOperation(op);
  return op;
}

/* Returns the symbol that `op` defines; empty when it defines none. */
static inline MlirStringRef nereid_ir_symbol_name(MlirOperation op) {
  MlirAttribute name = nereid_ir_attribute(op, NEREID_ATTR_SYMBOL_NAME);
  return mlirAttributeIsNull(name) ? mlirStringRefCreate("", 0) : mlirStringAttrGetValue(name);
}

/* Returns the dictionary of attributes of argument `index` of `function`; null when it has none. */
static inline MlirAttribute nereid_ir_argument_attributes(MlirOperation function, intptr_t index) {
  MlirAttribute all = nereid_ir_attribute(function, NEREID_ATTR_ARGUMENT_ATTRIBUTES);
  if (mlirAttributeIsNull(all) || index >= mlirArrayAttrGetNumElements(all))
    return (MlirAttribute){NULL};
  return mlirArrayAttrGetElement(all, index);
}

/* Returns the byte offset of a buffer, of scratch or of a callee's frame in the function's shared-memory frame;
 * `fallback` before allocation. */
static inline int64_t nereid_ir_allocation_offset(MlirOperation op, int64_t fallback) {
  return nereid_ir_integer(op, NEREID_ATTR_ALLOCATION_OFFSET, fallback);
}

#endif
