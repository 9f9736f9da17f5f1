// One thread executes expect_tx, on sm_90.
// RUN: nereid-opt %s --convert-triton-gpu-to-llvm | FileCheck %s

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: llvm.func internal @expect(
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %arg1 : i1
// CHECK-NEXT: llvm.cond_br %[[BOTH]]
// CHECK: llvm.inline_asm has_side_effects "mbarrier.arrive.expect_tx.shared.b64 _, [$0], $1;", "r,r,~{memory}" %arg0
tt.func private @expect(%b: !bar, %p: i1) {
  ttng.barrier_expect %b, 4096, %p : !bar
  tt.return
}
}
