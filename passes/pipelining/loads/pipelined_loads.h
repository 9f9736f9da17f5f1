/* The ops of a loop that can be executed iterations ahead of their uses, or the reasons why they cannot. */
#ifndef NEREID_PASSES_PIPELINED_LOADS_H
#define NEREID_PASSES_PIPELINED_LOADS_H

#include "analysis/axis/axis_info.h"
#include "base/vector.h"

#include "mlir-c/IR.h"

#include <stdbool.h>
#include <stdint.h>

/* A tt.load or tt.descriptor_load, or the ttg.local_alloc of a dot operand that is computed from loads. */
typedef struct nereid_pipelined_op {
  MlirOperation op;
  int64_t level;        /* length of the longest chain of loads that depend on this one */
  int64_t latency;      /* iterations; set by the caller */
  bool is_given;        /* the program has the latency */
  bool in_registers;    /* cp.async cannot copy the load: its value is carried in registers */
  bool feeds_buffer;    /* a load from which a ttg.local_alloc among these ops is computed */
  const char *obstacle; /* why it stays; null when it can be pipelined */
} nereid_pipelined_op_t;

typedef NEREID_VECTOR(nereid_pipelined_op_t) nereid_pipelined_t;

/* Collects the candidates of a loop, in program order: the loads that its dots depend on; all loads in a loop without a
 * dot or if `is_requested` by the program. Conversions to dot operands whose source is not copied by cp.async become a
 * buffer and a load from it. False when there are none, or when out of memory. */
bool nereid_pipelined_collect(MlirOperation loop, bool has_dot, bool is_requested, const nereid_axis_result_t *axis,
                              nereid_arena_t *arena, nereid_pipelined_t *out);

/* Collects the factors of results: loads of scalars and vectors, such as the scales of the rows and columns of a block,
 * with which an iteration computes, but on which none of its dots depends, as they are not in `loads`, and that depend
 * on no other load. False when there are none, or when out of memory. */
bool nereid_pipelined_collect_factors(MlirOperation loop, const nereid_axis_result_t *axis,
                                      const nereid_pipelined_t *loads, nereid_arena_t *arena, nereid_pipelined_t *out);

#endif
