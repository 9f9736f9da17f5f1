/* Construction of fused loops; see fuse_loops.h.
 *
 * Each slice has its own mapping from values of the nest to values of the fused loop. Ops of the inner body are copied
 * once, with the mapping of their slice. */
#include "passes/pipelining/fusion/fuse_loops.h"

#include "dialects/ir.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/ub.h"
#include "passes/pipelining/expansion/loop_range.h"
#include "passes/pipelining/expansion/predicate.h"
#include "passes/pipelining/fusion/trip_count.h"
#include "passes/support/branch.h"
#include "passes/support/loop.h"
#include "passes/support/scalar.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>

#define NOT_CARRIED SIZE_MAX

typedef NEREID_VECTOR(MlirValue) values_t;

/* Positions of what a slice carries among the values of the fused loop. */
typedef struct carried {
  size_t counter, first, outer_counter; /* the last two may be NOT_CARRIED */
  size_t last_counter, exists;          /* with variant bounds; outputs of the prologue */
  size_t outputs;                       /* the first of as many values as the slice has outputs */
  size_t *inner, *outer;                /* by number of the carried value; NOT_CARRIED: not in this slice */
} carried_t;

typedef struct fuse {
  const nereid_loop_nest_t *nest;
  nereid_arena_t *arena;
  MlirContext context;
  nereid_builder_t before; /* the nest */
  nereid_trip_t inner;     /* bounds of the inner loop in the nest */
  MlirValue last_counter;  /* of invariant bounds */
  MlirValue exists;        /* of invariant bounds, where it is not known */
  values_t initial, next;
  carried_t carried[NEREID_SLICES];
  NereidMlirIRMapping mappings[NEREID_SLICES];
  MlirOperation loop;
  MlirBlock body;
} fuse_t;

/* --- values --- */

static MlirValue mapped(const fuse_t *fuse, int slice, MlirValue value) {
  MlirValue found = nereidMlirIRMappingLookupValue(fuse->mappings[slice], value);
  return mlirValueIsNull(found) ? value : found;
}

static MlirValue argument(const fuse_t *fuse, size_t position) {
  return mlirBlockGetArgument(fuse->body, (intptr_t)position + 1);
}

static size_t carry(fuse_t *fuse, MlirValue initial) {
  return nereid_vector_push(fuse->arena, &fuse->initial, initial) ? fuse->initial.size - 1 : 0;
}

/* The initial value of what the first iteration sets. */
static MlirValue unset(const fuse_t *fuse, MlirType type) {
  return nereid_ir_result(nereid_ub_poison_build(&fuse->before, type, (MlirAttribute){NULL}));
}

static MlirValue boolean(const fuse_t *fuse, bool value) {
  return nereid_scalar_constant(&fuse->before, mlirIntegerTypeGet(fuse->context, 1), value);
}

/* Whether the fused loop executes anything for the slice: without loads to execute ahead, the access slice is empty. */
static bool is_empty(const fuse_t *fuse, int slice) {
  return slice == NEREID_SLICE_ACCESS && fuse->nest->slices[slice].needed.size == 0;
}

/* Whether the first iteration of each outer one sets carried value `number` of the inner loop. */
static bool is_set_first(const fuse_t *fuse, intptr_t number) {
  return nereid_loop_nest_is_variant(fuse->nest, nereid_loop_initial(fuse->nest->inner, number));
}

static bool is_predicated(const fuse_t *fuse) {
  return fuse->nest->empty == NEREID_INNER_PREDICATED;
}

/* Whether the slice executes anything in the first iteration of each outer one. */
static bool has_prologue(const fuse_t *fuse, int slice) {
  const nereid_slice_t *in = &fuse->nest->slices[slice];
  if (in->kept.size || !fuse->nest->has_invariant_bounds)
    return true;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(fuse->nest->inner); ++i)
    if (nereid_loop_nest_carries_inner(fuse->nest, (nereid_slice_kind_t)slice, i) && is_set_first(fuse, i))
      return true;
  return false;
}

/* --- what the loop carries --- */

