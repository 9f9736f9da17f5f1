/* Computes the form of a value from its defining op; see address_form.h.
 *
 *   addi, addptr           sums                     make_range     one weight per bit
 *   muli, shli             products                 splat          no weights
 *   divsi, remsi, andi     by constants: digits     expand_dims, broadcast, trans, reshape: bits move
 *   a loop's argument      initial value + counter * step
 *
 * Any other scalar is a symbol, any other tensor has no form. */
#include "analysis/global/address_form_build.h"

#include "analysis/access/ring_phase.h"
#include "analysis/allocation/scratch.h"
#include "base/bits.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/scf.h"
#include "nereid/dialects/tt.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"

enum { MAX_DEPTH = 48, MAX_STEPS = 32, MAX_BITS = 62, MAX_FACTOR_BITS = 61 };

/* Marks in `known`. */
static const char in_progress, without_form;

static bool build(nereid_forms_t *forms, MlirValue value, int depth, nereid_form_t *out);

/* --- types --- */

static bool is_tensor(MlirValue value) {
  return mlirTypeIsARankedTensor(mlirValueGetType(value));
}

static MlirType element_of(MlirValue value) {
  MlirType type = mlirValueGetType(value);
  return mlirTypeIsARankedTensor(type) ? mlirShapedTypeGetElementType(type) : type;
}

static bool is_pointer(MlirValue value) {
  return nereid_tt_ptr_type_isa(element_of(value));
}

static bool has_number(MlirValue value) {
  MlirType element = element_of(value);
  return mlirTypeIsAInteger(element) || mlirTypeIsAIndex(element) || nereid_tt_ptr_type_isa(element);
}

/* log2 of the sizes of a tensor type's dimensions; false when one is not a power of two. */
static bool read_bits(MlirType type, int *rank, int *bits) {
  *rank = (int)mlirShapedTypeGetRank(type);
  if (*rank > NEREID_AXIS_MAX_RANK)
    return false;
  for (int d = 0; d < *rank; ++d) {
    const int64_t size = mlirShapedTypeGetDimSize(type, d);
    if (!nereid_is_power_of_two(size))
      return false;
    bits[d] = __builtin_ctzll((uint64_t)size);
  }
  return true;
}

/* --- sums and products --- */

static bool build_sum(nereid_forms_t *forms, MlirValue a, MlirValue b, int64_t scale, int depth, nereid_form_t *out) {
  nereid_form_t right = {0};
  return build(forms, a, depth, out) && build(forms, b, depth, &right) && nereid_form_add(out, &right, scale);
}

/* One of the two has no weights. */
static bool build_product(nereid_forms_t *forms, MlirOperation op, int depth, nereid_form_t *out) {
  nereid_form_t a = {0}, b = {0};
  if (!build(forms, mlirOperationGetOperand(op, 0), depth, &a) ||
      !build(forms, mlirOperationGetOperand(op, 1), depth, &b))
    return false;
  const nereid_form_t *uniform = b.n_weights ? &a : &b, *other = b.n_weights ? &b : &a;
  if (uniform->n_weights || !nereid_form_add(out, other, uniform->constant))
    return false;
  for (uint32_t i = 0; i < uniform->n_terms; ++i)
    if (!nereid_form_add_scaled(out, other, uniform->terms[i].factor, uniform->terms[i].product))
      return false;
  return true;
}

/* --- digits --- */

/* Signed division rounds towards zero, which is right for digits of values that are not negative. */
static bool is_non_negative(const nereid_forms_t *forms, MlirValue value) {
  const nereid_axis_info_t *info = forms->axis ? nereid_axis_info_get(forms->axis, value) : NULL;
  return info && info->non_negative;
}

static bool read_constant(nereid_forms_t *forms, MlirValue value, int depth, int64_t *out) {
  nereid_form_t form = {0};
  if (!build(forms, value, depth, &form) || form.n_terms || form.n_weights)
    return false;
  *out = form.constant;
  return true;
}

/* Quotient or remainder: of the sum if it can be divided term by term, else of a tensor as a digit. */
static bool divide(nereid_forms_t *forms, MlirOperation op, const nereid_form_t *form, int64_t divisor, bool remainder,
                   nereid_form_t *out) {
  return nereid_form_divide(forms, form, divisor, remainder, out) ||
         (is_tensor(mlirOperationGetResult(op, 0)) && nereid_forms_digit(forms, form, divisor, remainder, out));
}

