/* Binding of summaries; see membar_summary.h. */
#include "analysis/membar/membar_summary.h"

#include "dialects/ir.h"

#include "mlir-c/BuiltinAttributes.h"

enum { SPACE_BITS = 40 };

typedef struct binding {
  const nereid_membar_context_t *context;
  MlirOperation call;
  const nereid_slicer_t *callee;
  const nereid_membar_global_t *global; /* summary of the callee */
  int64_t start;                        /* start of the callee's frame */
} binding_t;

/* Binds an access to the bytes [access->first, access->end) of an argument, which is `slice` in the caller. */
static void bind_slice(const binding_t *binding, nereid_shared_access_t access, const nereid_buffer_slice_t *slice,
                       nereid_access_set_t *out) {
  nereid_access_shape_t shape = {.single = access.shape && access.shape->single};
  if (slice->exact && access.shape && access.shape->bases) {
    shape.base = slice->base;
    shape.offset = slice->offset ^ access.shape->offset;
    shape.bases = access.shape->bases;
    shape.ring = slice->ring;
    shape.phase = slice->phase;
  }
  if (nereid_buffer_slice_is_placed(slice) && shape.bases) {
    nereid_access_bases_range(shape.bases, shape.offset, &access.first, &access.end);
    access.first += slice->base;
    access.end += slice->base + 1;
  } else if (nereid_buffer_slice_is_placed(slice)) {
    access.first += slice->base + slice->offset;
    access.end += slice->base + slice->offset;
    access.end = access.end < slice->end ? access.end : slice->end;
  } else {
    access.first = slice->first;
    access.end = slice->end;
  }
  access.shape = shape.bases || shape.single ? nereid_access_shapes_get(binding->context->shapes, shape) : NULL;
  nereid_access_set_add(binding->context->arena, out, access);
}

static void bind_argument(const binding_t *binding, nereid_shared_access_t access, intptr_t argument,
                          nereid_access_set_t *out) {
  MlirValue value = mlirOperationGetOperand(binding->call, argument);
  const int64_t space = nereid_slicer_space(binding->callee, argument);
  const nereid_buffer_slices_t *slices =
      nereid_alias_is_buffer(value) ? nereid_slicer_get(binding->context->slicer, value) : NULL;
  access.first = !binding->callee->shares[argument] && access.first > space ? access.first - space : 0;
  access.end = access.end - space < NEREID_SHARED_SPACE(1) ? access.end - space : NEREID_SHARED_SPACE(1);
  for (size_t i = 0; slices && i < slices->size; ++i)
    bind_slice(binding, access, &slices->data[i], out);
}

static void bind_frame(const binding_t *binding, nereid_shared_access_t access, nereid_access_set_t *out) {
  access.first += binding->start;
  access.end += binding->start;
  if (access.shape && access.shape->bases) {
    nereid_access_shape_t shape = *access.shape;
    shape.base += binding->start;
    access.shape = nereid_access_shapes_get(binding->context->shapes, shape);
  }
  nereid_access_set_add(binding->context->arena, out, access);
}

static void bind_access(const binding_t *binding, nereid_shared_access_t access, nereid_access_set_t *out) {
  if (nereid_access_is_global(&access)) {
    nereid_membar_global_bind(binding->context->global, binding->call, binding->global, access, out);
    return;
  }
  const int64_t first = access.first >> SPACE_BITS, last = (access.end - 1) >> SPACE_BITS;
  if (access.kind == NEREID_SHARED_RELEASE)
    nereid_access_set_add(binding->context->arena, out, access);
  else if (!first)
    bind_frame(binding, access, out);
  const bool has_base = access.shape && access.shape->bases;
  for (intptr_t i = 0; first && i < binding->callee->n_arguments; ++i)
    if ((!has_base || access.shape->base >> SPACE_BITS == i + 1) && binding->callee->spaces[i] + 1 >= first &&
        binding->callee->spaces[i] + 1 <= last)
      bind_argument(binding, access, i, out);
}

static void bind_set(const binding_t *binding, const nereid_access_set_t *set, nereid_access_set_t *out) {
  *out = (nereid_access_set_t){0};
  for (size_t i = 0; i < set->size; ++i)
    bind_access(binding, set->data[i], out);
}

void nereid_membar_summary_bind(const nereid_membar_context_t *context, MlirOperation call,
                                const nereid_slicer_t *callee, const nereid_membar_global_t *global,
                                const nereid_membar_summary_t *summary, nereid_membar_summary_t *out) {
  const binding_t binding = {context, call, callee, global, nereid_ir_allocation_offset(call, 0)};
  *out = *summary;
  bind_set(&binding, &summary->entry, &out->entry);
  bind_set(&binding, &summary->async, &out->async);
  bind_set(&binding, &summary->bulk, &out->bulk);
  bind_set(&binding, &summary->exit.pending, &out->exit.pending);
  bind_set(&binding, &summary->exit.unfenced, &out->exit.unfenced);
  bind_set(&binding, &summary->exit.fenced, &out->exit.fenced);
  bind_set(&binding, &summary->exit.writing, &out->exit.writing);
  bind_set(&binding, &summary->exit.unpublished, &out->exit.unpublished);
  for (int g = 0; g < NEREID_ASYNC_GROUPS; ++g)
    bind_set(&binding, &summary->exit.in_flight[g], &out->exit.in_flight[g]);
}

/* --- arguments that overlap --- */

/* The bytes of `slice` that the view `value` covers. */
static void range_of(nereid_slicer_t *slicer, MlirValue value, const nereid_buffer_slice_t *slice, int64_t *first,
                     int64_t *end) {
  *first = slice->first;
  *end = slice->end;
  if (!nereid_buffer_slice_is_placed(slice))
    return;
  const nereid_access_bases_t *bases = nereid_access_bases_of((MlirType){NULL}, mlirValueGetType(value), slicer->arena);
  if (!bases)
    return;
  nereid_access_bases_range(bases, slice->offset, first, end);
  *first += slice->base;
  *end += slice->base + 1;
}

static bool overlap(nereid_slicer_t *slicer, MlirValue a, MlirValue b) {
  const nereid_buffer_slices_t *x = nereid_slicer_get(slicer, a), *y = nereid_slicer_get(slicer, b);
  for (size_t i = 0; x && y && i < x->size; ++i)
    for (size_t j = 0; j < y->size; ++j) {
      int64_t first[2], end[2];
      range_of(slicer, a, &x->data[i], &first[0], &end[0]);
      range_of(slicer, b, &y->data[j], &first[1], &end[1]);
      if (first[0] < end[1] && first[1] < end[0])
        return true;
    }
  return false;
}

void nereid_membar_summary_share(nereid_slicer_t *caller, MlirOperation call, uint32_t *spaces) {
  const intptr_t n = mlirOperationGetNumOperands(call);
  for (intptr_t i = 1; i < n; ++i)
    for (intptr_t j = 0; j < i; ++j) {
      MlirValue a = mlirOperationGetOperand(call, i), b = mlirOperationGetOperand(call, j);
      if (spaces[i] == spaces[j] || !nereid_alias_is_buffer(a) || !nereid_alias_is_buffer(b) || !overlap(caller, a, b))
        continue;
      const uint32_t low = spaces[i] < spaces[j] ? spaces[i] : spaces[j], high = spaces[i] ^ spaces[j] ^ low;
      for (intptr_t k = 0; k < n; ++k)
        spaces[k] = spaces[k] == high ? low : spaces[k];
    }
}