static size_t *carry_loop(fuse_t *fuse, int slice, MlirOperation loop) {
  const intptr_t n = mlirOperationGetNumResults(loop);
  const bool is_inner = mlirOperationEqual(loop, fuse->nest->inner);
  size_t *positions = nereid_arena_new(fuse->arena, size_t, (size_t)n + 1);
  for (intptr_t i = 0; positions && i < n; ++i) {
    MlirValue initial = nereid_loop_initial(loop, i);
    const nereid_slice_kind_t kind = (nereid_slice_kind_t)slice;
    positions[i] = NOT_CARRIED;
    if (is_inner && nereid_loop_nest_carries_inner(fuse->nest, kind, i))
      positions[i] = carry(fuse, is_set_first(fuse, i) ? unset(fuse, mlirValueGetType(initial)) : initial);
    if (!is_inner && nereid_loop_nest_carries_outer(fuse->nest, kind, i))
      positions[i] = carry(fuse, initial);
  }
  return positions;
}

static void plan_carried(fuse_t *fuse, int slice) {
  const nereid_loop_nest_t *nest = fuse->nest;
  const nereid_slice_t *in = &nest->slices[slice];
  carried_t *out = &fuse->carried[slice];
  const bool invariant = nest->has_invariant_bounds;
  MlirType type = mlirValueGetType(fuse->inner.lower);
  *out = (carried_t){.first = NOT_CARRIED, .outer_counter = NOT_CARRIED, .last_counter = NOT_CARRIED};
  out->exists = NOT_CARRIED;
  out->counter = carry(fuse, invariant ? fuse->inner.lower : unset(fuse, type));
  if (has_prologue(fuse, slice))
    out->first = carry(fuse, boolean(fuse, true));
  if (nereid_loop_nest_uses_counter(nest, (nereid_slice_kind_t)slice))
    out->outer_counter = carry(fuse, nereid_scf_for_get_lower_bound(nest->outer));
  if (!invariant)
    out->last_counter = carry(fuse, unset(fuse, type));
  if (!invariant && is_predicated(fuse))
    out->exists = carry(fuse, unset(fuse, mlirIntegerTypeGet(fuse->context, 1)));
  out->outputs = fuse->initial.size;
  for (size_t i = 0; i < in->outputs.size; ++i)
    carry(fuse, unset(fuse, mlirValueGetType(in->outputs.data[i])));
  out->inner = carry_loop(fuse, slice, nest->inner);
  out->outer = carry_loop(fuse, slice, nest->outer);
}

/* --- the number of iterations --- */

/* A loop over the outer counter that adds the inner trip counts, at least 1 each. */
static MlirValue sum_of_counts(fuse_t *fuse) {
  const nereid_loop_nest_t *nest = fuse->nest;
  MlirType i64 = mlirIntegerTypeGet(fuse->context, 64);
  MlirValue one = nereid_scalar_constant(&fuse->before, i64, 1), zero = nereid_scalar_constant(&fuse->before, i64, 0);
  MlirOperation loop = nereid_scf_for_build(
      &fuse->before, 1, &i64, nereid_scf_for_get_lower_bound(nest->outer), nereid_scf_for_get_upper_bound(nest->outer),
      nereid_scf_for_get_step(nest->outer), 1, &zero, nereid_scf_for_get_unsigned_cmp(nest->outer));
  MlirType arguments[] = {mlirValueGetType(nereid_scf_for_get_lower_bound(nest->outer)), i64};
  MlirLocation locations[] = {fuse->before.location, fuse->before.location};
  MlirBlock block = mlirBlockCreate(2, arguments, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(loop, 0), block);
  const nereid_builder_t builder = nereid_builder_at_end(fuse->before.location, block);
  NereidMlirIRMapping mapping = nereidMlirIRMappingCreate();
  nereid_map_t ops;
  nereid_loop_nest_bound_ops(nest, &ops);
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->outer_body, 0), mlirBlockGetArgument(block, 0));
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->outer_body); !mlirOperationEqual(op, nest->inner);
       op = mlirOperationGetNextInBlock(op))
    if (nereid_loop_nest_has(&ops, op.ptr))
      mlirBlockAppendOwnedOperation(block, nereidMlirOperationCloneWithMapping(op, mapping));
  nereid_trip_t trip = fuse->inner;
  MlirValue *bounds[] = {&trip.lower, &trip.upper, &trip.step};
  for (size_t i = 0; i < sizeof bounds / sizeof *bounds; ++i) {
    MlirValue found = nereidMlirIRMappingLookupValue(mapping, *bounds[i]);
    *bounds[i] = mlirValueIsNull(found) ? *bounds[i] : found;
  }
  nereidMlirIRMappingDestroy(mapping);
  MlirValue count = nereid_trip_count(&trip, &builder, false);
  count = nereid_ir_result(nereid_arith_maxui_build(&builder, count, one));
  MlirValue sum = nereid_scalar_add(&builder, mlirBlockGetArgument(block, 1), count);
  nereid_scf_yield_build(&builder, 1, &sum);
  return nereid_ir_result(loop);
}