/* Division and remainder by a constant, a mask of low bits, shifts by a constant. */
static bool build_digits(nereid_forms_t *forms, MlirOperation op, nereid_op_kind_t kind, int depth,
                         nereid_form_t *out) {
  nereid_form_t form = {0};
  int64_t number;
  if (!read_constant(forms, mlirOperationGetOperand(op, 1), depth, &number) ||
      !build(forms, mlirOperationGetOperand(op, 0), depth, &form))
    return false;
  const bool shifts = number >= 0 && number < MAX_FACTOR_BITS;
  const bool floors = kind == NEREID_OP_ARITH_SHLI || kind == NEREID_OP_ARITH_SHRSI || kind == NEREID_OP_ARITH_ANDI;
  if (!floors && !is_non_negative(forms, mlirOperationGetOperand(op, 0)))
    return false;
  switch (kind) {
  case NEREID_OP_ARITH_SHLI:
    return shifts && nereid_form_add(out, &form, INT64_C(1) << number);
  case NEREID_OP_ARITH_SHRSI:
  case NEREID_OP_ARITH_SHRUI:
    return shifts && divide(forms, op, &form, INT64_C(1) << number, false, out);
  case NEREID_OP_ARITH_ANDI:
    return number < INT64_MAX && nereid_is_power_of_two(number + 1) && divide(forms, op, &form, number + 1, true, out);
  case NEREID_OP_ARITH_DIVSI:
  case NEREID_OP_ARITH_DIVUI:
    return divide(forms, op, &form, number, false, out);
  default:
    return divide(forms, op, &form, number, true, out);
  }
}

/* --- ops on shapes --- */

static bool build_range(MlirOperation op, nereid_form_t *out) {
  const int64_t start = nereid_tt_make_range_get_start(op), size = nereid_tt_make_range_get_end(op) - start;
  out->constant = start;
  if (!nereid_is_power_of_two(size))
    return false;
  for (uint32_t bit = 0; INT64_C(1) << bit < size; ++bit)
    if (!nereid_form_add_weight(out, (nereid_form_weight_t){INT64_C(1) << bit, {{0}}, bit}))
      return false;
  return true;
}

/* Bit `bit` of dimension d of the source becomes that bit of dimension to[d] of the result; `bits` of the sizes. */
static bool move_bits(const nereid_form_t *form, int rank, const int *from_bits, const int *to_bits, const int *to,
                      nereid_form_t *out) {
  *out = *form;
  for (uint32_t i = 0; i < out->n_weights; ++i) {
    int bit = (int)out->weights[i].bit, d = rank - 1, place = 0;
    for (; d >= 0 && bit >= from_bits[d]; --d)
      bit -= from_bits[d];
    if (d < 0)
      return false;
    for (int after = rank - 1; after > to[d]; --after)
      place += to_bits[after];
    out->weights[i].bit = (uint32_t)(place + bit);
  }
  return true;
}

static bool build_moved(nereid_forms_t *forms, MlirOperation op, bool transposes, int depth, nereid_form_t *out) {
  MlirValue source = mlirOperationGetOperand(op, 0);
  MlirType type = mlirValueGetType(mlirOperationGetResult(op, 0));
  int rank, from_rank, from_bits[NEREID_AXIS_MAX_RANK], to_bits[NEREID_AXIS_MAX_RANK], to[NEREID_AXIS_MAX_RANK];
  nereid_form_t form = {0};
  if (!read_bits(mlirValueGetType(source), &from_rank, from_bits) || !read_bits(type, &rank, to_bits) ||
      rank != from_rank || !build(forms, source, depth, &form))
    return false;
  for (int d = 0; d < rank; ++d)
    to[transposes ? nereid_tt_trans_get_order(op, d) : d] = d;
  return move_bits(&form, rank, from_bits, to_bits, to, out);
}

/* --- block arguments and results of ops with regions --- */

static uint32_t node_of(const nereid_forms_t *forms, MlirValue value) {
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value)
                                                 : mlirBlockGetFirstOperation(mlirBlockArgumentGetOwner(value));
  return mlirOperationIsNull(op) ? NEREID_FLOW_NONE : nereid_flow_graph_node_of(forms->graph, op);
}

static bool add_symbol(nereid_form_t *out, uint32_t symbol) {
  return symbol && nereid_form_add_term(out, 1, (nereid_product_t){{symbol}});
}

