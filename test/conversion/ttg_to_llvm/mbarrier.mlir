// mbarriers: one thread initializes, invalidates and arrives, all threads wait.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm="compute-capability=90" | FileCheck %s --check-prefixes=CHECK,HOPPER
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm="compute-capability=80" 2>&1 | FileCheck %s --check-prefixes=CHECK,AMPERE

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
!bar = !ttg.memdesc<1xi64, #plain, #smem, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {

// CHECK-LABEL: llvm.func internal @life(
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[TID]]
// CHECK-NEXT: llvm.cond_br %[[FIRST]], ^[[ONE:.*]], ^[[REST:.*]]
// CHECK-NEXT: ^[[ONE]]:
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.mbarrier.init.shared"(%arg0, %{{.*}}) : (!llvm.ptr<3>, i32) -> ()
// CHECK-NEXT: llvm.br ^[[REST]]
// CHECK-NEXT: ^[[REST]]:
// CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.inval.shared"(%arg0)
tt.func private @life(%b: !bar) {
  ttng.init_barrier %b, 3 : !bar
  ttng.inval_barrier %b : !bar
  tt.return
}

// CHECK-LABEL: llvm.func internal @arrive(
// CHECK: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.shared"(%arg0) : (!llvm.ptr<3>) -> i64
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %arg1 : i1
// CHECK-NEXT: llvm.cond_br %[[BOTH]]
// HOPPER: llvm.inline_asm has_side_effects "mbarrier.arrive.shared.b64 _, [$0], $1;", "r,r,~{memory}" %arg0, %{{.*}}
// AMPERE: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.noComplete.shared"(%arg0, %{{.*}}) : (!llvm.ptr<3>, i32) -> i64
// AMPERE-NEXT: llvm.call_intrinsic "llvm.nvvm.mbarrier.arrive.shared"(%arg0)
tt.func private @arrive(%b: !bar, %p: i1) {
  ttng.arrive_barrier %b, 1 : !bar
  ttng.arrive_barrier %b, 3, %p : !bar
  tt.return
}

// CHECK-LABEL: llvm.func internal @wait(
// CHECK-NOT: llvm.cond_br
// HOPPER: llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.try_wait.parity.shared.b64 done, [$0], $1; @!done bra again; }", "r,r,~{memory}" %arg0, %arg1
// AMPERE: llvm.inline_asm has_side_effects "{ .reg .pred done; again: mbarrier.test_wait.parity.shared.b64 done, [$0], $1; @!done bra again; }"
// HOPPER: llvm.inline_asm has_side_effects "{ .reg .pred done; @!$2 bra over; again: {{.*}} @!done bra again; over: }", "r,r,b,~{memory}" %arg0, %arg1, %arg2
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tt.func private @wait(%b: !bar, %phase: i32, %p: i1) {
  ttng.wait_barrier %b, %phase : !bar
  ttng.wait_barrier %b, %phase, %p : !bar
  tt.return
}

// Each thread arrives for its own copies.
// CHECK-LABEL: llvm.func internal @copies(
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.mbarrier.arrive.shared"(%arg0)
// CHECK: llvm.call_intrinsic "llvm.nvvm.cp.async.mbarrier.arrive.noinc.shared"(%arg0)
tt.func private @copies(%b: !bar) {
  ttng.async_copy_mbarrier_arrive %b : !bar
  ttng.async_copy_mbarrier_arrive %b {noIncrement} : !bar
  tt.return
}

// The first lane of each warp arrives, when all lanes of the warp are there, without a branch.
// CHECK-LABEL: llvm.func internal @arrive_per_warp(
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[LANE:.*]] = llvm.and
// CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %[[LANE]]
// CHECK: llvm.inline_asm has_side_effects "{ .reg .b64 state; @$1 mbarrier.arrive.shared.b64 state, [$0]; }", "r,b,~{memory}" %arg0, %[[FIRST]]
// CHECK: nvvm.bar.warp.sync
// CHECK: %[[BOTH:.*]] = llvm.and %{{.*}}, %arg1 : i1
// CHECK: llvm.inline_asm {{.*}} %arg0, %[[BOTH]]
// CHECK-NOT: llvm.cond_br
// CHECK: llvm.return
tt.func private @arrive_per_warp(%b: !bar, %p: i1) {
  ttng.arrive_barrier %b, 1 {perWarp} : !bar
  ttng.arrive_barrier %b, 1, %p deps %b {perWarp} : !bar, !bar
  tt.return
}
}
