/* Propagates a layout from the result of an operation to its operands.
 *
 *   %r = tt.expand_dims %x {axis = 1} : #a     %x in #ttg.slice<{dim = 1, parent = #a}>
 *   %r = arith.addf %x, %y : #a                %x and %y in #a
 *   %r = tt.reduce %x {axis = 1} : #ttg.slice<{dim = 1, parent = #a}>      %x in #a
 *   %r = tt.join %x, %y : #a                   %x and %y in the encoding that tt.split infers from #a
 *   %r = tt.gather %x[%i] : #a                 %i in #a, %x unchanged
 *   %r = ttg.local_load %b : #a                no requirement: the buffer is read in the other layout */
#ifndef NEREID_PASSES_LAYOUT_FLOW_H
#define NEREID_PASSES_LAYOUT_FLOW_H

#include <mlir-c/IR.h>

#include <stdbool.h>

/* How an op passes a layout from its result to its operands. */
typedef enum nereid_layout_flow {
  NEREID_LAYOUT_FLOW_NONE,    /* the layout of the op is fixed */
  NEREID_LAYOUT_FLOW_SOURCE,  /* no tensor operands: any layout is possible */
  NEREID_LAYOUT_FLOW_SAME,    /* operands like the result */
  NEREID_LAYOUT_FLOW_CONVERT, /* a conversion: the operand may already have the required layout */
  NEREID_LAYOUT_FLOW_EXPAND,  /* the operand is the slice of the result */
  NEREID_LAYOUT_FLOW_TRANS,   /* the operand is the result, transposed back */
  NEREID_LAYOUT_FLOW_RESHAPE, /* the operand is the result in the operand's shape */
  NEREID_LAYOUT_FLOW_REDUCE,  /* the result is a slice of the operand */
  NEREID_LAYOUT_FLOW_SCAN,    /* the operand like the result */
  NEREID_LAYOUT_FLOW_JOIN,    /* the operands are the halves of the result */
  NEREID_LAYOUT_FLOW_FP4,     /* the operand is the result, packed in pairs */
  NEREID_LAYOUT_FLOW_GATHER,  /* the indices are like the result, the source keeps its layout */
  NEREID_LAYOUT_FLOW_READ,    /* a load from shared memory: a second read is possible in any layout */
  NEREID_LAYOUT_FLOW_CARRIED, /* a value that an scf.for or scf.if carries: what it receives has the same layout */
} nereid_layout_flow_t;

/* Whether a load may be repeated: the second load is inserted directly after the first and reads the same memory. */
bool nereid_is_repeatable_load(MlirOperation op);

nereid_layout_flow_t nereid_layout_flow_of(MlirOperation op);

/* Whether `value` is computed from ranges, splats and constants by a few elementwise operations and views, so that any
 * thread can recompute its elements. */
bool nereid_is_recomputable(MlirValue value);

/* The encoding that operand `i` of `op` must have for the result to have `encoding`; null for scalars, buffers and
 * operands of any layout. False when there is none. */
bool nereid_layout_flow_operand(MlirOperation op, nereid_layout_flow_t flow, intptr_t i, MlirAttribute encoding,
                                MlirAttribute *out);

#endif
