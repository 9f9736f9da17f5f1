/* tritongpu-coalesce: assigns encodings to global memory accesses so that neighbouring threads access neighbouring
 * addresses, in vectors as wide as the addresses allow.
 *
 *   %x = tt.load %p : tensor<1024x!tt.ptr<f32>, #A>
 * becomes
 *   %q = ttg.convert_layout %p : ... #A -> #B         #B = blocked, sizePerThread = [4], order by contiguity
 *   %y = tt.load %q : tensor<1024x!tt.ptr<f32>, #B>
 *   %x = ttg.convert_layout %y : ... #B -> #A
 *
 * The fastest dimension is the most contiguous one; ties go to the smallest stride. Accesses with the same shape and
 * order that are connected by values form a group, and a thread takes as many elements along the fastest dimension as
 * the widest access of its group. A loaded value then needs no conversion where it is stored. An access that writes
 * takes at most the elements of one instruction, since gaps between threads cost a store more than a load.
 *
 * Narrow loads bound the elements of their group. A load that cannot use a vector (shifted by an element, with a
 * stride, of a table) is one instruction per element, and each of these accesses all cache lines that the elements of
 * the warp span:
 *
 *   f16, a thread has     8 elements    4 lines per instruction, 8 instructions
 *                         2             1                        2
 *
 * So a thread has at most 8 bytes, with which the wide accesses are as fast as with 16; where most accesses of the
 * group are narrow and of 8 or 16 bits, 4 bytes, so that an instruction spans one line.
 *
 * Where a group is scanned along another dimension than the fastest, and has no dot, a thread's elements are adjacent
 * along that one, too: it scans them itself, and a scan of 64 rows in 8 warps exchanges 8 partial results instead of
 * 16.
 *
 * The other decisions are those of Triton 3.6 except for masks. A mask that may change inside a vector would split it
 * into accesses with gaps between threads, so it bounds the vector width from the start (docs/differences.md). The
 * remaining conversions are left to tritongpu-remove-layout-conversions. Requires encodings and ttg.num-warps;
 * preserves semantics. */
#include "passes/pass.h"

#include "analysis/axis/axis_info.h"
#include "base/map.h"
#include "base/vector.h"
#include "dialects/diagnose.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "layout/encoding.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "passes/layout/support/access_stride.h"
#include "passes/layout/support/connected.h"
#include "passes/support/recurrence.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>

enum { RANK = NEREID_LAYOUT_MAX_RANK, VECTOR_BITS = 128, NARROW_BITS = 32 };

/* Attached to a dot, and to a scan along dimension d: SCAN - d. An access has its index attached. */
static const size_t DOT = SIZE_MAX, SCAN = SIZE_MAX - 1, LEAST_SCAN = SIZE_MAX - RANK;

/* One global memory access. */
typedef struct access {
  MlirOperation op;
  nereid_op_kind_t kind;
  MlirType type;                  /* type of the pointers, or of the block that a descriptor accesses */
  const nereid_axis_info_t *info; /* axis information of the pointers; null for a descriptor */
  const nereid_axis_info_t *mask; /* axis information of the mask; null without a mask */
  int32_t stride[RANK];           /* stride between adjacent elements; 0 or unknown: no preference */
  nereid_layout_t layout;         /* current layout; its block bits distribute the tensor over CTAs */
  int rank;
  int64_t shape[RANK], part[RANK]; /* elements of the tensor; elements of one CTA */
  int32_t order[RANK];
  int32_t own, elements;  /* vector width of a thread, in elements: the width this access allows; the chosen width */
  size_t set;             /* set of accesses with the same shape and order */
  MlirAttribute encoding; /* the chosen encoding; null before it is chosen */
} access_t;

/* The accesses of one set that are connected. */
typedef struct group group_t;
struct group {
  size_t set;
  int32_t elements; /* of a thread, along the fastest dimension */
  group_t *next;
};

typedef struct coalesce {
  nereid_pass_t *pass;
  nereid_axis_result_t axis;
  NEREID_VECTOR(access_t) accesses;
  nereid_map_t groups; /* numbers attached to connected operations -> list of group_t */
  int32_t threads_per_warp;
  bool failed;
} coalesce_t;

