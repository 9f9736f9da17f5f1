/* Builds a kernel in the tt dialect from C, without text, verifies it and prints it.
 *
 *   tt.func public @vector_add(%x: !tt.ptr<f32>, %y: !tt.ptr<f32>, %out: !tt.ptr<f32>, %n: i32)
 *
 * Program i adds elements 1024 i to 1024 i + 1023 of x and y that are below n. What is printed can be compiled:
 *   example-vector_add > vector_add.ttir && nereid compile vector_add.ttir */
#include "nereid/context.h"
#include "nereid/dialects/arith.h"
#include "nereid/dialects/tt.h"

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <stdio.h>

enum { BLOCK = 1024 };

/* The types that the kernel needs. */
typedef struct types {
  MlirType i32, pointer, offsets;
} types_t;

static MlirStringRef text(const char *string) {
  return mlirStringRefCreateFromCString(string);
}

static MlirType block_of(MlirType element) {
  int64_t shape = BLOCK;
  return mlirRankedTensorTypeGet(1, &shape, element, mlirAttributeGetNull());
}

static MlirType pointers(const types_t *types) {
  return block_of(types->pointer);
}

/* {tt.divisibility = 16 : i32}: the caller promises that an argument is a multiple of 16. */
static MlirAttribute divisible_by_16(MlirContext context, const types_t *types) {
  MlirNamedAttribute divisibility =
      mlirNamedAttributeGet(mlirIdentifierGet(context, text("tt.divisibility")), mlirIntegerAttrGet(types->i32, 16));
  return mlirDictionaryAttrGet(context, 1, &divisibility);
}

/* The addresses base + offsets. */
static MlirValue addresses(nereid_builder_t *b, const types_t *types, MlirValue base, MlirValue offsets) {
  MlirOperation splat = nereid_tt_splat_build(b, pointers(types), base);
  return nereid_tt_addptr_get_result(nereid_tt_addptr_build(b, nereid_tt_splat_get_result(splat), offsets));
}

static MlirValue load(nereid_builder_t *b, MlirValue from, MlirValue mask) {
  MlirValue none = {NULL};
  MlirAttribute no_padding = {NULL};
  return nereid_tt_load_get_result(nereid_tt_load_build(b, from, mask, none, 0, NULL, no_padding,
                                                        NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_NORMAL,
                                                        false));
}

/* program_id * BLOCK + [0, BLOCK) */
static MlirValue element_numbers(nereid_builder_t *b, const types_t *types) {
  MlirValue id = nereid_tt_get_program_id_get_result(nereid_tt_get_program_id_build(b, NEREID_TT_PROGRAM_ID_DIM_X));
  MlirOperation size = nereid_arith_constant_build(b, mlirIntegerAttrGet(types->i32, BLOCK));
  MlirOperation first =
      nereid_arith_muli_build(b, id, nereid_arith_constant_get_result(size), NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE);
  MlirOperation start = nereid_tt_splat_build(b, types->offsets, nereid_arith_muli_get_result(first));
  MlirOperation range = nereid_tt_make_range_build(b, types->offsets, 0, BLOCK);
  return nereid_arith_addi_get_result(nereid_arith_addi_build(b, nereid_tt_splat_get_result(start),
                                                              nereid_tt_make_range_get_result(range),
                                                              NEREID_ARITH_INTEGER_OVERFLOW_FLAGS_NONE));
}

static void build_body(nereid_builder_t *b, const types_t *types) {
  MlirValue x = mlirBlockGetArgument(b->block, 0), y = mlirBlockGetArgument(b->block, 1);
  MlirValue out = mlirBlockGetArgument(b->block, 2), n = mlirBlockGetArgument(b->block, 3);
  MlirValue offsets = element_numbers(b, types);
  MlirOperation limit = nereid_tt_splat_build(b, types->offsets, n);
  MlirOperation below =
      nereid_arith_cmpi_build(b, offsets, nereid_tt_splat_get_result(limit), NEREID_ARITH_CMP_I_PREDICATE_SLT);
  MlirValue mask = nereid_arith_cmpi_get_result(below);
  MlirValue left = load(b, addresses(b, types, x, offsets), mask);
  MlirValue right = load(b, addresses(b, types, y, offsets), mask);
  MlirOperation sum = nereid_arith_addf_build(b, left, right, NEREID_ARITH_FAST_MATH_FLAGS_NONE);
  nereid_tt_store_build(b, addresses(b, types, out, offsets), nereid_arith_addf_get_result(sum), mask, 0, NULL,
                        NEREID_TT_CACHE_MODIFIER_NONE, NEREID_TT_EVICTION_POLICY_NORMAL);
  nereid_tt_return_build(b, 0, NULL);
}

static MlirModule build(MlirContext context) {
  MlirLocation location = mlirLocationFileLineColGet(context, text("vector_add.c"), 1, 1);
  MlirModule module = mlirModuleCreateEmpty(location);
  nereid_builder_t b = nereid_builder_at_end(location, mlirModuleGetBody(module));
  types_t types = {.i32 = mlirIntegerTypeGet(context, 32),
                   .pointer = nereid_tt_ptr_type_create(context, mlirF32TypeGet(context), 1)};
  types.offsets = block_of(types.i32);

  MlirType inputs[] = {types.pointer, types.pointer, types.pointer, types.i32};
  MlirAttribute promises[4], nothing = {NULL};
  for (int i = 0; i < 4; i++)
    promises[i] = divisible_by_16(context, &types);
  MlirType type = mlirFunctionTypeGet(context, 4, inputs, 0, NULL);
  MlirOperation function =
      nereid_tt_func_build(&b, text("vector_add"), mlirTypeAttrGet(type), mlirStringAttrGet(context, text("public")),
                           mlirArrayAttrGet(context, 4, promises), nothing);

  MlirLocation locations[] = {location, location, location, location};
  b.block = mlirBlockCreate(4, inputs, locations);
  mlirRegionAppendOwnedBlock(nereid_tt_func_get_body(function), b.block);
  build_body(&b, &types);
  return module;
}

static void print(MlirStringRef part, void *file) {
  fwrite(part.data, 1, part.length, file);
}

int main(void) {
  MlirContext context = nereid_context_create();
  MlirModule module = build(context);
  bool correct = mlirOperationVerify(mlirModuleGetOperation(module));
  if (correct)
    mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return correct ? 0 : 1;
}