static MlirValue number_of_iterations(fuse_t *fuse) {
  enum { SMALL = 1 << 30 };
  const nereid_loop_nest_t *nest = fuse->nest;
  nereid_loop_range_t outer, inner;
  nereid_loop_range_read(nest->outer, fuse->arena, &outer);
  nereid_loop_range_read(nest->inner, fuse->arena, &inner);
  const int64_t m = nereid_loop_range_count(&outer), n = nereid_loop_range_count(&inner);
  if (m >= 0 && n >= 0 && m <= SMALL / (n > 0 ? n : 1))
    return nereid_scalar_constant(&fuse->before, mlirIntegerTypeGet(fuse->context, 32), m * (n > 0 ? n : 1));
  if (!nest->has_invariant_bounds)
    return sum_of_counts(fuse);
  const nereid_trip_t trip = nereid_trip_of(nest->outer);
  MlirValue outer_count = nereid_trip_count(&trip, &fuse->before, outer.known > 0);
  MlirValue inner_count = nereid_trip_count(&fuse->inner, &fuse->before, !is_predicated(fuse));
  if (is_predicated(fuse))
    inner_count = nereid_ir_result(nereid_arith_maxui_build(
        &fuse->before, inner_count, nereid_scalar_constant(&fuse->before, mlirValueGetType(inner_count), 1)));
  return nereid_scalar_multiply(&fuse->before, outer_count, inner_count);
}

static void create_loop(fuse_t *fuse) {
  MlirValue count = number_of_iterations(fuse);
  MlirType type = mlirValueGetType(count);
  MlirType *types = nereid_arena_new(fuse->arena, MlirType, fuse->initial.size + 1);
  MlirLocation *locations = nereid_arena_new(fuse->arena, MlirLocation, fuse->initial.size + 1);
  if (!types || !locations)
    return;
  types[0] = type;
  for (size_t i = 0; i <= fuse->initial.size; ++i) {
    types[i] = i ? mlirValueGetType(fuse->initial.data[i - 1]) : type;
    locations[i] = fuse->before.location;
  }
  fuse->loop = nereid_scf_for_build(
      &fuse->before, (intptr_t)fuse->initial.size, types + 1, nereid_scalar_constant(&fuse->before, type, 0), count,
      nereid_scalar_constant(&fuse->before, type, 1), (intptr_t)fuse->initial.size, fuse->initial.data, false);
  fuse->body = mlirBlockCreate((intptr_t)fuse->initial.size + 1, types, locations);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(fuse->loop, 0), fuse->body);
  for (size_t i = 0; i < fuse->initial.size; ++i)
    nereid_vector_push(fuse->arena, &fuse->next, argument(fuse, i));
}

/* Maps the arguments of both bodies to what the slice carries. */
static void map_arguments(const fuse_t *fuse, int slice) {
  const nereid_loop_nest_t *nest = fuse->nest;
  const carried_t *carried = &fuse->carried[slice];
  NereidMlirIRMapping mapping = fuse->mappings[slice];
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->inner_body, 0), argument(fuse, carried->counter));
  if (carried->outer_counter != NOT_CARRIED)
    nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->outer_body, 0),
                                argument(fuse, carried->outer_counter));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (carried->inner[i] != NOT_CARRIED)
      nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->inner_body, i + 1),
                                  argument(fuse, carried->inner[i]));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->outer); ++i)
    if (carried->outer[i] != NOT_CARRIED)
      nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->outer_body, i + 1),
                                  argument(fuse, carried->outer[i]));
}

/* --- parts of the body --- */

