// Dots of a warp group on the tensor cores of sm_90 (PTX ISA: "Asynchronous Warpgroup Level Matrix Instructions").
#ifndef NEREID_TTNG_OPS_DOT_TD
#define NEREID_TTNG_OPS_DOT_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "dialects/ttng/ttng_dialect.td"

def TTNG_WarpGroupDotOp : TTNG_Op<"warp_group_dot", [
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
  TypesMatchWith<"the result has the accumulator's type", "d", "c", "$_self">
]> {
  let summary = "multiply matrices and accumulate with wgmma: d = a * b + c";
  let description = [{
    `a` is in registers or shared memory, `b` in shared memory, `c` and `d` in registers with the accumulator layout of
    wgmma. Where `useC` is false the result is a * b. With `isAsync` the result may be used, and the shared memory
    overwritten, only after a `ttng.warp_group_dot_wait` with the result as an operand. Operands of three dimensions
    are batches of matrices.

    `inputPrecision` is that of `tt.dot`. `maxNumImpreciseAcc` is the number of products of 8-bit floats that may be
    summed in the tensor core's reduced precision before the sum is added to an f32 accumulator.
  }];
  let arguments = (ins
    TTNG_TensorOrMemDesc:$a,
    TTG_MemDescType:$b,
    TT_FpIntTensor:$c,
    Optional<I1>:$useC,
    TT_PrecisionAttr:$inputPrecision,
    DefaultValuedAttr<I32Attr, "0">:$maxNumImpreciseAcc,
    DefaultValuedAttr<BoolAttr, "false">:$isAsync
  );
  let results = (outs TT_FpIntTensor:$d);
  let assemblyFormat = [{
    $a `,` $b `,` $c (`,` $useC^)? attr-dict
    `:` type($a) `*` qualified(type($b)) `->` type($d)
  }];
  let hasVerifier = 1;
}

def TTNG_WarpGroupDotWaitOp : TTNG_Op<"warp_group_dot_wait", [
  DeclareOpInterfaceMethods<InferTypeOpInterface>,
  AllTypesMatch<["inputs", "outputs"]>
]> {
  let summary = "wait until at most `pendings` asynchronous dots are in flight";
  let description = [{
    The results are the inputs and may be used after the operation. The inputs must include the results of all
    `isAsync` dots that the wait completes.
  }];
  let arguments = (ins Variadic<TTNG_TensorOrMemDesc>:$inputs, I32Attr:$pendings);
  let results = (outs Variadic<TTNG_TensorOrMemDesc>:$outputs);
  let assemblyFormat = "$inputs attr-dict `:` type($inputs)";
  let hasVerifier = 1;
}

#endif
