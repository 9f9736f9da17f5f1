// Round trips of warp-group dots: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#shared8 = #ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = false, elementBitWidth = 8}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @shared_operands
  // CHECK-SAME: %[[A:.+]]: !ttg.memdesc<64x64xf16, #[[S:.+]], #smem>, %[[B:.+]]: !ttg.memdesc<64x64xf16, #[[S]], #smem>, %[[C:.+]]: tensor<64x64xf32, #mma>, %[[P:.+]]: i1
  tt.func @shared_operands(%a: !ttg.memdesc<64x64xf16, #shared, #smem>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>, %use: i1) -> tensor<64x64xf32, #mma> {
    // CHECK: %[[D:.+]] = ttng.warp_group_dot %[[A]], %[[B]], %[[C]] : !ttg.memdesc<64x64xf16, #[[S]], #smem> * !ttg.memdesc<64x64xf16, #[[S]], #smem> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %c : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    // CHECK: %[[E:.+]] = ttng.warp_group_dot %[[A]], %[[B]], %[[D]], %[[P]] {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc
    %e = ttng.warp_group_dot %a, %b, %d, %use {inputPrecision = 0 : i32, isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    // CHECK: ttng.warp_group_dot_wait %[[E]], %[[A]], %[[B]] {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #[[S]], #smem>, !ttg.memdesc<64x64xf16, #[[S]], #smem>
    %f:3 = ttng.warp_group_dot_wait %e, %a, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #shared, #smem>
    tt.return %f#0 : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: tt.func @register_operand
  tt.func @register_operand(%a: tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK: ttng.warp_group_dot {{.+}} : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %b, %c : tensor<64x64xf16, #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }

  // CHECK-LABEL: tt.func @fp8
  tt.func @fp8(%a: !ttg.memdesc<64x64xf8E5M2, #shared8, #smem>, %b: !ttg.memdesc<64x64xf8E4M3FN, #shared8, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
    // CHECK: ttng.warp_group_dot {{.+}} {maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E5M2
    %d = ttng.warp_group_dot %a, %b, %c {maxNumImpreciseAcc = 1073741824 : i32} : !ttg.memdesc<64x64xf8E5M2, #shared8, #smem> * !ttg.memdesc<64x64xf8E4M3FN, #shared8, #smem> -> tensor<64x64xf32, #mma>
    tt.return %d : tensor<64x64xf32, #mma>
  }
}