/* Copies the ops of `block` from `from` on, before `to`, that are in `ops`. */
static void copy_ops(const fuse_t *fuse, int slice, MlirOperation from, MlirOperation to, const nereid_map_t *ops,
                     MlirBlock block) {
  for (MlirOperation op = from; !mlirOperationEqual(op, to); op = mlirOperationGetNextInBlock(op))
    if (nereid_loop_nest_has(ops, op.ptr))
      mlirBlockAppendOwnedOperation(block, nereidMlirOperationCloneWithMapping(op, fuse->mappings[slice]));
}

/* A branch whose results replace carried values: pairs of the position and the new value. */
typedef struct change {
  size_t position;
  MlirValue value;
} change_t;

typedef NEREID_VECTOR(change_t) changes_t;

static void change(fuse_t *fuse, changes_t *changes, size_t position, MlirValue value) {
  if (position != NOT_CARRIED)
    nereid_vector_push(fuse->arena, changes, (change_t){position, value});
}

/* Yields the changes from `block`, executed where `condition` holds, and `next` otherwise. Sets `next`. */
static void branch(fuse_t *fuse, MlirValue condition, MlirBlock block, const changes_t *changes) {
  MlirLocation location = fuse->before.location;
  values_t yes = {0}, no = {0};
  for (size_t i = 0; i < changes->size; ++i) {
    nereid_vector_push(fuse->arena, &yes, changes->data[i].value);
    nereid_vector_push(fuse->arena, &no, fuse->next.data[changes->data[i].position]);
  }
  nereid_builder_t builder = nereid_builder_at_end(location, block);
  nereid_scf_yield_build(&builder, (intptr_t)yes.size, yes.data);
  MlirBlock otherwise = mlirBlockCreate(0, NULL, NULL);
  builder = nereid_builder_at_end(location, otherwise);
  nereid_scf_yield_build(&builder, (intptr_t)no.size, no.data);
  builder = nereid_builder_at_end(location, fuse->body);
  MlirOperation made = nereid_branch_build(&builder, condition, block, otherwise);
  for (size_t i = 0; i < changes->size && !fuse->arena->failed; ++i)
    fuse->next.data[changes->data[i].position] = mlirOperationGetResult(made, (intptr_t)i);
}

/* Executes the prologue of the slice in the first iteration, with what else that sets. */
static void emit_prologue(fuse_t *fuse, int slice) {
  const nereid_loop_nest_t *nest = fuse->nest;
  const nereid_slice_t *in = &nest->slices[slice];
  const carried_t *carried = &fuse->carried[slice];
  NereidMlirIRMapping mapping = fuse->mappings[slice];
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  const nereid_builder_t builder = nereid_builder_at_end(fuse->before.location, block);
  changes_t changes = {0};
  copy_ops(fuse, slice, mlirBlockGetFirstOperation(nest->outer_body), nest->inner, &in->kept, block);
  if (!nest->has_invariant_bounds) {
    const nereid_trip_t trip = {mapped(fuse, slice, fuse->inner.lower), mapped(fuse, slice, fuse->inner.upper),
                                mapped(fuse, slice, fuse->inner.step), fuse->inner.is_unsigned};
    change(fuse, &changes, carried->counter, trip.lower);
    change(fuse, &changes, carried->last_counter,
           nereid_trip_last(&trip, &builder, nest->empty == NEREID_INNER_NEVER_EMPTY));
    if (carried->exists != NOT_CARRIED)
      change(fuse, &changes, carried->exists, nereid_trip_exists(&trip, &builder));
  }
  for (size_t i = 0; i < in->outputs.size; ++i)
    change(fuse, &changes, carried->outputs + i, mapped(fuse, slice, in->outputs.data[i]));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (carried->inner[i] != NOT_CARRIED && is_set_first(fuse, i))
      change(fuse, &changes, carried->inner[i], mapped(fuse, slice, nereid_loop_initial(nest->inner, i)));
  branch(fuse, argument(fuse, carried->first), block, &changes);
  nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->inner_body, 0), fuse->next.data[carried->counter]);
  for (size_t i = 0; i < in->outputs.size; ++i)
    nereidMlirIRMappingMapValue(mapping, in->outputs.data[i], fuse->next.data[carried->outputs + i]);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (carried->inner[i] != NOT_CARRIED)
      nereidMlirIRMappingMapValue(mapping, mlirBlockGetArgument(nest->inner_body, i + 1),
                                  fuse->next.data[carried->inner[i]]);
}

