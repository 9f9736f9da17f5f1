// Warps outside of the default region wait for partitions: states, captures, barriers, registers, arguments of callees.
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups --allocate-shared-memory --convert-triton-gpu-to-llvm --mlir-print-local-scope | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#wide2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#line1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#wide1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xf32, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// Argument %x is available to all warps, the buffer address is a constant, the sum is passed through memory. Warps 4 and 5
// run partition 0, warp 6 partition 1, warp 7 an empty one.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32
// CHECK-SAME: nvvm.reqntid = array<i32: 256>
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[WARP:.*]] = llvm.call_intrinsic "llvm.nvvm.shfl.sync.idx.i32"
// CHECK: %[[OWN:.*]] = llvm.icmp "ult" %[[WARP]]
// CHECK: llvm.cond_br %[[OWN]], ^{{.*}}, ^[[WORK:bb[0-9]+]]

// Stores the states of four warps and the one capture.
// CHECK: %[[SUM:.*]] = llvm.add %[[X]], %[[Y]] : i32
// CHECK: llvm.icmp "eq" %[[TID]]
// CHECK-COUNT-4: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK: llvm.store %[[SUM]], %{{.*}} {alignment = 8 : i64} : i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE:.*]]) :
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])

// CHECK: ^[[WORK]]:
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK: %[[STATE:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i8
// CHECK-NEXT: llvm.icmp "eq" %[[STATE]]

// All warps synchronize after the default region, with its result, and once more at the exit.
// CHECK: ^{{.*}}(%[[RESULT:[0-9]+]]: f32
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK: llvm.fadd %[[RESULT]], %[[RESULT]]
// CHECK-COUNT-4: llvm.store %{{.*}} : i8, !llvm.ptr<3>
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"(%[[ONE]])
// CHECK-NEXT: llvm.return

// The warps of the default region use barrier 0.
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%{{.*}}, %{{.*}}) : (i32, i32) -> ()

// Partition 0: loads the capture, waits until all have loaded theirs, uses barrier 2 and the threads from 128 on.
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[FIRST:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[THREADS:.*]] = llvm.mul %[[FIRST]]
// CHECK-NEXT: llvm.sub %[[TID]], %[[THREADS]]
// CHECK: llvm.load %{{.*}} {alignment = 8 : i64} : !llvm.ptr<3> -> i32
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(64 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.br ^[[WORK]] {loop_annotation = #llvm.loop_annotation<licm = <disable = true>>}
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[TWO]], %[[ALL]])
// CHECK: llvm.call @callee(%[[X]], %{{.*}}, %[[FIRST]], %[[TWO]]) : (i32, f32, i32, i32)

// Partition 1 is one warp.
// CHECK: llvm.call_intrinsic "llvm.nvvm.bar.warp.sync"
// CHECK-NOT: aligned.count
// CHECK: llvm.return
// CHECK-NEXT: }
tt.func public @kernel(%x: i32, %y: i32, %p: !tt.ptr<f32>) {
  %c = arith.constant 1.0 : f32
  %b = ttg.local_alloc : () -> !buffer
  %sum = arith.addi %x, %y : i32
  %r = ttg.warp_specialize(%b, %x, %sum)
  default {
    %v = ttg.local_load %b : !buffer -> tensor<128xf32, #line>
    %w = arith.addf %v, %v : tensor<128xf32, #line>
    ttg.local_barrier
    ttg.local_store %w, %b : tensor<128xf32, #line> -> !buffer
    ttg.warp_yield %c : f32
  }
  partition0(%pb: !buffer, %px: i32, %ps: i32) num_warps(2) {
    %v = ttg.local_load %pb : !buffer -> tensor<128xf32, #line2>
    %w = ttg.convert_layout %v : tensor<128xf32, #line2> -> tensor<128xf32, #wide2>
    ttg.local_barrier
    ttg.local_store %w, %pb : tensor<128xf32, #wide2> -> !buffer
    %f = arith.sitofp %ps : i32 to f32
    tt.call @callee(%px, %f) : (i32, f32) -> ()
    ttg.warp_return
  }
  partition1(%pb: !buffer, %px: i32, %ps: i32) num_warps(1) {
    %v = ttg.local_load %pb : !buffer -> tensor<128xf32, #line1>
    ttg.local_barrier
    ttg.local_store %v, %pb : tensor<128xf32, #line1> -> !buffer
    ttg.warp_return
  } : (!buffer, i32, i32) -> f32
  %z = arith.addf %r, %r : f32
  tt.store %p, %z : !tt.ptr<f32>
  tt.return
}

// Counts from the warp and uses the barrier passed by the caller.
// CHECK-LABEL: llvm.func internal @callee(
// CHECK-SAME: %{{.*}}: i32, %{{.*}}: f32, %[[FIRST:.*]]: i32, %[[BARRIER:.*]]: i32)
// CHECK: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[THREADS:.*]] = llvm.mul %[[FIRST]]
// CHECK-NEXT: llvm.sub %[[ID]], %[[THREADS]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[BARRIER]], %{{.*}})
// CHECK: llvm.call @leaf(%[[FIRST]], %[[BARRIER]])
tt.func private @callee(%i: i32, %f: f32) attributes {noinline = true, "ttg.num-warps" = 2 : i32} {
  ttg.local_barrier
  tt.call @leaf() : () -> ()
  tt.return
}
// CHECK-LABEL: llvm.func internal @leaf(%{{.*}}: i32, %{{.*}}: i32)
tt.func private @leaf() attributes {noinline = true, "ttg.num-warps" = 2 : i32} {
  ttg.local_barrier
  tt.return
}

// A kernel without partitions: the other warps return at once.
// CHECK-LABEL: llvm.func @beside(
// CHECK: llvm.cond_br %{{.*}}, ^[[BODY:bb[0-9]+]], ^[[OTHERS:bb[0-9]+]]
// CHECK: ^[[BODY]]:
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"
// CHECK-NEXT: llvm.call @of_all()
// CHECK-NEXT: llvm.return
// CHECK: ^[[OTHERS]]:
// CHECK-NEXT: llvm.return
tt.func public @beside() {
  ttg.local_barrier
  tt.call @of_all() : () -> ()
  tt.return
}
// CHECK-LABEL: llvm.func internal @of_all()
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"
tt.func private @of_all() attributes {noinline = true} {
  ttg.local_barrier
  tt.return
}
}

// -----

// The default region releases registers after all partitions have started, and gets them back after all have ended.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.maxnreg = 168 : i32} {
// CHECK-LABEL: llvm.func @registers(
// CHECK-SAME: nvvm.maxnreg = 168 : i32
// CHECK-DAG: %[[LAUNCHED:.*]] = llvm.mlir.constant(168 : i32)
// CHECK-DAG: %[[MORE:.*]] = llvm.mlir.constant(256 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"(%[[MORE]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[LAUNCHED]])
// CHECK: %[[LESS:.*]] = llvm.mlir.constant(80 : i32)
// CHECK: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.dec.sync.aligned.u32"(%[[LESS]])
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.all"
// CHECK-NEXT: llvm.call_intrinsic "llvm.nvvm.setmaxnreg.inc.sync.aligned.u32"
tt.func public @registers() {
  ttg.warp_specialize() attributes {requestedRegisters = array<i32: 80>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
