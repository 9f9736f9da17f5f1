// Round trips of conversions, fp4 and the pipeliner's intermediate operations: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

#packed = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#unpacked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: tt.func @registers
  tt.func @registers(%arg0: tensor<16x32xi8, #packed>) {
    // CHECK: ttg.convert_layout %arg0 : tensor<16x32xi8, #blocked> -> tensor<16x32xi8, #ttg.slice<{dim = 2, parent = #blocked1}>>
    %0 = ttg.convert_layout %arg0 : tensor<16x32xi8, #packed> -> tensor<16x32xi8, #ttg.slice<{dim = 2, parent = #ttg.blocked<{
        sizePerThread = [1, 1, 1], threadsPerWarp = [1, 32, 1], warpsPerCTA = [4, 1, 1], order = [2, 1, 0]}>}>>
    // CHECK: ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8, #blocked> -> tensor<16x64xbf16, #blocked2>
    %1 = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8, #packed> -> tensor<16x64xbf16, #unpacked>
    tt.return
  }

  // CHECK-LABEL: tt.func @stages
  tt.func @stages(%arg0: i32, %arg1: index, %arg2: i1) {
    // CHECK: ttg.predicate_stage %arg0, %arg0, %arg0 maxStage 2 stage 0 : i32 -> i1
    %0 = ttg.predicate_stage %arg0, %arg0, %arg0 maxStage 2 stage 0 : i32 -> i1
    // CHECK: ttg.predicate_stage %arg1, %arg1, %arg1 maxStage 3 stage 1 : index -> i1
    %1 = ttg.predicate_stage %arg1, %arg1, %arg1 maxStage 3 stage 1 : index -> i1
    // CHECK: "ttg.mask"(%arg2) ({
    %2:2 = "ttg.mask"(%arg2) ({
      %3 = arith.addi %arg0, %arg0 : i32
      // CHECK: ttg.mask.return %{{.*}}, %arg2 : i32, i1
      ttg.mask.return %3, %arg2 : i32, i1
    // CHECK: }) : (i1) -> (i32, i1)
    }) : (i1) -> (i32, i1)
    tt.return
  }
}