static MlirValue exists_in(const fuse_t *fuse, int slice) {
  const size_t position = fuse->carried[slice].exists;
  return position == NOT_CARRIED ? fuse->exists : fuse->next.data[position];
}

static void emit_body(fuse_t *fuse) {
  const nereid_loop_nest_t *nest = fuse->nest;
  for (MlirOperation op = mlirBlockGetFirstOperation(nest->inner_body); !mlirOperationEqual(op, nest->inner_yield);
       op = mlirOperationGetNextInBlock(op)) {
    const bool is_access = nereid_loop_nest_has(&nest->slices[NEREID_SLICE_ACCESS].needed, op.ptr);
    const int slice = is_access ? NEREID_SLICE_ACCESS : NEREID_SLICE_EXECUTE;
    MlirOperation copy = nereidMlirOperationCloneWithMapping(op, fuse->mappings[slice]);
    mlirBlockAppendOwnedOperation(fuse->body, copy);
    if (is_predicated(fuse) && nereid_predicate_is_needed(copy))
      copy = nereid_predicate_apply(copy, exists_in(fuse, slice));
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); ++r)
      for (int i = 0; i < NEREID_SLICES; ++i)
        nereidMlirIRMappingMapValue(fuse->mappings[i], mlirOperationGetResult(op, r), mlirOperationGetResult(copy, r));
  }
}

/* Maps the results of the inner loop. */
static void map_results(const fuse_t *fuse, int slice, const nereid_builder_t *builder) {
  const nereid_loop_nest_t *nest = fuse->nest;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i) {
    MlirValue result = mlirOperationGetResult(nest->inner, i);
    if (fuse->carried[slice].inner[i] == NOT_CARRIED || mlirOpOperandIsNull(mlirValueGetFirstUse(result)))
      continue;
    MlirValue value = fuse->next.data[fuse->carried[slice].inner[i]];
    if (is_predicated(fuse))
      value = nereid_ir_result(nereid_arith_select_build(builder, exists_in(fuse, slice), value,
                                                         mapped(fuse, slice, nereid_loop_initial(nest->inner, i))));
    nereidMlirIRMappingMapValue(fuse->mappings[slice], result, value);
  }
}

/* Restores initial values that do not change. A select is what tritongpu-optimize-accumulator-init looks for; others
 * become results of the epilogue's branch (tritongpu-combine-tensor-select-and-if). */
static void reset(fuse_t *fuse, int slice, const nereid_builder_t *builder, MlirValue last) {
  const nereid_loop_nest_t *nest = fuse->nest;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i) {
    const size_t position = fuse->carried[slice].inner[i];
    if (position == NOT_CARRIED || is_set_first(fuse, i))
      continue;
    MlirValue *next = &fuse->next.data[position];
    *next = nereid_ir_result(nereid_arith_select_build(builder, last, nereid_loop_initial(nest->inner, i), *next));
  }
}

/* Executes the epilogue of the slice in the last iteration. */
static void emit_epilogue(fuse_t *fuse, int slice, const nereid_builder_t *before, MlirValue last) {
  const nereid_loop_nest_t *nest = fuse->nest;
  const nereid_slice_t *in = &nest->slices[slice];
  const carried_t *carried = &fuse->carried[slice];
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  const nereid_builder_t builder = nereid_builder_at_end(fuse->before.location, block);
  changes_t changes = {0};
  copy_ops(fuse, slice, mlirBlockGetFirstOperation(nest->outer_body), nest->inner, &in->cloned, block);
  map_results(fuse, slice, &builder);
  copy_ops(fuse, slice, mlirOperationGetNextInBlock(nest->inner), nest->outer_yield, &in->needed, block);
  if (carried->outer_counter != NOT_CARRIED)
    change(fuse, &changes, carried->outer_counter,
           nereid_scalar_add(&builder, argument(fuse, carried->outer_counter), nereid_scf_for_get_step(nest->outer)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->outer); ++i)
    if (carried->outer[i] != NOT_CARRIED)
      change(fuse, &changes, carried->outer[i], mapped(fuse, slice, mlirOperationGetOperand(nest->outer_yield, i)));
  reset(fuse, slice, before, last);
  if (changes.size || !mlirOperationIsNull(mlirBlockGetFirstOperation(block)))
    branch(fuse, last, block, &changes);
  else
    mlirBlockDestroy(block);
}

