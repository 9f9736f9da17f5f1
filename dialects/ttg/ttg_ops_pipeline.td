// Intermediate operations of the software pipeliner: predicated operations, the predicate of a stage.
#ifndef NEREID_TTG_OPS_PIPELINE
#define NEREID_TTG_OPS_PIPELINE

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/ttg/ttg_base.td"

def TTG_PredicateStageOp : TTG_Op<"predicate_stage", [Pure, AllTypesMatch<["iv", "ub", "step"]>]> {
  let summary = "compute whether stage `stage` of `maxStage` runs in iteration `iv` of a pipelined loop";
  let arguments = (ins AnySignlessIntegerOrIndex:$iv, AnySignlessIntegerOrIndex:$ub, AnySignlessIntegerOrIndex:$step,
                       I32Attr:$maxStage, I32Attr:$stage);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $iv `,` $ub `,` $step `maxStage` $maxStage `stage` $stage attr-dict `:` type($iv) `->` type($result)
  }];
}

def TTG_MaskOp : TTG_Op<"mask", [SingleBlock]> {
  let summary = "execute operations only when `pred` is true";
  let description = "When `pred` is false the results are undefined. Printed in the generic form, as Triton does.";
  let arguments = (ins I1:$pred);
  let results = (outs Variadic<AnyType>:$result);
  let regions = (region SizedRegion<1>:$region);
  let hasRegionVerifier = 1;
}

def TTG_MaskReturnOp : TTG_Op<"mask.return", [Pure, Terminator, ReturnLike, HasParent<"MaskOp">]> {
  let summary = "terminate a `ttg.mask` region and return its results";
  let arguments = (ins Variadic<AnyType>:$result);
  let assemblyFormat = "$result attr-dict `:` type($result)";
}

#endif
