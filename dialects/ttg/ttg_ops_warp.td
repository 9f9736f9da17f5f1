// Warp specialization: groups of warps that run different code concurrently.
#ifndef NEREID_TTG_OPS_WARP
#define NEREID_TTG_OPS_WARP

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "dialects/ttg/ttg_base.td"

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [RecursiveMemoryEffects, RecursivelySpeculatable, TT_AsyncRegions,
                                                      DeclareOpInterfaceMethods<RegionBranchOpInterface>]> {
  let summary = "run the default region and the partitions concurrently";
  let description = [{
    The warps that reach the operation execute the default region, which may use any value above it and yields the
    results. Each partition is executed by the number of additional warps that it specifies. Because it has its own
    number of warps and layouts, it is isolated from above and reads only the passed values, `explicitCaptures`. The
    operation ends when all regions have ended.

    ```
    %r = ttg.warp_specialize(%a)
    default {
      ttg.warp_yield %x : i32
    }
    partition0(%arg0: i32) num_warps(4) {
      ttg.warp_return
    } : (i32) -> i32
    ```
    The partitions are the regions of the one operation in the second region, `ttg.warp_specialize.partitions`.
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures, DenseI32ArrayAttr:$partitionNumWarps,
                       OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds,
                       OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
                       OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let hasCanonicalizeMethod = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [
    IsolatedFromAbove, RecursiveMemoryEffects, RecursivelySpeculatable, Terminator, HasParent<"WarpSpecializeOp">]> {
  let summary = "contain the partitions of a `ttg.warp_specialize`, which is not isolated itself";
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializeOp">]> {
  let summary = "terminate the default region and return the results of the `ttg.warp_specialize`";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [Pure, Terminator, ReturnLike, HasParent<"WarpSpecializePartitionsOp">]> {
  let summary = "terminate a partition";
  let assemblyFormat = "attr-dict";
}

#endif