/* --- properties of an access --- */

static bool is_descriptor(nereid_op_kind_t kind) {
  return kind == NEREID_OP_TT_DESCRIPTOR_LOAD || kind == NEREID_OP_TT_DESCRIPTOR_GATHER ||
         kind == NEREID_OP_TT_DESCRIPTOR_STORE || kind == NEREID_OP_TT_DESCRIPTOR_REDUCE ||
         kind == NEREID_OP_TT_DESCRIPTOR_SCATTER;
}

/* The value whose type determines the accessed elements: the pointers, or a descriptor's block; null for other
 * operations. */
static MlirValue accessed_value(MlirOperation op, nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TT_LOAD:
    return nereid_tt_load_get_ptr(op);
  case NEREID_OP_TT_STORE:
    return nereid_tt_store_get_ptr(op);
  case NEREID_OP_TT_ATOMIC_RMW:
    return nereid_tt_atomic_rmw_get_ptr(op);
  case NEREID_OP_TT_ATOMIC_CAS:
    return nereid_tt_atomic_cas_get_ptr(op);
  case NEREID_OP_TT_ATOMIC_LOAD:
    return nereid_tt_atomic_load_get_ptr(op);
  case NEREID_OP_TT_ATOMIC_STORE:
    return nereid_tt_atomic_store_get_ptr(op);
  case NEREID_OP_TT_ATOMIC_POLL:
    return nereid_tt_atomic_poll_get_ptr(op);
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    return nereid_ttg_async_copy_global_to_local_get_src(op);
  case NEREID_OP_TT_DESCRIPTOR_LOAD:
    return nereid_tt_descriptor_load_get_result(op);
  case NEREID_OP_TT_DESCRIPTOR_GATHER:
    return nereid_tt_descriptor_gather_get_result(op);
  case NEREID_OP_TT_DESCRIPTOR_STORE:
    return nereid_tt_descriptor_store_get_src(op);
  case NEREID_OP_TT_DESCRIPTOR_REDUCE:
    return nereid_tt_descriptor_reduce_get_src(op);
  case NEREID_OP_TT_DESCRIPTOR_SCATTER:
    return nereid_tt_descriptor_scatter_get_src(op);
  default:
    return (MlirValue){NULL};
  }
}

/* Bits of an element in memory. */
static int32_t element_bits(const access_t *access) {
  MlirType element = mlirShapedTypeGetElementType(access->type);
  if (nereid_tt_ptr_type_isa(element))
    element = nereid_tt_ptr_type_get_pointee_type(element);
  if (mlirTypeIsAInteger(element))
    return mlirIntegerTypeGetWidth(element) < 8 ? 8 : (int32_t)mlirIntegerTypeGetWidth(element);
  return mlirTypeIsAFloat(element) ? (int32_t)mlirFloatTypeGetWidth(element) : 64;
}

/* Reads shape and current layout; false after a diagnostic. */
static bool read_shape(access_t *access) {
  if (nereid_layout_from_type(access->type, &access->layout) != NEREID_OK) {
    nereid_diagnose(access->op, "cannot be coalesced: %s has no distributed encoding that covers it",
                    nereid_text_of_type(access->type).chars);
    return false;
  }
  access->rank = access->layout.rank;
  uint32_t blocks = nereid_layout_span(&access->layout, NEREID_LAYOUT_BLOCK);
  for (int d = 0; d < access->rank; d++) {
    access->shape[d] = mlirShapedTypeGetDimSize(access->type, d);
    access->part[d] = access->shape[d] >> __builtin_popcount(blocks & nereid_layout_out_mask(&access->layout, d));
  }
  return true;
}

/* Whether dimension `a` is preferred over the later dimension `b` as the faster one. */
static bool is_faster(const access_t *access, int32_t a, int32_t b) {
  if (access->info && access->info->contiguity[a] != access->info->contiguity[b])
    return access->info->contiguity[a] > access->info->contiguity[b];
  if (access->shape[a] == 1 || access->shape[b] == 1)
    return access->shape[b] == 1 && access->shape[a] > 1;
  return access->stride[a] > 0 && access->stride[a] < access->stride[b];
}

