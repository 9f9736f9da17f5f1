/* Which layout the operands of an operation must have for its result to have a certain one.
 *
 *   %r = tt.expand_dims %x {axis = 1} : #a     %x in #ttg.slice<{dim = 1, parent = #a}>
 *   %r = arith.addf %x, %y : #a                %x and %y in #a
 *   %r = tt.reduce %x {axis = 1} : #ttg.slice<{dim = 1, parent = #a}>      %x in #a
 *   %r = tt.join %x, %y : #a                   %x and %y in the encoding that tt.split gives of #a
 *   %r = tt.gather %x[%i] : #a                 %i in #a, %x as it is
 *   %r = ttg.local_load %b : #a                nothing: the buffer is read in the other layout */
#ifndef NEREID_PASSES_LAYOUT_FLOW_H
#define NEREID_PASSES_LAYOUT_FLOW_H

#include <mlir-c/IR.h>

#include <stdbool.h>

/* How an op passes a layout from its result to its operands. */
typedef enum nereid_layout_flow {
  NEREID_LAYOUT_FLOW_NONE,    /* the op has its layout for a reason */
  NEREID_LAYOUT_FLOW_SOURCE,  /* no tensor operands: any layout will do */
  NEREID_LAYOUT_FLOW_SAME,    /* operands like the result */
  NEREID_LAYOUT_FLOW_CONVERT, /* a conversion: the operand may have the wanted layout already */
  NEREID_LAYOUT_FLOW_EXPAND,  /* the operand is the slice of the result */
  NEREID_LAYOUT_FLOW_TRANS,   /* the operand is the result, transposed back */
  NEREID_LAYOUT_FLOW_RESHAPE, /* the operand is the result in the operand's shape */
  NEREID_LAYOUT_FLOW_REDUCE,  /* the result is a slice of the operand */
  NEREID_LAYOUT_FLOW_JOIN,    /* the operands are the halves of the result */
  NEREID_LAYOUT_FLOW_FP4,     /* the operand is the result, packed in pairs */
  NEREID_LAYOUT_FLOW_GATHER,  /* the indices are like the result, the source stays */
  NEREID_LAYOUT_FLOW_READ,    /* a load from shared memory: any layout will do, for a second read */
} nereid_layout_flow_t;

/* A load may be done twice: the second one stands right behind the first and reads the same memory. */
bool nereid_is_repeatable_load(MlirOperation op);

nereid_layout_flow_t nereid_layout_flow_of(MlirOperation op);

/* Whether `value` is made of ranges, splats and constants by a few elementwise operations and views: any thread can
 * make its elements itself. */
bool nereid_is_recomputable(MlirValue value);

/* The encoding that operand `i` of `op` must have for the result to have `encoding`; null for scalars, buffers and
 * operands of any layout. False when there is none. */
bool nereid_layout_flow_operand(MlirOperation op, nereid_layout_flow_t flow, intptr_t i, MlirAttribute encoding,
                                MlirAttribute *out);

#endif
