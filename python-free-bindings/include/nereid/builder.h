/* Building MLIR operations from C without text.
 *
 *   nereid_builder_t b = {.location = location, .block = body};
 *   MlirOperation id = nereid_tt_get_program_id_build(&b, NEREID_TT_PROGRAM_ID_DIM_X);
 *   MlirValue pid = nereid_tt_get_program_id_get_result(id);
 *
 * One function per operation is generated from the dialect's declaration, nereid/dialects/<dialect>.h:
 *   nereid_<dialect>_<operation>_build(builder, <result types unless inferred>, <operands>, <attributes>,
 *                                      <numbers of variadic regions>, <successors>)
 * A null handle omits an optional operand, result type or attribute. Arrays are borrowed for the call. Regions are
 * created empty; get them with the operation's accessor and append blocks to them.
 *
 * Ownership: the operation belongs to the block into which it is inserted. When the builder's block is null the
 * operation is detached and the caller owns it (mlirOperationDestroy). Values, types and attributes are never owned.
 *
 * Errors: a missing operand or attribute, an attribute of the wrong kind, or a failed type inference emits one MLIR
 * error at the builder's location and returns a null operation; nothing is inserted. Accessors of results do not accept
 * a null operation. The builder does not verify the operation: use mlirOperationVerify.
 *
 * Accessors require an operation of their kind (see nereid_op_kind); for other operations the result is undefined.
 *
 * Thread safety: that of MLIR. A thread that changes an operation needs exclusive access to it. These functions keep no
 * state. */
#ifndef NEREID_BUILDER_H
#define NEREID_BUILDER_H

#include <mlir-c/IR.h>

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An insertion point. Passed by value, owns nothing. */
typedef struct nereid_builder {
  MlirLocation location; /* of every operation built; must not be null: its context is used */
  MlirBlock block;       /* null: operations stay detached */
  MlirOperation before;  /* insert before this operation of `block`; null: at the end */
} nereid_builder_t;

/* Returns a builder that inserts at the end of `block`. */
static inline nereid_builder_t nereid_builder_at_end(MlirLocation location, MlirBlock block) {
  nereid_builder_t builder = {location, block, {NULL}};
  return builder;
}

/* Returns a builder that inserts before `operation`, with its location. */
static inline nereid_builder_t nereid_builder_before(MlirOperation operation) {
  nereid_builder_t builder = {mlirOperationGetLocation(operation), mlirOperationGetBlock(operation), operation};
  return builder;
}

#ifdef __cplusplus
}
#endif

#endif