/* A scalar without known structure. */
static bool build_symbol(nereid_forms_t *forms, MlirValue value, nereid_form_t *out) {
  if (is_tensor(value))
    return false;
  MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  const nereid_op_kind_t kind = mlirOperationIsNull(op) ? NEREID_OP_UNKNOWN : nereid_op_kind(op);
  uint32_t node = node_of(forms, value);
  const bool is_argument = mlirOperationIsNull(op) && node == 0;
  if (node == NEREID_FLOW_NONE)
    return false;
  if (is_argument || kind == NEREID_OP_TT_GET_PROGRAM_ID || kind == NEREID_OP_TT_GET_NUM_PROGRAMS)
    node = NEREID_FLOW_NONE;
  if (is_pointer(value)) /* its distance from the root, which the divisors of the address do not bound */
    return add_symbol(out, nereid_forms_drift(forms, value, node, 0));
  return add_symbol(out, nereid_forms_symbol(forms, value, node));
}

/* The least power of two that divides every change in `step`. */
static uint8_t divides(const nereid_forms_t *forms, const nereid_form_t *step) {
  int least = nereid_product_divisibility(forms, step->constant, (nereid_product_t){{0}});
  for (uint32_t i = 0; i < step->n_terms; ++i) {
    const int bits = nereid_product_divisibility(forms, step->terms[i].factor, step->terms[i].product);
    least = bits < least ? bits : least;
  }
  return (uint8_t)least;
}

/* Follows sums back from `value` to `argument` and adds the steps; false when it is computed in another way. */
static bool build_step(nereid_forms_t *forms, MlirValue value, MlirValue argument, int depth, nereid_form_t *out) {
  for (int i = 0; i < MAX_STEPS; ++i) {
    if (mlirValueEqual(value, argument))
      return true;
    MlirOperation op = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
    if (mlirOperationIsNull(op))
      return false;
    const nereid_op_kind_t kind = nereid_op_kind(op);
    int64_t scale = 1;
    if (kind == NEREID_OP_TT_ADDPTR)
      scale = nereid_scratch_element_bytes(nereid_tt_ptr_type_get_pointee_type(element_of(value)));
    else if (kind == NEREID_OP_ARITH_SUBI)
      scale = -1;
    else if (kind != NEREID_OP_ARITH_ADDI && kind != NEREID_OP_TTG_CONVERT_LAYOUT)
      return false;
    const bool swapped = kind == NEREID_OP_ARITH_ADDI && mlirValueEqual(mlirOperationGetOperand(op, 1), argument);
    nereid_form_t step = {0};
    if (kind != NEREID_OP_TTG_CONVERT_LAYOUT &&
        (!build(forms, mlirOperationGetOperand(op, swapped ? 0 : 1), depth, &step) ||
         !nereid_form_add(out, &step, scale)))
      return false;
    value = mlirOperationGetOperand(op, swapped ? 1 : 0);
  }
  return false;
}

/* Adds by how much `value` differs from its initial value, a multiple of 2^bits. */
static bool add_drift(nereid_forms_t *forms, MlirValue value, uint32_t node, uint8_t bits, nereid_form_t *out) {
  const uint32_t drift = nereid_forms_drift(forms, value, node, bits);
  nereid_symbol_t *symbol = &forms->symbols.data[drift];
  if (!drift)
    return false;
  symbol->divisibility = symbol->divisibility < bits ? symbol->divisibility : bits;
  for (uint32_t i = 0; i < out->n_terms; ++i)
    if (nereid_product_equal(out->terms[i].product, (nereid_product_t){{drift}}))
      return true;
  return add_symbol(out, drift);
}

/* Adds counter * step, or when the step may change a symbol. */
static bool add_steps(nereid_forms_t *forms, MlirValue value, uint32_t header, const nereid_form_t *step,
                      nereid_form_t *out) {
  bool irreducible, invariant = true;
  const nereid_map_t *loop = nereid_forms_loop(forms, header, &irreducible);
  nereid_form_t sum = *out;
  for (uint32_t i = 0; i < step->n_terms; ++i)
    for (int k = 0; k < NEREID_FORM_DEGREE; ++k)
      invariant &=
          !step->terms[i].product.symbols[k] || !nereid_forms_varies(forms, loop, step->terms[i].product.symbols[k]);
  if (!irreducible && invariant && !step->n_weights &&
      nereid_form_add_scaled(&sum, step, 1, (nereid_product_t){{nereid_forms_counter(forms, header)}})) {
    *out = sum;
    return true;
  }
  return !step->n_weights && add_drift(forms, value, header, divides(forms, step), out);
}

static bool build_for_counter(nereid_forms_t *forms, MlirValue value, MlirOperation loop, int depth,
                              nereid_form_t *out) {
  nereid_form_t step = {0};
  return build(forms, nereid_scf_for_get_lower_bound(loop), depth, out) &&
         build(forms, nereid_scf_for_get_step(loop), depth, &step) &&
         add_steps(forms, value, node_of(forms, value), &step, out);
}

