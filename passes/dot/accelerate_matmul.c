/* tritongpu-accelerate-matmul: gives each dot a tensor core instruction.
 *
 *   %d = tt.dot %a, %b, %c : … -> tensor<128x256xf32, #blocked>
 *   -> wgmma (sm_90a)
 *   %x = ttg.local_alloc %a' ; %y = ttg.local_alloc %b'           buffers in #nvmma_shared
 *   %e = ttg.convert_layout %c : #blocked -> #mma
 *   %f = ttng.warp_group_dot %x, %y, %e : … -> tensor<128x256xf32, #mma>
 *   %d = ttg.convert_layout %f : #mma -> #blocked
 *   -> mma.sync
 *   %f = tt.dot %a'', %b'', %e with operands in #ttg.dot_op<{parent = #mma}>
 *
 * %a' and %b' are the operands before the conversions to the operands of multiply-adds. instruction_choice.h chooses
 * the instruction, the warps and the source of a. tritongpu-remove-layout-conversions then propagates #mma through
 * loops and elementwise ops, so the conversions of the accumulator move out of loops.
 *
 * Elements that an instruction does not multiply are widened where that is exact: 8-bit floats to f16 where the target
 * has no instruction for them, or beside f16. A sum that no instruction has (bf16) is kept in f32 and rounded. What
 * remains (f32 with ieee precision, other integers) stays a dot of multiply-adds, with a remark. */
#include "base/map.h"
#include "base/target_facts.h"
#include "dialects/ir.h"
#include "dialects/ttg/encoding/blocked.h"
#include "dialects/ttg/encoding/encoding.h"
#include "dialects/ttg/module.h"
#include "dialects/ttg/tensor_types.h"
#include "passes/dot/exchanged_dot.h"
#include "passes/dot/instruction_choice.h"
#include "passes/dot/operand_group.h"
#include "passes/dot/operand_load.h"
#include "passes/dot/operand_source.h"
#include "passes/dot/shared_encoding.h"
#include "passes/pass.h"
#include "passes/support/collect.h"
#include "passes/support/loop.h"

#include "dialects/defining_op.h"
#include "dialects/diagnose.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"
#include "nereid/dialects/ttg.h"
#include "nereid/dialects/ttng.h"
#include "seam/ir.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <assert.h>

enum {
  REGISTER_BITS = 32,
  MIN_IMPRECISE = 32, /* K of one wgmma of 8-bit floats */
  FP8_SYNC = 89,      /* has mma.sync of 8-bit floats; for sm_90, ptxas converts the operands of each one to f16 */
  WITHOUT_WGMMA = 89, /* a capability whose dots sm_90 has, too */
  MAX_PATCHED = 192,  /* registers of accumulators and patches, of the 255 of a thread */
  MAX_SINGLE = 160,   /* the same where elements are loaded one by one: their addresses are in registers, too */
};

typedef struct accelerate {
  nereid_pass_t *pass;
  int capability;
  bool multiplies_fp8; /* by mma.sync */
  int64_t wgmma, mma_sync, fma;
  nereid_map_t operand_bytes; /* dot -> bytes of operand_group.h, before any dot is rewritten */
} accelerate_t;

/* One dot. */
typedef struct site {
  MlirOperation dot;
  nereid_dot_operand_t a, b;
  MlirType a_element, b_element, sum; /* element types of the instruction */
  MlirType result;                    /* result type of the dot */
  nereid_dot_problem_t problem;
  nereid_dot_choice_t choice;
} site_t;

/* --- types --- */

static bool is_fp8(MlirType type) {
  return mlirTypeIsAFloat8E5M2(type) || mlirTypeIsAFloat8E4M3FN(type);
}

static int64_t bits_of(MlirType element) {
  return mlirTypeIsAInteger(element) ? (int64_t)mlirIntegerTypeGetWidth(element)
                                     : (int64_t)mlirFloatTypeGetWidth(element);
}

