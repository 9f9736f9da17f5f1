/* Builds a function that doubles a float by the C bindings, and prints it. */
#include <nereid/context.h>
#include <nereid/dialects/arith.h>
#include <nereid/dialects/tt.h>

#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>

#include <stdio.h>

static void print(MlirStringRef text, void *file) {
  fwrite(text.data, 1, text.length, file);
}

int main(void) {
  MlirContext context = nereid_context_create();
  MlirLocation location = mlirLocationUnknownGet(context);
  MlirModule module = mlirModuleCreateEmpty(location);
  MlirAttribute none = {NULL};
  MlirType f32 = mlirF32TypeGet(context), type = mlirFunctionTypeGet(context, 1, &f32, 1, &f32);
  nereid_builder_t builder = nereid_builder_at_end(location, mlirModuleGetBody(module));
  MlirOperation function =
      nereid_tt_func_build(&builder, mlirStringRefCreateFromCString("double"), mlirTypeAttrGet(type),
                           mlirStringAttrGet(context, mlirStringRefCreateFromCString("public")), none, none);
  builder.block = mlirBlockCreate(1, &f32, &location);
  mlirRegionAppendOwnedBlock(mlirOperationGetRegion(function, 0), builder.block);
  MlirValue argument = mlirBlockGetArgument(builder.block, 0);
  MlirOperation sum = nereid_arith_addf_build(&builder, argument, argument, NEREID_ARITH_FAST_MATH_FLAGS_NONE);
  MlirValue result = nereid_arith_addf_get_result(sum);
  nereid_tt_return_build(&builder, 1, &result);
  bool valid = mlirOperationVerify(mlirModuleGetOperation(module));
  mlirOperationPrint(mlirModuleGetOperation(module), print, stdout);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  return valid ? 0 : 1;
}
