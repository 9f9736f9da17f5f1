/* Short names for the LLVM-dialect ops that lowerings emit most; all go to lower->builder.
 *
 * Each returns the op's result. Integer arithmetic carries no overflow flags unless the name states them. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_EMIT_H
#define NEREID_CONVERSION_TTG_TO_LLVM_EMIT_H

#include "conversion/ttg_to_llvm/context.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

/* Emits an op by name with operands and result types; attributes by name. For ops without a function below, and for
 * tables. */
MlirOperation nereid_emit_op(nereid_lower_t *lower, const char *name, intptr_t n_results, const MlirType *results,
                             intptr_t n_operands, const MlirValue *operands, intptr_t n_attributes,
                             const MlirNamedAttribute *attributes);

/* Inserts a detached op at the builder. */
void nereid_emit_insert_op(nereid_lower_t *lower, MlirOperation op);

/* The same with one result and no attributes. */
MlirValue nereid_emit(nereid_lower_t *lower, const char *name, MlirType result, intptr_t n_operands,
                      const MlirValue *operands);

MlirNamedAttribute nereid_emit_attribute(nereid_lower_t *lower, const char *name, MlirAttribute value);

/* Dictionary `attributes` with `name` set to `value`. */
MlirAttribute nereid_lower_with_attribute(nereid_lower_t *lower, MlirAttribute attributes, const char *name,
                                          MlirAttribute value);

MlirValue nereid_emit_i32(nereid_lower_t *lower, int32_t value);
MlirValue nereid_emit_i64(nereid_lower_t *lower, int64_t value);
MlirValue nereid_emit_int(nereid_lower_t *lower, MlirType type, int64_t value);
MlirValue nereid_emit_float(nereid_lower_t *lower, MlirType type, double value);
/* A constant of any attribute that llvm.mlir.constant takes. */
MlirValue nereid_emit_constant(nereid_lower_t *lower, MlirType type, MlirAttribute value);

