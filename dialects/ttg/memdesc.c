/* Buffer types as C structs; see the header. */
#include "dialects/ttg/memdesc.h"

#include "nereid/dialects/ops.h"
#include "nereid/dialects/ttg.h"

#include <mlir-c/BuiltinAttributes.h>

#include <stdio.h>
#include <string.h>

static int read_dims(MlirAttribute dims, int64_t *out) {
  intptr_t rank = mlirDenseArrayGetNumElements(dims);
  for (intptr_t i = 0; i < rank && i < NEREID_TTG_MAX_RANK; i++)
    out[i] = mlirDenseI64ArrayGetElement(dims, i);
  return rank <= NEREID_TTG_MAX_RANK ? (int)rank : 0;
}

bool nereid_ttg_memdesc_read(MlirType type, nereid_ttg_memdesc_t *out) {
  memset(out, 0, sizeof *out);
  if (mlirTypeIsNull(type) || !nereid_ttg_memdesc_type_isa(type))
    return false;
  out->rank = read_dims(nereid_ttg_memdesc_type_get_dims(type), out->shape);
  out->alloc_rank = read_dims(nereid_ttg_memdesc_type_get_alloc_dims(type), out->alloc);
  out->element = nereid_ttg_memdesc_type_get_element_type(type);
  out->encoding = nereid_ttg_memdesc_type_get_encoding(type);
  out->space = nereid_ttg_memdesc_type_get_memory_space(type);
  out->mutable_memory = nereid_ttg_memdesc_type_get_mutable_memory(type);
  return true;
}

nereid_ttg_memdesc_t nereid_ttg_memdesc_of(MlirValue value) {
  nereid_ttg_memdesc_t made;
  nereid_ttg_memdesc_read(mlirValueGetType(value), &made);
  return made;
}

MlirType nereid_ttg_memdesc_type(const nereid_ttg_memdesc_t *memdesc) {
  MlirContext ctx = mlirTypeGetContext(memdesc->element);
  return nereid_ttg_memdesc_type_create(ctx, mlirDenseI64ArrayGet(ctx, memdesc->rank, memdesc->shape), memdesc->element,
                                        memdesc->encoding, memdesc->space, memdesc->mutable_memory,
                                        mlirDenseI64ArrayGet(ctx, memdesc->alloc_rank, memdesc->alloc));
}

nereid_text_t nereid_ttg_memdesc_shape_text(const nereid_ttg_memdesc_t *memdesc) {
  nereid_text_t text = {0};
  int length = 0;
  for (int d = 0; d < memdesc->rank && length < (int)sizeof text.chars; ++d)
    length += snprintf(text.chars + length, sizeof text.chars - (size_t)length, "%lldx", (long long)memdesc->shape[d]);
  if (length < (int)sizeof text.chars)
    snprintf(text.chars + length, sizeof text.chars - (size_t)length, "%s",
             nereid_text_of_type(memdesc->element).chars);
  return text;
}

bool nereid_ttg_is_memdesc_view(MlirOperation op) {
  switch (nereid_op_kind(op)) {
  case NEREID_OP_TTG_MEMDESC_INDEX:
  case NEREID_OP_TTG_MEMDESC_SUBSLICE:
  case NEREID_OP_TTG_MEMDESC_TRANS:
  case NEREID_OP_TTG_MEMDESC_RESHAPE:
  case NEREID_OP_TTG_MEMDESC_REINTERPRET:
    return true;
  default:
    return false;
  }
}
