// RUN: nereid-opt %s --canonicalize | FileCheck %s

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#rows = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Ops with a predicate that is false do nothing.
// CHECK-LABEL: @never(
// CHECK-NEXT: tt.return
tt.func public @never(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %d: !tt.tensordesc<tensor<64x64xf16, #rows>>, %t: !ttg.memdesc<64x64xf16, #rows, #smem, mutable>, %i: i32) {
  %c0 = arith.constant 0 : i32
  %no = arith.cmpi ne, %c0, %c0 : i32
  ttng.arrive_barrier %b, 1, %no deps %t : !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<64x64xf16, #rows, #smem, mutable>
  ttng.wait_barrier %b, %i, %no : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.barrier_expect %b, 8192, %no : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %t, %b, %no : !tt.tensordesc<tensor<64x64xf16, #rows>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #rows, #smem, mutable>
  tt.return
}

// CHECK-LABEL: @perhaps(
// CHECK: ttng.arrive_barrier
// CHECK: ttng.arrive_barrier
// CHECK: ttng.wait_barrier
// CHECK: ttng.wait_barrier
// CHECK: ttng.barrier_expect
// CHECK: ttng.async_tma_copy_global_to_local
tt.func public @perhaps(%b: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %d: !tt.tensordesc<tensor<64x64xf16, #rows>>, %t: !ttg.memdesc<64x64xf16, #rows, #smem, mutable>, %i: i32, %p: i1) {
  %yes = arith.constant true
  ttng.arrive_barrier %b, 1, %p : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.arrive_barrier %b, 1 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %b, %i, %yes : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.wait_barrier %b, %i : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.barrier_expect %b, 8192, %yes : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %t, %b, %p : !tt.tensordesc<tensor<64x64xf16, #rows>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<64x64xf16, #rows, #smem, mutable>
  tt.return
}
}