/* Orders dimensions by decreasing contiguity. Ties: dimensions of size 1 come last unless that would keep two accesses
 * to the same row from sharing an encoding, then dimensions with larger strides, then the last dimension first. */
static void order_by_contiguity(access_t *access) {
  for (int i = 0; i < access->rank; i++) {
    int32_t d = access->rank - 1 - i;
    int place = i;
    for (; place > 0 && is_faster(access, d, access->order[place - 1]); place--)
      access->order[place] = access->order[place - 1];
    access->order[place] = d;
  }
}

static int64_t smaller(int64_t a, int64_t b) {
  return a < b ? a : b;
}

static int64_t at_least_one(int64_t a) {
  return a < 1 ? 1 : a;
}

/* The mask of a vector access; null without one. */
static MlirValue mask_of(MlirOperation op, nereid_op_kind_t kind) {
  switch (kind) {
  case NEREID_OP_TT_LOAD:
    return nereid_tt_load_get_mask(op);
  case NEREID_OP_TT_STORE:
    return nereid_tt_store_get_mask(op);
  case NEREID_OP_TTG_ASYNC_COPY_GLOBAL_TO_LOCAL:
    return nereid_ttg_async_copy_global_to_local_get_mask(op);
  default:
    return (MlirValue){NULL};
  }
}

/* Number of elements along the fastest dimension that share one mask value. */
static int64_t masked_together(const access_t *access) {
  return access->mask ? nereid_axis_info_constancy(access->mask, access->order[0]) : INT64_MAX;
}

/* The widest vector that the addresses and the mask allow, in elements. */
static int32_t widest_vector(const access_t *access) {
  int64_t run = smaller(nereid_axis_info_aligned_run(access->info, access->order[0]), masked_together(access));
  int64_t limit = smaller(access->part[access->order[0]], at_least_one(VECTOR_BITS / element_bits(access)));
  return (int32_t)smaller(run, limit);
}

/* The encoding in which a recurrence stores the vector to which it reduces its matrix: that of the reduction's result,
 * if threads have no more elements than in others. Another one would exchange the elements in each iteration, through
 * shared memory. Null for other accesses. */
static MlirAttribute encoding_of_recurrence(const coalesce_t *c, const access_t *access) {
  MlirOperation loop = mlirOperationGetParentOperation(access->op);
  nereid_recurrence_t recurrence;
  nereid_layout_t layout;
  if (access->kind != NEREID_OP_TT_STORE || access->rank != 1 || nereid_op_kind(loop) != NEREID_OP_SCF_FOR ||
      !nereid_recurrence_find(loop, &recurrence) || recurrence.axis < 0 ||
      mlirShapedTypeGetDimSize(recurrence.state, 1 - recurrence.axis) != access->shape[0])
    return (MlirAttribute){NULL};
  MlirAttribute encoding = nereid_ttg_slice_attr_create(mlirOperationGetContext(access->op), recurrence.axis,
                                                        mlirRankedTensorTypeGetEncoding(recurrence.state));
  const int64_t threads = (int64_t)nereid_ttg_num_warps(access->op) * c->threads_per_warp;
  if (!nereid_ttg_has_same_parts(access->type, encoding) ||
      nereid_layout_from_type(nereid_ttg_with_encoding(access->type, encoding), &layout) != NEREID_OK)
    return (MlirAttribute){NULL};
  const int64_t elements = 1 << layout.in_bits[NEREID_LAYOUT_REGISTER];
  return elements <= at_least_one(access->shape[0] / threads) ? encoding : (MlirAttribute){NULL};
}