static bool same_weights(const nereid_form_t *a, const nereid_form_t *b) {
  if (a->n_weights != b->n_weights)
    return false;
  for (uint32_t i = 0; i < a->n_weights; ++i) {
    bool found = false;
    for (uint32_t k = 0; k < b->n_weights && !found; ++k)
      found = a->weights[i].bit == b->weights[k].bit && a->weights[i].factor == b->weights[k].factor &&
              nereid_product_equal(a->weights[i].product, b->weights[k].product);
    if (!found)
      return false;
  }
  return true;
}

/* Sets `out` to the meet of both: the form if equal, else the common weights plus a symbol. */
static bool join(nereid_forms_t *forms, MlirValue value, uint32_t node, const nereid_form_t *other,
                 nereid_form_t *out) {
  nereid_form_t difference = *other;
  if (!nereid_form_add(&difference, out, -1))
    return false;
  if (!difference.constant && !difference.n_terms && !difference.n_weights)
    return true;
  if (!same_weights(out, other))
    return false;
  return add_drift(forms, value, node, divides(forms, &difference), out);
}

static bool build_forwarded(nereid_forms_t *forms, MlirValue value, int depth, nereid_form_t *out) {
  const uintptr_t *place = nereid_map_find(&forms->sources, value.ptr);
  const nereid_flow_edge_t *edges = forms->graph->edges.data;
  nereid_form_t step = {0};
  bool first = true, steps = false;
  uint32_t node = NEREID_FLOW_NONE;
  for (uint32_t i = place ? (uint32_t)*place : 0; i; i = forms->links.data[i - 1].next) {
    const MlirValue from = forms->links.data[i - 1].from;
    const nereid_flow_edge_t *edge = &edges[forms->links.data[i - 1].edge];
    nereid_form_t form = {0};
    node = edge->to;
    if (edge->is_back || mlirValueEqual(from, value))
      continue;
    if (!build(forms, from, depth, &form) || (!first && !join(forms, value, node, &form, out)))
      return false;
    if (first)
      *out = form;
    first = false;
  }
  for (uint32_t i = place ? (uint32_t)*place : 0; i; i = forms->links.data[i - 1].next) {
    const MlirValue from = forms->links.data[i - 1].from;
    if (!edges[forms->links.data[i - 1].edge].is_back || mlirValueEqual(from, value))
      continue;
    if (steps || !build_step(forms, from, value, depth, &step))
      return false;
    steps = true;
  }
  return !first && (!steps || add_steps(forms, value, node, &step, out));
}

/* Whether `argument` is the start of its root. */
static bool is_root(const nereid_forms_t *forms, MlirValue argument) {
  const uint32_t number = (uint32_t)mlirBlockArgumentGetArgNumber(argument);
  return is_pointer(argument) && !is_tensor(argument) && (!forms->shared || forms->shared[number] == number + 1);
}

static bool build_argument(nereid_forms_t *forms, MlirValue value, int depth, nereid_form_t *out) {
  MlirBlock block = mlirBlockArgumentGetOwner(value);
  MlirOperation parent = mlirBlockGetParentOperation(block);
  if (mlirOperationEqual(parent, forms->graph->function) && node_of(forms, value) == 0)
    return is_root(forms, value) || build_symbol(forms, value, out);
  if (nereid_op_kind(parent) == NEREID_OP_SCF_FOR && mlirBlockArgumentGetArgNumber(value) == 0 &&
      node_of(forms, value) != NEREID_FLOW_NONE)
    return build_for_counter(forms, value, parent, depth, out);
  nereid_form_t form = {0};
  if (build_forwarded(forms, value, depth, &form)) {
    *out = form;
    return true;
  }
  return build_symbol(forms, value, out);
}

/* --- values --- */

static bool build_constant(MlirOperation op, nereid_form_t *out) {
  MlirAttribute value = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("value"));
  if (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value) &&
      mlirTypeIsAInteger(mlirShapedTypeGetElementType(mlirAttributeGetType(value))))
    value = mlirDenseElementsAttrGetSplatValue(value);
  if (!mlirAttributeIsAInteger(value))
    return false;
  out->constant = mlirIntegerAttrGetValueInt(value);
  return true;
}