static void emit_end(fuse_t *fuse, int slice) {
  const nereid_loop_nest_t *nest = fuse->nest;
  const carried_t *carried = &fuse->carried[slice];
  const nereid_builder_t builder = nereid_builder_at_end(fuse->before.location, fuse->body);
  MlirValue counter = mapped(fuse, slice, mlirBlockGetArgument(nest->inner_body, 0));
  MlirValue last_counter =
      carried->last_counter == NOT_CARRIED ? fuse->last_counter : fuse->next.data[carried->last_counter];
  MlirValue last =
      nereid_ir_result(nereid_arith_cmpi_build(&builder, counter, last_counter, NEREID_ARITH_CMP_I_PREDICATE_EQ));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(nest->inner); ++i)
    if (carried->inner[i] != NOT_CARRIED)
      fuse->next.data[carried->inner[i]] = mapped(fuse, slice, mlirOperationGetOperand(nest->inner_yield, i));
  emit_epilogue(fuse, slice, &builder, last);
  MlirValue next = nereid_scalar_add(&builder, counter, mapped(fuse, slice, fuse->inner.step));
  if (nest->has_invariant_bounds)
    next = nereid_ir_result(nereid_arith_select_build(&builder, last, fuse->inner.lower, next));
  fuse->next.data[carried->counter] = next;
  if (carried->first != NOT_CARRIED)
    fuse->next.data[carried->first] = last;
}

/* --- the whole --- */

/* Replaces the results of the nest and erases it. */
static void replace_nest(const fuse_t *fuse) {
  MlirOperation outer = fuse->nest->outer;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(outer); ++i) {
    const size_t position = fuse->carried[NEREID_SLICE_EXECUTE].outer[i];
    if (position != NOT_CARRIED)
      mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(outer, i),
                                    mlirOperationGetResult(fuse->loop, (intptr_t)position));
  }
  nereidMlirOperationErase(outer);
}

MlirOperation nereid_loop_nest_fuse(const nereid_loop_nest_t *nest) {
  fuse_t fuse = {.nest = nest,
                 .arena = nest->arena,
                 .context = nest->pass->context,
                 .before = nereid_builder_before(nest->outer),
                 .inner = nereid_trip_of(nest->inner)};
  if (nest->has_invariant_bounds) {
    fuse.last_counter = nereid_trip_last(&fuse.inner, &fuse.before, !is_predicated(&fuse));
    if (is_predicated(&fuse))
      fuse.exists = nereid_trip_exists(&fuse.inner, &fuse.before);
  }
  for (int i = 0; i < NEREID_SLICES; ++i)
    if (!is_empty(&fuse, i))
      plan_carried(&fuse, i);
  create_loop(&fuse);
  if (fuse.arena->failed)
    return (MlirOperation){NULL};
  for (int i = 0; i < NEREID_SLICES; ++i) {
    fuse.mappings[i] = nereidMlirIRMappingCreate();
    if (!is_empty(&fuse, i))
      map_arguments(&fuse, i);
  }
  for (int i = 0; i < NEREID_SLICES; ++i) {
    if (is_empty(&fuse, i))
      continue;
    if (fuse.carried[i].first != NOT_CARRIED)
      emit_prologue(&fuse, i);
    copy_ops(&fuse, i, mlirBlockGetFirstOperation(nest->outer_body), nest->inner, &nest->slices[i].views, fuse.body);
  }
  emit_body(&fuse);
  for (int i = 0; i < NEREID_SLICES; ++i)
    if (!is_empty(&fuse, i))
      emit_end(&fuse, i);
  const nereid_builder_t builder = nereid_builder_at_end(fuse.before.location, fuse.body);
  nereid_scf_yield_build(&builder, (intptr_t)fuse.next.size, fuse.next.data);
  for (int i = 0; i < NEREID_SLICES; ++i)
    nereidMlirIRMappingDestroy(fuse.mappings[i]);
  if (fuse.arena->failed)
    return (MlirOperation){NULL};
  replace_nest(&fuse);
  return fuse.loop;
}