static MlirWalkResult collect(MlirOperation op, void *data) {
  coalesce_t *c = data;
  access_t access = {.op = op, .kind = nereid_op_kind(op)};
  MlirValue value = accessed_value(op, access.kind);
  if (mlirValueIsNull(value) || !mlirTypeIsARankedTensor(mlirValueGetType(value)))
    return MlirWalkResultAdvance;
  access.type = mlirValueGetType(value);
  if (!nereid_ttg_has_block_parts(access.type))
    return MlirWalkResultAdvance; /* another encoding would move elements to other CTAs */
  if (!read_shape(&access)) {
    c->failed = true;
    return MlirWalkResultInterrupt;
  }
  if (!is_descriptor(access.kind)) {
    access.info = nereid_axis_info_get(&c->axis, value);
    for (int d = 0; d < access.rank; d++)
      access.stride[d] = access.rank > 1 ? nereid_access_stride(&c->axis, value, d) : 0;
  }
  access.encoding = encoding_of_recurrence(c, &access);
  MlirValue mask = mask_of(op, access.kind);
  if (!mlirValueIsNull(mask))
    access.mask = nereid_axis_info_get(&c->axis, mask);
  order_by_contiguity(&access);
  access.own = widest_vector(&access);
  return nereid_vector_push(c->pass->scratch, &c->accesses, access) ? MlirWalkResultAdvance : MlirWalkResultInterrupt;
}

/* --- choice of the encoding --- */

static bool same_shape_and_order(const access_t *a, const access_t *b) {
  return a->rank == b->rank && memcmp(a->shape, b->shape, sizeof a->shape) == 0 &&
         memcmp(a->order, b->order, sizeof a->order) == 0;
}

/* Numbers the sets of accesses that have the same shape and order. */
static void classify(coalesce_t *c) {
  size_t classes = 0;
  NEREID_VECTOR(size_t) firsts = {0};
  for (size_t i = 0; i < c->accesses.size; i++) {
    access_t *access = &c->accesses.data[i];
    access->set = 0;
    while (access->set < classes && !same_shape_and_order(access, &c->accesses.data[firsts.data[access->set]]))
      access->set++;
    if (access->set == classes) {
      if (!nereid_vector_push(c->pass->scratch, &firsts, i))
        return;
      classes++;
    }
  }
}

/* Whether each element of a load is an instruction of its own where its group has `widest` elements per thread, with
 * addresses that differ. */
static bool is_narrow(const access_t *access, int32_t widest) {
  return access->kind == NEREID_OP_TT_LOAD && access->own < widest &&
         access->own * element_bits(access) <= NARROW_BITS &&
         nereid_axis_info_constancy(access->info, access->order[0]) < widest;
}

/* The access in `set` with that number; null for a dot, a scan, and accesses of other sets. */
static const access_t *member(const coalesce_t *c, size_t set, size_t number) {
  const access_t *access = number >= LEAST_SCAN ? NULL : &c->accesses.data[number];
  return access && access->set == set ? access : NULL;
}

/* The widest vector of the accesses in `set` among `attached`, or fewer elements for the sake of narrow loads. Dots
 * read their operands from shared memory, to which loads become copies of at most 16 bytes: narrow loads do not bound
 * groups with dots. */
static int32_t choose_elements(const coalesce_t *c, size_t set, const size_t *attached, size_t count) {
  int32_t widest = 1, narrow_bits = 8; /* of the widest element of a narrow load */
  int64_t members = 0, narrow = 0;
  bool has_dot = false;
  for (size_t i = 0; i < count; i++) {
    const access_t *access = member(c, set, attached[i]);
    has_dot |= attached[i] == DOT;
    members += access != NULL;
    widest = access && access->own > widest ? access->own : widest;
  }
  for (size_t i = 0; i < count; i++) {
    const access_t *access = member(c, set, attached[i]);
    if (!access || !is_narrow(access, widest))
      continue;
    narrow++;
    narrow_bits = element_bits(access) > narrow_bits ? element_bits(access) : narrow_bits;
  }
  if (narrow == 0 || has_dot)
    return widest;
  const bool is_mostly_narrow = 2 * narrow > members && narrow_bits < NARROW_BITS;
  return (int32_t)smaller(widest, (is_mostly_narrow ? NARROW_BITS : 2 * NARROW_BITS) / narrow_bits);
}