MlirValue nereid_emit_binary(nereid_lower_t *lower, const char *name, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_add(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_mul(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_and(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_or(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
/* A disjoint or: equivalent to an addition, which LLVM may use. */
MlirValue nereid_emit_or_disjoint(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_xor(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_shl(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_lshr(nereid_lower_t *lower, MlirValue lhs, MlirValue rhs);

/* Predicates of llvm.icmp and llvm.fcmp, by their values in the LLVM dialect. */
typedef enum nereid_icmp {
  NEREID_ICMP_EQ = 0,
  NEREID_ICMP_NE = 1,
  NEREID_ICMP_SLT = 2,
  NEREID_ICMP_SLE = 3,
  NEREID_ICMP_SGT = 4,
  NEREID_ICMP_SGE = 5,
  NEREID_ICMP_ULT = 6,
  NEREID_ICMP_ULE = 7,
  NEREID_ICMP_UGT = 8,
  NEREID_ICMP_UGE = 9
} nereid_icmp_t;

typedef enum nereid_fcmp {
  NEREID_FCMP_OEQ = 1,
  NEREID_FCMP_OGT = 2,
  NEREID_FCMP_OGE = 3,
  NEREID_FCMP_OLT = 4,
  NEREID_FCMP_OLE = 5,
  NEREID_FCMP_ONE = 6,
  NEREID_FCMP_ORD = 7,
  NEREID_FCMP_UEQ = 8,
  NEREID_FCMP_UGT = 9,
  NEREID_FCMP_UGE = 10,
  NEREID_FCMP_ULT = 11,
  NEREID_FCMP_ULE = 12,
  NEREID_FCMP_UNE = 13,
  NEREID_FCMP_UNO = 14
} nereid_fcmp_t;

MlirValue nereid_emit_icmp(nereid_lower_t *lower, nereid_icmp_t predicate, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_fcmp(nereid_lower_t *lower, nereid_fcmp_t predicate, MlirValue lhs, MlirValue rhs);
MlirValue nereid_emit_select(nereid_lower_t *lower, MlirValue condition, MlirValue if_true, MlirValue if_false);

/* llvm.trunc, llvm.zext, llvm.sext, llvm.bitcast, llvm.ptrtoint …: one operand; the result type determines the
 * conversion. */
MlirValue nereid_emit_cast(nereid_lower_t *lower, const char *name, MlirType to, MlirValue value);
/* The value's bits as another type of the same width; pointers through ptrtoint and inttoptr. */
MlirValue nereid_emit_bits(nereid_lower_t *lower, MlirType to, MlirValue value);

/* Fused floating point ops: carry the contract flag when fusion is on. */
MlirValue nereid_emit_fbinary(nereid_lower_t *lower, const char *name, MlirValue lhs, MlirValue rhs);

/* Pointer plus `bytes` (constant) or plus index * size of `element`. */
MlirValue nereid_emit_offset(nereid_lower_t *lower, MlirValue pointer, int64_t bytes);
MlirValue nereid_emit_gep(nereid_lower_t *lower, MlirValue pointer, MlirType element, MlirValue index);

MlirType nereid_emit_vector_type(MlirType element, intptr_t count);
MlirValue nereid_emit_extract(nereid_lower_t *lower, MlirValue vector, intptr_t index);
MlirValue nereid_emit_insert(nereid_lower_t *lower, MlirValue vector, MlirValue value, intptr_t index);
MlirValue nereid_emit_undef(nereid_lower_t *lower, MlirType type);
/* Packs `count` values of one type into a vector; a single value is unchanged. */
MlirValue nereid_emit_pack(nereid_lower_t *lower, intptr_t count, const MlirValue *values);

/* Field `index`, of type `field`, of a value of a struct type. */
MlirValue nereid_emit_field(nereid_lower_t *lower, MlirValue structure, MlirType field, int64_t index);

/* Inline PTX. `results` of them: none, one, or a literal struct whose fields nereid_emit_asm writes to `out_results`.
 * `constraints` as LLVM spells them ("=r,=r,l,b"). `volatile_` keeps it from being removed, moved or merged. */
void nereid_emit_asm(nereid_lower_t *lower, const char *text, const char *constraints, bool volatile_,
                     intptr_t n_results, const MlirType *results, intptr_t n_operands, const MlirValue *operands,
                     MlirValue *out_results);

/* Calls a declared function with one result or none (`result` null). */
MlirValue nereid_emit_call(nereid_lower_t *lower, const char *callee, MlirType result, intptr_t n_operands,
                           const MlirValue *operands);
/* Calls an LLVM intrinsic by name, e.g. "llvm.nvvm.ex2.approx.f". */
MlirValue nereid_emit_intrinsic(nereid_lower_t *lower, const char *name, MlirType result, intptr_t n_operands,
                                const MlirValue *operands);

void nereid_emit_branch(nereid_lower_t *lower, MlirBlock to, intptr_t n, const MlirValue *arguments);
void nereid_emit_cond_branch(nereid_lower_t *lower, MlirValue condition, MlirBlock if_true, MlirBlock if_false);
/* Splits the current block: the following ops move to the returned block, and the builder stays at the end of the first
 * half. For lowerings that need a branch. */
MlirBlock nereid_lower_split_block(nereid_lower_t *lower);

/* Begins code that runs only if `condition`, an i1, holds; returns the block to pass to nereid_lower_end_if. */
MlirBlock nereid_lower_begin_if(nereid_lower_t *lower, MlirValue condition);
void nereid_lower_end_if(nereid_lower_t *lower, MlirBlock rest);

/* Emits a barrier of the current warp group, of all warps of the CTA (with that barrier id), or of the warp. */
void nereid_emit_barrier(nereid_lower_t *lower);
void nereid_emit_cta_barrier(nereid_lower_t *lower, int32_t number);
void nereid_emit_warp_barrier(nereid_lower_t *lower);

/* Emits a barrier of all warps of all CTAs of the cluster, which orders accesses of shared memory between them. */
void nereid_emit_cluster_barrier(nereid_lower_t *lower);

/* Emits a barrier of all threads of the program: of the cluster if it has several CTAs, of the current warp group in
 * modules with ttg.warp_specialize. */
void nereid_emit_program_barrier(nereid_lower_t *lower);

/* Emits the fence that makes the thread's initializations of mbarriers visible to the cluster, before its barrier. */
void nereid_emit_mbarrier_fence(nereid_lower_t *lower);

/* The number of the CTA in its cluster, an i32. */
MlirValue nereid_emit_cta_rank(nereid_lower_t *lower);

#endif