static bool build_op(nereid_forms_t *forms, MlirOperation op, int depth, nereid_form_t *out) {
  const nereid_op_kind_t kind = nereid_op_kind(op);
  nereid_form_t right = {0};
  switch (kind) {
  case NEREID_OP_ARITH_CONSTANT:
    return build_constant(op, out);
  case NEREID_OP_ARITH_ADDI:
    return build_sum(forms, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), 1, depth, out);
  case NEREID_OP_ARITH_SUBI:
    return build_sum(forms, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1), -1, depth, out);
  case NEREID_OP_TT_ADDPTR:
    return build_sum(
        forms, mlirOperationGetOperand(op, 0), mlirOperationGetOperand(op, 1),
        nereid_scratch_element_bytes(nereid_tt_ptr_type_get_pointee_type(element_of(mlirOperationGetResult(op, 0)))),
        depth, out);
  case NEREID_OP_ARITH_MULI:
    return build_product(forms, op, depth, out);
  case NEREID_OP_ARITH_SHLI:
  case NEREID_OP_ARITH_SHRSI:
  case NEREID_OP_ARITH_SHRUI:
  case NEREID_OP_ARITH_DIVSI:
  case NEREID_OP_ARITH_DIVUI:
  case NEREID_OP_ARITH_REMSI:
  case NEREID_OP_ARITH_REMUI:
  case NEREID_OP_ARITH_ANDI:
    return build_digits(forms, op, kind, depth, out);
  case NEREID_OP_ARITH_EXTSI:
  case NEREID_OP_ARITH_EXTUI:
  case NEREID_OP_ARITH_INDEX_CAST:
  case NEREID_OP_ARITH_INDEX_CASTUI:
  case NEREID_OP_TT_SPLAT:
  case NEREID_OP_TT_EXPAND_DIMS:
  case NEREID_OP_TTG_CONVERT_LAYOUT:
    return build(forms, mlirOperationGetOperand(op, 0), depth, out);
  case NEREID_OP_TT_BITCAST:
    return is_pointer(mlirOperationGetOperand(op, 0)) && build(forms, mlirOperationGetOperand(op, 0), depth, out);
  case NEREID_OP_TT_RESHAPE:
    return !nereid_tt_reshape_get_allow_reorder(op) && build(forms, mlirOperationGetOperand(op, 0), depth, out);
  case NEREID_OP_TT_BROADCAST:
  case NEREID_OP_TT_TRANS:
    return build_moved(forms, op, kind == NEREID_OP_TT_TRANS, depth, out);
  case NEREID_OP_TT_MAKE_RANGE:
    return build_range(op, out);
  case NEREID_OP_ARITH_SELECT:
    return build(forms, mlirOperationGetOperand(op, 1), depth, out) &&
           build(forms, mlirOperationGetOperand(op, 2), depth, &right) &&
           join(forms, mlirOperationGetResult(op, 0), node_of(forms, mlirOperationGetResult(op, 0)), &right, out);
  default:
    return build_forwarded(forms, mlirOperationGetResult(op, 0), depth, out);
  }
}

static bool build_new(nereid_forms_t *forms, MlirValue value, int depth, nereid_form_t *out) {
  if (depth > MAX_DEPTH || !has_number(value))
    return has_number(value) && build_symbol(forms, value, out);
  if (mlirValueIsABlockArgument(value))
    return build_argument(forms, value, depth, out);
  MlirOperation op = mlirOpResultGetOwner(value);
  nereid_form_t form = {0};
  const bool alone = mlirOperationGetNumResults(op) == 1;
  if (alone ? build_op(forms, op, depth, &form) : build_forwarded(forms, value, depth, &form)) {
    *out = form;
    return true;
  }
  return build_symbol(forms, value, out);
}

static bool take(const void *known, nereid_form_t *out) {
  if (known == &in_progress || known == &without_form || !known)
    return false;
  *out = *(const nereid_form_t *)known;
  return true;
}

/* `out` is empty. In a cycle, a value whose form is being computed is a symbol. */
static bool build(nereid_forms_t *forms, MlirValue value, int depth, nereid_form_t *out) {
  uintptr_t *place = nereid_map_insert(&forms->known, value.ptr);
  if (!place)
    return false;
  if (*place == (uintptr_t)&in_progress)
    return build_symbol(forms, value, out);
  if (*place)
    return take((const void *)*place, out);
  *place = (uintptr_t)&in_progress;
  const bool found = build_new(forms, value, depth + 1, out);
  const nereid_form_t *stored = found ? nereid_forms_store(forms, out) : NULL;
  place = nereid_map_find(&forms->known, value.ptr);
  if (place)
    *place = stored ? (uintptr_t)stored : (uintptr_t)&without_form;
  return stored != NULL;
}

const nereid_form_t *nereid_forms_get(nereid_forms_t *forms, MlirValue value) {
  nereid_form_t form = {0};
  if (!build(forms, value, 0, &form))
    return NULL;
  const uintptr_t *place = nereid_map_find(&forms->known, value.ptr);
  return place ? nereid_forms_join_digits(forms, (const nereid_form_t *)*place) : NULL;
}