/* The elements of a thread for the group of `access`, which are chosen once per group. */
static int32_t group_elements(coalesce_t *c, nereid_connected_t *connected, const access_t *access) {
  size_t count;
  const size_t *attached = nereid_connected_attached(connected, access->op, &count);
  uintptr_t *list = attached ? nereid_map_insert(&c->groups, attached) : NULL;
  for (group_t *group = list ? (group_t *)*list : NULL; group; group = group->next)
    if (group->set == access->set)
      return group->elements;
  group_t *made = nereid_arena_new(c->pass->scratch, group_t, 1);
  if (!list || !made)
    return access->own;
  *made = (group_t){access->set, choose_elements(c, access->set, attached, count), (group_t *)*list};
  *list = (uintptr_t)made;
  return made->elements;
}

/* Chooses the number of elements of a thread along the fastest dimension. */
static int32_t decide_elements(coalesce_t *c, nereid_connected_t *connected, const access_t *access, int64_t threads) {
  int64_t total = 1;
  for (int d = 0; d < access->rank; d++)
    total *= access->part[d];
  int64_t share = at_least_one(total / threads);
  if (is_descriptor(access->kind))
    return (int32_t)smaller(share, at_least_one(VECTOR_BITS / element_bits(access)));
  int32_t widest = access->own;
  if (mlirValueIsAOpResult(accessed_value(access->op, access->kind)))
    widest = group_elements(c, connected, access);
  int32_t elements = (int32_t)smaller(widest, share);
  return access->kind == NEREID_OP_TT_LOAD ? elements : (int32_t)smaller(elements, access->own);
}

/* Distributes threads: as many along each dimension as it has vectors, fastest first, the rest along the slowest. */
static void distribute_threads(const access_t *access, int32_t lanes, int32_t warps, int32_t *out_lanes,
                               int32_t *out_warps) {
  int64_t threads = (int64_t)lanes * warps;
  assert(access->rank >= 1);
  for (int i = 0; i + 1 < access->rank; i++) {
    int32_t d = access->order[i];
    int64_t vectors = at_least_one(access->part[d] / (i == 0 ? access->elements : 1));
    int64_t here = at_least_one(smaller(threads, vectors));
    out_lanes[d] = (int32_t)smaller(here, lanes);
    out_warps[d] = (int32_t)smaller(at_least_one(here / out_lanes[d]), warps);
    lanes /= out_lanes[d];
    warps /= out_warps[d];
    threads /= here;
  }
  out_lanes[access->order[access->rank - 1]] = lanes;
  out_warps[access->order[access->rank - 1]] = warps;
}

/* The dimension along which a group without dots is scanned, if it is not the fastest one; else -1. */
static int scanned_dimension(nereid_connected_t *connected, const access_t *access) {
  size_t count;
  const size_t *attached = nereid_connected_attached(connected, access->op, &count);
  int found = -1;
  for (size_t i = 0; i < count; i++) {
    if (attached[i] == DOT)
      return -1;
    const size_t d = attached[i] >= LEAST_SCAN ? SCAN - attached[i] : RANK;
    if (d < (size_t)access->rank && (int32_t)d != access->order[0])
      found = (int)d;
  }
  return found;
}

static MlirAttribute make_encoding(const access_t *access, int scanned, MlirContext context, int32_t lanes,
                                   int32_t warps) {
  int32_t size[RANK], lane_grid[RANK], warp_grid[RANK];
  for (int d = 0; d < access->rank; d++)
    size[d] = 1;
  size[access->order[0]] = access->elements;
  distribute_threads(access, lanes, warps, lane_grid, warp_grid);
  if (scanned >= 0)
    size[scanned] = (int32_t)at_least_one(access->part[scanned] / (lane_grid[scanned] * warp_grid[scanned]));
  intptr_t rank = access->rank;
  return nereid_ttg_blocked_attr_create(
      context, mlirDenseI32ArrayGet(context, rank, size), mlirDenseI32ArrayGet(context, rank, lane_grid),
      mlirDenseI32ArrayGet(context, rank, warp_grid), mlirDenseI32ArrayGet(context, rank, access->order),
      nereid_ttg_cga_of_tensor(access->type));
}

static MlirWalkResult attach_user(MlirOperation op, void *data) {
  nereid_op_kind_t kind = nereid_op_kind(op);
  if (kind == NEREID_OP_TT_SCAN)
    nereid_connected_attach(data, op, SCAN - (size_t)nereid_tt_scan_get_axis(op));
  if (kind == NEREID_OP_TT_DOT || kind == NEREID_OP_TT_DOT_SCALED)
    nereid_connected_attach(data, op, DOT);
  return MlirWalkResultAdvance;
}