static MlirType element_of(MlirValue value) {
  return mlirShapedTypeGetElementType(mlirValueGetType(value));
}

static MlirType with_element(MlirType tensor, MlirType element) {
  int64_t shape[NEREID_TTG_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  return mlirRankedTensorTypeGet(rank, shape, element, mlirRankedTensorTypeGetEncoding(tensor));
}

/* Chooses the types that the instruction multiplies and adds. */
static void choose_types(const accelerate_t *accelerate, site_t *site) {
  MlirContext context = accelerate->pass->context;
  site->a_element = element_of(site->a.value);
  site->b_element = element_of(site->b.value);
  site->sum = mlirShapedTypeGetElementType(site->result);
  const bool a8 = is_fp8(site->a_element), b8 = is_fp8(site->b_element);
  if (a8 && !b8)
    site->a_element = mlirF16TypeGet(context);
  if (b8 && !a8)
    site->b_element = mlirF16TypeGet(context);
  const bool rounded = mlirTypeIsABF16(site->sum) || (mlirTypeIsAF16(site->sum) && is_fp8(site->a_element));
  if (rounded)
    site->sum = mlirF32TypeGet(context);
}

/* --- the problem --- */

/* Whether threads compute `operand` in the block of the dot: it is not only loaded, through views. */
static bool is_computed(MlirOperation dot, const nereid_dot_operand_t *operand) {
  MlirOperation op = nereid_defining_op(operand->value);
  while (!mlirOperationIsNull(op) &&
         (nereid_op_kind(op) == NEREID_OP_TT_TRANS || nereid_op_kind(op) == NEREID_OP_TT_RESHAPE ||
          nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT))
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && nereid_dot_is_elementwise(op) &&
         mlirBlockEqual(mlirOperationGetBlock(op), mlirOperationGetBlock(dot));
}

/* Elements of operand `index` that threads compute in the block of the dot with M or N contiguous, if they have 8 bits:
 * wgmma reads those with K contiguous, and a thread has none that are adjacent along K. */
static int64_t scattered_elements(MlirOperation dot, const nereid_dot_operand_t *operand, int index) {
  MlirType type = mlirValueGetType(operand->value);
  int32_t order[NEREID_TTG_MAX_RANK];
  const intptr_t rank = mlirShapedTypeGetRank(type);
  if (bits_of(element_of(operand->value)) != 8 || !is_computed(dot, operand))
    return 0;
  nereid_dot_loaded_order(operand->value, order);
  return order[0] == rank - 1 - index ? 0 : nereid_ttg_num_elements(type);
}

static bool read_site(const accelerate_t *accelerate, MlirOperation dot, site_t *site) {
  *site = (site_t){.dot = dot, .result = mlirValueGetType(nereid_ir_result(dot))};
  site->a = nereid_dot_operand_of(dot, 0);
  site->b = nereid_dot_operand_of(dot, 1);
  choose_types(accelerate, site);
  nereid_dot_problem_t *problem = &site->problem;
  const int rank = (int)mlirShapedTypeGetRank(site->result);
  int64_t shape[NEREID_TTG_MAX_RANK];
  assert(rank == 2 || rank == 3); /* the verifier of tt.dot checks it */
  for (int d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(site->result, d);
  nereid_ttg_shape_per_cta(mlirRankedTensorTypeGetEncoding(site->result), rank, shape, shape);
  problem->capability = accelerate->capability;
  problem->warps = nereid_ttg_num_warps(dot);
  problem->rank = rank;
  problem->batch = rank == 3 ? shape[0] : 1;
  problem->m = shape[rank - 2];
  problem->n = shape[rank - 1];
  problem->k = mlirShapedTypeGetDimSize(mlirValueGetType(mlirOperationGetOperand(dot, 0)), rank - 1);
  problem->a = site->a_element;
  problem->b = site->b_element;
  problem->sum = site->sum;
  problem->a_source = site->a.kind;
  problem->a_is_in_all_warps = site->a.is_in_all_warps;
  const uintptr_t *operand_bytes = nereid_map_find(&accelerate->operand_bytes, dot.ptr);
  problem->operand_bytes = operand_bytes ? (int64_t)*operand_bytes : 0;
  problem->scattered = scattered_elements(dot, &site->b, 1) +
                       (site->a.kind == NEREID_DOT_A_STORED ? scattered_elements(dot, &site->a, 0) : 0);
  return nereid_dot_result_uses(dot, accelerate->pass->scratch, &problem->feeds_dot, &problem->feeds_reduce);
}

/* --- rewriting --- */

static MlirValue convert(const nereid_builder_t *builder, MlirValue value, MlirAttribute encoding) {
  MlirType type = nereid_ttg_with_encoding(mlirValueGetType(value), encoding);
  if (mlirTypeEqual(type, mlirValueGetType(value)))
    return value;
  return nereid_ir_result(nereid_ttg_convert_layout_build(builder, type, value));
}

/* Converts the elements of a float tensor. */
static MlirValue cast(const nereid_builder_t *builder, MlirValue value, MlirType element) {
  MlirAttribute none = {NULL};
  MlirType from = element_of(value), type = with_element(mlirValueGetType(value), element);
  if (mlirTypeEqual(from, element))
    return value;
  if (is_fp8(from))
    return nereid_ir_result(nereid_tt_fp_to_fp_build(builder, type, value, none));
  if (bits_of(from) < bits_of(element))
    return nereid_ir_result(nereid_arith_extf_build(builder, type, value, none));
  return nereid_ir_result(nereid_arith_truncf_build(builder, type, value, none, none));
}

static MlirAttribute mma_encoding(const accelerate_t *accelerate, const site_t *site) {
  MlirContext context = accelerate->pass->context;
  const nereid_dot_choice_t *choice = &site->choice;
  const int rank = choice->version == NEREID_DOT_WGMMA ? 3 : choice->rank;
  return nereid_ttg_nvidia_mma_attr_create(
      context, (unsigned)choice->version, 0, nereid_ttg_ints_make(context, choice->rank, choice->warps),
      nereid_ttg_cga_of_tensor(site->result), nereid_ttg_ints_make(context, rank, choice->instruction));
}

/* Erases conversions without uses, from the last one back. */
static void erase_conversions(MlirValue value) {
  MlirOperation op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT);
  while (!mlirOperationIsNull(op) && mlirOpOperandIsNull(mlirValueGetFirstUse(nereid_ir_result(op)))) {
    value = mlirOperationGetOperand(op, 0);
    nereidMlirOperationErase(op);
    op = nereid_defining_op_of_kind(value, NEREID_OP_TTG_CONVERT_LAYOUT);
  }
}

/* Replaces the dot by `value` in the layout and type of its result. */
static void replace(const nereid_builder_t *builder, const site_t *site, MlirValue value) {
  MlirValue result = nereid_ir_result(site->dot);
  value = cast(builder, value, mlirShapedTypeGetElementType(site->result));
  value = convert(builder, value, mlirRankedTensorTypeGetEncoding(site->result));
  MlirValue a = mlirOperationGetOperand(site->dot, 0), b = mlirOperationGetOperand(site->dot, 1);
  mlirValueReplaceAllUsesOfWith(result, value);
  nereidMlirOperationErase(site->dot);
  erase_conversions(a);
  if (!mlirValueEqual(a, b))
    erase_conversions(b);
}

static MlirValue accumulator(const nereid_builder_t *builder, const site_t *site, MlirAttribute mma) {
  MlirValue c = mlirOperationGetOperand(site->dot, 2);
  return cast(builder, convert(builder, c, mma), site->sum);
}

/* --- mma.sync --- */

/* Elements along K that are adjacent in a thread, so that the narrowest loaded elements fill a register. */
static unsigned k_width_of(const site_t *site) {
  const int64_t bits = bits_of(site->a_element), k = site->problem.k;
  int64_t narrow = site->a.loaded_bits < site->b.loaded_bits ? site->a.loaded_bits : site->b.loaded_bits;
  narrow = narrow < bits ? narrow : bits;
  int64_t width = narrow < REGISTER_BITS ? REGISTER_BITS / narrow : 1;
  while (width > 1 && width * bits > REGISTER_BITS && k < 8 * width)
    width /= 2;
  return (unsigned)width;
}

static void rewrite_mma_sync(const accelerate_t *accelerate, const site_t *site) {
  MlirContext context = accelerate->pass->context;
  nereid_builder_t builder = nereid_builder_before(site->dot);
  MlirAttribute mma = mma_encoding(accelerate, site);
  const unsigned k_width = k_width_of(site);
  MlirValue operands[2];
  const nereid_dot_operand_t *sources[2] = {&site->a, &site->b};
  MlirType elements[2] = {site->a_element, site->b_element};
  for (unsigned i = 0; i < 2; ++i) {
    MlirValue source = cast(&builder, sources[i]->value, elements[i]);
    operands[i] = convert(&builder, source, nereid_ttg_dot_op_attr_create(context, i, mma, k_width));
  }
  MlirOperation made = nereid_tt_dot_build(&builder, operands[0], operands[1], accumulator(&builder, site, mma),
                                           nereid_tt_dot_get_input_precision(site->dot),
                                           nereid_tt_dot_get_max_num_imprecise_acc(site->dot));
  replace(&builder, site, nereid_ir_result(made));
}

/* --- wgmma --- */

/* The order of the operand's buffer: that in which it is loaded where wgmma can read it, else with K contiguous.
 * Matrices of a batch follow one another. */
static void buffer_order(MlirValue source, MlirType element, int index, int32_t *out_order) {
  const int rank = (int)mlirShapedTypeGetRank(mlirValueGetType(source)), row = rank - 2;
  nereid_dot_loaded_order(source, out_order);
  int32_t contiguous = out_order[0] < row ? out_order[1] : out_order[0];
  if (contiguous < row || !nereid_dot_wgmma_reads_transposed(element))
    contiguous = rank - 1 - index;
  out_order[0] = contiguous;
  out_order[1] = row + rank - 1 - contiguous;
  if (rank > 2)
    out_order[2] = 0;
}

/* The encoding of operand `index` with value `source` in the parts of the CTAs that the dot needs: that of `source`,
 * unless elements have to move between CTAs. */
static MlirAttribute encoding_in_parts(const site_t *site, MlirValue source, int index) {
  MlirType type = mlirValueGetType(source), operand = mlirValueGetType(mlirOperationGetOperand(site->dot, index));
  MlirAttribute needed = nereid_ttg_cga_of_tensor(operand);
  MlirContext context = mlirTypeGetContext(type);
  const int rank = (int)mlirShapedTypeGetRank(type);
  int32_t size[NEREID_TTG_MAX_RANK], order[NEREID_TTG_MAX_RANK];
  int64_t part[NEREID_TTG_MAX_RANK];
  nereid_ttg_blocked_t blocked;
  if (mlirAttributeIsNull(needed) || nereid_ttg_has_same_parts(type, mlirRankedTensorTypeGetEncoding(operand)))
    return mlirRankedTensorTypeGetEncoding(type);
  for (int d = 0; d < rank; ++d) {
    size[d] = 1;
    order[d] = rank - 1 - d;
  }
  nereid_ttg_part_of_tensor(operand, rank, part);
  const nereid_thread_grid_t grid = {(int32_t)site->problem.warps, nereid_ttg_threads_per_warp(site->dot), 1};
  nereid_ttg_blocked_read(nereid_ttg_blocked_make(context, rank, part, size, order, grid), &blocked);
  nereid_ttg_bases_read(needed, &blocked.cga);
  return nereid_ttg_blocked_attribute(context, &blocked);
}

static MlirType wgmma_buffer(const site_t *site, MlirValue source, MlirType element, int index) {
  MlirContext context = mlirTypeGetContext(element);
  int32_t order[NEREID_TTG_MAX_RANK];
  int64_t shape[NEREID_TTG_MAX_RANK];
  MlirType tensor =
      nereid_ttg_with_encoding(with_element(mlirValueGetType(source), element), encoding_in_parts(site, source, index));
  buffer_order(source, element, index, order);
  MlirAttribute encoding = nereid_dot_wgmma_shared(tensor, order);
  if (mlirAttributeIsNull(encoding))
    return (MlirType){NULL};
  const intptr_t rank = mlirShapedTypeGetRank(tensor);
  for (intptr_t d = 0; d < rank; ++d)
    shape[d] = mlirShapedTypeGetDimSize(tensor, d);
  MlirAttribute dims = mlirDenseI64ArrayGet(context, rank, shape);
  return nereid_ttg_memdesc_type_create(context, dims, element, encoding, nereid_ttg_shared_memory_attr_create(context),
                                        /*mutable_memory=*/false, dims);
}

/* Returns a buffer with the operand; one that an earlier dot of the block uses, if there is one. */
static MlirValue store(const site_t *site, const nereid_dot_operand_t *operand, MlirType element, int index) {
  nereid_builder_t builder = nereid_dot_operand_builder(site->dot, operand->unmasked);
  MlirType type = wgmma_buffer(site, operand->unmasked, element, index);
  for (MlirOpOperand use = mlirValueGetFirstUse(operand->unmasked); !mlirOpOperandIsNull(use);
       use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (nereid_op_kind(user) == NEREID_OP_TTG_LOCAL_ALLOC &&
        mlirBlockEqual(mlirOperationGetBlock(user), builder.block) &&
        mlirTypeEqual(mlirValueGetType(nereid_ir_result(user)), type))
      return nereid_ir_result(user);
  }
  MlirAttribute encoding = encoding_in_parts(site, operand->unmasked, index);
  MlirValue source = convert(&builder, cast(&builder, operand->unmasked, element), encoding);
  return nereid_ir_result(nereid_ttg_local_alloc_build(&builder, type, source, (MlirAttribute){NULL}));
}

static bool can_wgmma(const site_t *site) {
  const bool a_fits =
      site->choice.a_in_registers || !mlirTypeIsNull(wgmma_buffer(site, site->a.unmasked, site->a_element, 0));
  return a_fits && !mlirTypeIsNull(wgmma_buffer(site, site->b.unmasked, site->b_element, 1));
}

/* Registers per thread that hold the patches of an operand while it is transposed: 8-bit elements are permuted, 32-bit
 * ones only named otherwise. */
static int64_t patch_registers(const site_t *site, int index) {
  const int64_t rows = index ? site->problem.n : site->problem.m;
  const int64_t bits = bits_of(index ? site->b_element : site->a_element);
  const int64_t threads = site->problem.warps * INT64_C(32);
  return site->problem.batch * rows * site->problem.k * bits / REGISTER_BITS / threads * (bits == 8 ? 2 : 1);
}

/* Elements other than 16-bit ones are read with K contiguous: an operand in the other order is loaded in patches, which
 * the store into its buffer transposes. `*registers` are those of the accumulators and of patches. */
static void transpose_operand(const accelerate_t *accelerate, const site_t *site, int index, int64_t *registers) {
  const nereid_dot_operand_t *operand = index ? &site->b : &site->a;
  MlirType element = index ? site->b_element : site->a_element;
  const int64_t single = nereid_dot_single_registers(operand->unmasked);
  const int64_t other = single ? nereid_dot_single_registers((index ? &site->a : &site->b)->unmasked) : 0;
  const int64_t more = single ? single : patch_registers(site, index);
  if (nereid_dot_wgmma_reads_transposed(element) || !mlirTypeEqual(element_of(operand->unmasked), element) ||
      *registers + more + other > (single ? MAX_SINGLE : MAX_PATCHED) ||
      !nereid_dot_transpose_load(operand->unmasked, (int)mlirShapedTypeGetRank(site->result) - 1 - index))
    return;
  *registers += more;
  nereid_pass_remark_passed(accelerate->pass, site->dot, "transposition",
                            "operand %c, whose elements wgmma reads with K contiguous, is loaded in patches and "
                            "transposed in registers",
                            'a' + index);
}

/* The layout of the load of an operand that is stored into a buffer. */
static void arrange_load(const accelerate_t *accelerate, const site_t *site, int index, int64_t *registers) {
  transpose_operand(accelerate, site, index, registers);
  if (nereid_dot_load_rows(index ? site->b.unmasked : site->a.unmasked))
    nereid_pass_remark_passed(accelerate->pass, site->dot, "rows",
                              "operand %c, whose elements are loaded one by one, is loaded in whole rows by each warp",
                              'a' + index);
}

static void rewrite_wgmma(const accelerate_t *accelerate, const site_t *site) {
  int64_t registers = site->choice.registers;
  if (!site->choice.a_in_registers)
    arrange_load(accelerate, site, 0, &registers);
  arrange_load(accelerate, site, 1, &registers);
  MlirContext context = accelerate->pass->context;
  nereid_builder_t builder = nereid_builder_before(site->dot);
  MlirAttribute mma = mma_encoding(accelerate, site);
  const unsigned k_width = (unsigned)(REGISTER_BITS / bits_of(site->a_element));
  MlirValue a = site->choice.a_in_registers ? convert(&builder, cast(&builder, site->a.value, site->a_element),
                                                      nereid_ttg_dot_op_attr_create(context, 0, mma, k_width))
                                            : store(site, &site->a, site->a_element, 0);
  MlirValue b = store(site, &site->b, site->b_element, 1);
  int32_t imprecise = nereid_tt_dot_get_max_num_imprecise_acc(site->dot);
  if (is_fp8(site->a_element) && imprecise < MIN_IMPRECISE)
    imprecise = MIN_IMPRECISE;
  MlirOperation made =
      nereid_ttng_warp_group_dot_build(&builder, a, b, accumulator(&builder, site, mma), (MlirValue){NULL},
                                       nereid_tt_dot_get_input_precision(site->dot), imprecise, /*is_async=*/false);
  replace(&builder, site, nereid_ir_result(made));
}

/* --- the pass --- */

static void remark_choice(const accelerate_t *accelerate, const site_t *site, const char *why) {
  const nereid_dot_choice_t *choice = &site->choice;
  const int last = choice->rank - 1;
  if (choice->version == NEREID_DOT_FMA) {
    nereid_pass_remark_missed(accelerate->pass, site->dot, "instruction",
                              "multiply-adds for %s by %s into %s, M = %lld, N = %lld, K = %lld: %s",
                              nereid_text_of_type(site->a_element).chars, nereid_text_of_type(site->b_element).chars,
                              nereid_text_of_type(site->sum).chars, (long long)site->problem.m,
                              (long long)site->problem.n, (long long)site->problem.k, why);
    return;
  }
  const bool wgmma = choice->version == NEREID_DOT_WGMMA;
  const char *batch = choice->rank > 2 ? nereid_arena_format(accelerate->pass->scratch, "%dx", choice->warps[0]) : "";
  if (!batch)
    return;
  nereid_pass_remark_passed(
      accelerate->pass, site->dot, "instruction",
      "%s of %dx%dx%d, warps %s%dx%d, a from %s: %lld instruction%s per thread, %lld bytes read "
      "from shared memory, %lld "
      "accumulator registers, %lld cycles%s%s",
      wgmma ? "wgmma" : "mma.sync", wgmma ? 64 : (int)choice->instruction[last - 1],
      (int)choice->instruction[wgmma ? 1 : last], (int)nereid_dot_instruction_k(site->a_element), batch,
      (int)choice->warps[last - 1], (int)choice->warps[last], choice->a_in_registers ? "registers" : "shared memory",
      (long long)choice->instructions, choice->instructions == 1 ? "" : "s", (long long)choice->shared_bytes,
      (long long)choice->registers, (long long)choice->cycles, why ? "; not wgmma: " : "", why ? why : "");
}

/* f32 multiplies as tf32; other precisions are decomposed before (tritongpu-F32DotTC) or need multiply-adds. */
static bool has_precision(const site_t *site) {
  return !mlirTypeIsAF32(site->a_element) ||
         nereid_tt_dot_get_input_precision(site->dot) == NEREID_TT_INPUT_PRECISION_TF32;
}

/* --- exchanged operands --- */

/* Whether the accumulator is a transposed value, such as the result of an exchanged dot. The transposed dot takes it as
 * it is; for the dot itself it is converted through shared memory. */
static bool adds_to_transposed(const site_t *site) {
  MlirOperation op = nereid_defining_op(nereid_tt_dot_get_c(site->dot));
  while (!mlirOperationIsNull(op) && (nereid_op_kind(op) == NEREID_OP_TTG_CONVERT_LAYOUT ||
                                      (nereid_dot_is_elementwise(op) && mlirOperationGetNumOperands(op) > 0)))
    op = nereid_defining_op(mlirOperationGetOperand(op, 0));
  return !mlirOperationIsNull(op) && nereid_op_kind(op) == NEREID_OP_TT_TRANS;
}

/* Whether wgmma of the transposed dot, b^T a^T, costs less than `choice`, the instruction of the dot itself. */
static bool gains_by_exchange(const site_t *site) {
  enum { FENCED_CYCLES = 40 }; /* proxy fence and wgmma latency; in a loop, other iterations hide them */
  nereid_dot_problem_t exchanged = site->problem;
  nereid_dot_choice_t choice;
  if (site->choice.version == NEREID_DOT_WGMMA || site->problem.capability < 90)
    return false;
  exchanged.m = site->problem.n;
  exchanged.n = site->problem.m;
  exchanged.a = site->problem.b;
  exchanged.b = site->problem.a;
  exchanged.a_source = NEREID_DOT_A_STORED; /* as a view of its buffer, also when it is computed */
  exchanged.a_is_written = is_computed(site->dot, &site->b);
  /* Rows of the result become columns: what reads them exchanges between warps anyway. */
  if (site->problem.feeds_dot || site->problem.feeds_reduce || site->problem.a_source == NEREID_DOT_A_CHAINED)
    return false;
  nereid_dot_choose(&exchanged, &choice, NULL);
  choice.cycles += nereid_loop_is_around(site->dot) || adds_to_transposed(site) ? 0 : FENCED_CYCLES;
  return choice.version == NEREID_DOT_WGMMA &&
         (site->choice.version == NEREID_DOT_FMA || choice.cycles < site->choice.cycles);
}

/* Replaces the dot by the transposed one, which is returned. */
static MlirOperation exchange(const site_t *site) {
  MlirValue a = mlirOperationGetOperand(site->dot, 0), b = mlirOperationGetOperand(site->dot, 1);
  MlirOperation made = nereid_dot_exchange(site->dot, site->a.value, site->b.value);
  erase_conversions(a);
  if (!mlirValueEqual(a, b))
    erase_conversions(b);
  return made;
}

/* --- one dot --- */

/* Chooses the instruction. Without one for 8-bit floats, or with K below its 32, they are widened to f16. */
static void choose(const accelerate_t *accelerate, site_t *site, const char **out_why) {
  nereid_dot_problem_t problem = site->problem;
  problem.a = site->a_element;
  problem.b = site->b_element;
  nereid_dot_choose(&problem, &site->choice, out_why);
  const bool has_sync = accelerate->multiplies_fp8 && site->choice.version == NEREID_DOT_MMA_SYNC;
  if (site->choice.version == NEREID_DOT_WGMMA || !is_fp8(site->a_element) || has_sync)
    return;
  site->a_element = site->b_element = problem.a = problem.b = mlirF16TypeGet(accelerate->pass->context);
  nereid_dot_choose(&problem, &site->choice, out_why);
}

static bool accelerate_dot(accelerate_t *accelerate, MlirOperation dot) {
  site_t site;
  const char *why = NULL;
  if (!nereid_ttg_blocked_attr_isa(mlirRankedTensorTypeGetEncoding(mlirValueGetType(nereid_ir_result(dot)))))
    return true; /* chosen by hand or by an earlier run */
  if (!read_site(accelerate, dot, &site))
    return false;
  if (has_precision(&site))
    choose(accelerate, &site, &why);
  else
    why =
        nereid_tt_dot_get_input_precision(dot) == NEREID_TT_INPUT_PRECISION_IEEE
            ? "f32 has a tensor core instruction with inputPrecision tf32, tf32x3, bf16x3 or bf16x6 only"
            : "this inputPrecision has instructions after tritongpu-F32DotTC, which requires K of at least 8 for tf32 "
              "and 16 for bf16";
  if (has_precision(&site) && gains_by_exchange(&site)) {
    nereid_pass_remark_passed(accelerate->pass, dot, "exchange",
                              "the transposed dot, b^T a^T, has enough rows for wgmma");
    return accelerate_dot(accelerate, exchange(&site));
  }
  if (site.choice.version == NEREID_DOT_WGMMA && !can_wgmma(&site)) {
    site.problem.capability = WITHOUT_WGMMA;
    choose(accelerate, &site, NULL);
    why = "no swizzle of shared memory fits an operand";
  }
  remark_choice(accelerate, &site, why);
  accelerate->wgmma += site.choice.version == NEREID_DOT_WGMMA;
  accelerate->mma_sync += site.choice.version == NEREID_DOT_MMA_SYNC;
  accelerate->fma += site.choice.version == NEREID_DOT_FMA;
  if (site.choice.version == NEREID_DOT_WGMMA)
    rewrite_wgmma(accelerate, &site);
  else if (site.choice.version == NEREID_DOT_MMA_SYNC)
    rewrite_mma_sync(accelerate, &site);
  return true;
}

MlirLogicalResult nereid_pass_tritongpu_accelerate_matmul(nereid_pass_t *pass) {
  accelerate_t accelerate = {.pass = pass, .capability = nereid_ttg_compute_capability(pass->op)};
  accelerate.multiplies_fp8 = accelerate.capability == FP8_SYNC;
  if (!nereid_pass_option_bool(pass, "wgmma") && nereid_target_has_wgmma(accelerate.capability))
    accelerate.capability = WITHOUT_WGMMA;
  nereid_operations_t dots = {0};
  if (!nereid_collect_kind(pass->op, NEREID_OP_TT_DOT, pass->scratch, &dots))
    return mlirLogicalResultFailure();
  nereid_map_initialize(&accelerate.operand_bytes, pass->scratch);
  for (size_t i = 0; i < dots.size; ++i) {
    uintptr_t *place = nereid_map_insert(&accelerate.operand_bytes, dots.data[i].ptr);
    if (!place)
      return mlirLogicalResultFailure();
    *place = (uintptr_t)nereid_dot_operand_group_bytes(dots.data[i]);
  }
  for (size_t i = 0; i < dots.size; ++i)
    if (!accelerate_dot(&accelerate, dots.data[i]))
      return mlirLogicalResultFailure();
  nereid_pass_statistic_add(pass, "wgmma", accelerate.wgmma);
  nereid_pass_statistic_add(pass, "mma.sync", accelerate.mma_sync);
  nereid_pass_statistic_add(pass, "multiply-adds", accelerate.fma);
  return mlirLogicalResultSuccess();
}
