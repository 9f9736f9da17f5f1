/* Verifiers of fences and mbarriers; canonicalization of ops that never execute.
 *
 *   ttng.init_barrier %b, 1 : !ttg.memdesc<2xi32, ...>
 *     -> error: 'ttng.init_barrier' op expects an mbarrier, a memory descriptor of 1xi64, got ...
 *   ttng.arrive_barrier %b, 1, %false     -> erased
 *
 * The hardware's mbarrier is one aligned 64-bit word (PTX ISA, "Size and alignment of mbarrier object"). */
#include "dialects/ttng/ttng_verify.h"

#include "dialects/diagnose.h"

#include "bindings/ttng_hooks.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"

#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

/* The maximum arrival count of an mbarrier (PTX ISA, "Contents of the mbarrier object"). */
enum { arrivals_limit = (1 << 20) - 1 };

MlirLogicalResult nereid_ttng_barrier_operand_verify(MlirOperation op, MlirValue barrier) {
  MlirType type = mlirValueGetType(barrier);
  MlirType element = nereid_ttg_memdesc_type_get_element_type(type);
  /* In a cluster each CTA has its own: 2xi64 with one word in each of two CTAs (Triton 3.7 and later). */
  bool one = mlirShapedTypeGetRank(type) == 1 &&
             mlirShapedTypeGetDimSize(type, 0) >> nereid_ttg_cta_bits(nereid_ttg_memdesc_type_get_encoding(type)) <= 1;
  if (one && mlirTypeIsAInteger(element) && mlirIntegerTypeGetWidth(element) == 64)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects an mbarrier, a memory descriptor of 1xi64, got %s",
                         nereid_text_of_type(type).chars);
}

static MlirLogicalResult verify_count(MlirOperation op, const char *what, int32_t count, int32_t least, int32_t most) {
  if (least <= count && count <= most)
    return mlirLogicalResultSuccess();
  return nereid_diagnose(op, "expects %s from %d to %d, got %d", what, least, most, count);
}

MlirLogicalResult nereid_ttng_init_barrier_verify(MlirOperation op) {
  if (mlirLogicalResultIsFailure(nereid_ttng_barrier_operand_verify(op, nereid_ttng_init_barrier_get_alloc(op))))
    return mlirLogicalResultFailure();
  return verify_count(op, "a count of arrivals", nereid_ttng_init_barrier_get_count(op), 1, arrivals_limit);
}

MlirLogicalResult nereid_ttng_inval_barrier_verify(MlirOperation op) {
  return nereid_ttng_barrier_operand_verify(op, nereid_ttng_inval_barrier_get_alloc(op));
}

MlirLogicalResult nereid_ttng_barrier_expect_verify(MlirOperation op) {
  if (mlirLogicalResultIsFailure(nereid_ttng_barrier_operand_verify(op, nereid_ttng_barrier_expect_get_alloc(op))))
    return mlirLogicalResultFailure();
  return verify_count(op, "a size in bytes", nereid_ttng_barrier_expect_get_size(op), 0, arrivals_limit);
}

MlirLogicalResult nereid_ttng_wait_barrier_verify(MlirOperation op) {
  return nereid_ttng_barrier_operand_verify(op, nereid_ttng_wait_barrier_get_alloc(op));
}

MlirLogicalResult nereid_ttng_arrive_barrier_verify(MlirOperation op) {
  if (mlirLogicalResultIsFailure(nereid_ttng_barrier_operand_verify(op, nereid_ttng_arrive_barrier_get_alloc(op))))
    return mlirLogicalResultFailure();
  MlirAttribute ctas = nereid_ttng_arrive_barrier_get_ctas_attr(op);
  const int64_t last = nereid_ttg_num_ctas(op);
  if (!mlirAttributeIsNull(ctas) &&
      (nereid_ttng_arrive_barrier_get_ctas(op) < 1 || (int64_t)nereid_ttng_arrive_barrier_get_ctas(op) >> last != 0))
    return nereid_diagnose(op, "expects ctas to be a set of the %lld CTAs of the cluster, got %d", (long long)last,
                           nereid_ttng_arrive_barrier_get_ctas(op));
  return verify_count(op, "a count of arrivals", nereid_ttng_arrive_barrier_get_count(op), 1, arrivals_limit);
}

MlirLogicalResult nereid_ttng_async_copy_mbarrier_arrive_verify(MlirOperation op) {
  return nereid_ttng_barrier_operand_verify(op, nereid_ttng_async_copy_mbarrier_arrive_get_barrier(op));
}

/* --- predicates --- */

/* Erases `op` if its predicate (null: true) is a constant that is false, as in the steps before a pipelined loop. */
static MlirLogicalResult erase_if_false(MlirOperation op, MlirRewriterBase rewriter, MlirValue predicate) {
  MlirAttribute constant = mlirValueIsNull(predicate) ? (MlirAttribute){NULL} : nereidMlirValueGetConstant(predicate);
  if (mlirAttributeIsNull(constant) || !mlirAttributeIsAInteger(constant) || mlirIntegerAttrGetValueInt(constant) != 0)
    return mlirLogicalResultFailure();
  mlirRewriterBaseEraseOp(rewriter, op);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult nereid_ttng_barrier_expect_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  return erase_if_false(op, rewriter, nereid_ttng_barrier_expect_get_pred(op));
}

MlirLogicalResult nereid_ttng_wait_barrier_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  return erase_if_false(op, rewriter, nereid_ttng_wait_barrier_get_pred(op));
}

MlirLogicalResult nereid_ttng_arrive_barrier_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  return erase_if_false(op, rewriter, nereid_ttng_arrive_barrier_get_pred(op));
}

MlirLogicalResult nereid_ttng_async_tma_copy_global_to_local_canonicalize(MlirOperation op, MlirRewriterBase rewriter) {
  return erase_if_false(op, rewriter, nereid_ttng_async_tma_copy_global_to_local_get_pred(op));
}