static void decide(coalesce_t *c, nereid_connected_t *connected) {
  for (size_t i = 0; i < c->accesses.size; i++) {
    access_t *access = &c->accesses.data[i];
    int32_t warps =
        nereid_ttg_num_warps(access->op); /* the verifier requires ttg.num-warps on modules with encodings */
    access->elements = decide_elements(c, connected, access, (int64_t)warps * c->threads_per_warp);
    if (mlirAttributeIsNull(access->encoding))
      access->encoding =
          make_encoding(access, scanned_dimension(connected, access), c->pass->context, c->threads_per_warp, warps);
  }
}

/* --- the rewrite --- */

/* Row indices of a descriptor gather or scatter are a different tensor with its own layout rules. */
static bool keeps_operand(const access_t *access, MlirValue operand) {
  if (!mlirTypeIsARankedTensor(mlirValueGetType(operand)))
    return true;
  if (access->kind == NEREID_OP_TT_DESCRIPTOR_GATHER)
    return mlirValueEqual(operand, nereid_tt_descriptor_gather_get_x_offsets(access->op));
  return access->kind == NEREID_OP_TT_DESCRIPTOR_SCATTER &&
         mlirValueEqual(operand, nereid_tt_descriptor_scatter_get_x_offsets(access->op));
}

static bool convert_operands(const access_t *access) {
  nereid_builder_t builder = nereid_builder_before(access->op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(access->op); i++) {
    MlirValue operand = mlirOperationGetOperand(access->op, i);
    if (keeps_operand(access, operand))
      continue;
    MlirOperation convert = nereid_ttg_convert_layout_build(
        &builder, nereid_ttg_with_encoding(mlirValueGetType(operand), access->encoding), operand);
    if (mlirOperationIsNull(convert))
      return false;
    mlirOperationSetOperand(access->op, i, mlirOperationGetResult(convert, 0));
  }
  return true;
}

static bool convert_results(const access_t *access) {
  nereid_builder_t builder = nereid_builder_before(access->op);
  builder.before = mlirOperationGetNextInBlock(access->op);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(access->op); i++) {
    MlirValue result = mlirOperationGetResult(access->op, i);
    MlirType old = mlirValueGetType(result);
    if (!mlirTypeIsARankedTensor(old))
      continue;
    MlirType type = nereid_ttg_with_encoding(old, access->encoding);
    if (mlirTypeEqual(type, old))
      continue;
    mlirValueSetType(result, type);
    MlirOperation convert = nereid_ttg_convert_layout_build(&builder, old, result);
    if (mlirOperationIsNull(convert))
      return false;
    mlirValueReplaceAllUsesExcept(result, mlirOperationGetResult(convert, 0), 1, &convert);
  }
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_coalesce(nereid_pass_t *pass) {
  coalesce_t c = {.pass = pass, .threads_per_warp = nereid_ttg_threads_per_warp(pass->op)};
  nereid_map_initialize(&c.groups, pass->scratch);
  if (nereid_axis_info_run(pass->op, pass->scratch, &c.axis) != NEREID_OK)
    return mlirLogicalResultFailure();
  mlirOperationWalk(pass->op, collect, &c, MlirWalkPostOrder);
  classify(&c);
  nereid_connected_t *connected = nereid_connected_create(pass->op, pass->scratch);
  if (connected)
    mlirOperationWalk(pass->op, attach_user, connected, MlirWalkPreOrder);
  for (size_t i = 0; connected && i < c.accesses.size; i++)
    if (!is_descriptor(c.accesses.data[i].kind))
      nereid_connected_attach(connected, c.accesses.data[i].op, i);
  if (c.failed || !connected || pass->scratch->failed)
    return mlirLogicalResultFailure();
  decide(&c, connected);
  for (size_t i = 0; i < c.accesses.size; i++)
    if (!convert_operands(&c.accesses.data[i]) || !convert_results(&c.accesses.data[i]))
      return mlirLogicalResultFailure();
  return mlirLogicalResultSuccess();
}
