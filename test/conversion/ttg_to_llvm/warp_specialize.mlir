// The regions of ttg.warp_specialize in LLVM: captures, threads and barriers of partitions, arguments of callees.
// RUN: nereid-opt %s --split-input-file --tritongpu-allocate-warp-groups --allocate-shared-memory --convert-triton-gpu-to-llvm --mlir-print-local-scope | FileCheck %s

#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#line2 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#wide2 = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#line1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#wide1 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<128xf32, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The op stays, with code of LLVM in its regions and with the captures that partitions use: not the buffer, whose address is
// a constant. The kernel is launched with all warps, but has no branch for the others yet.
// CHECK-LABEL: llvm.func @kernel(
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32
// CHECK-SAME: attributes {allocation.offset = 1024 : i32, {{.*}}nvvm.reqntid = array<i32: 256>
// CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK: %[[C:.*]] = llvm.mlir.constant(1.0
// CHECK: %[[SUM:.*]] = llvm.add %[[X]], %[[Y]] : i32
// CHECK: %[[RESULT:.*]] = ttg.warp_specialize(%[[X]], %[[SUM]]) attributes {allocation.offset = 512 : i32, allocation.size = 8 : i32, warpGroupStartIds = array<i32: 4, 6, 7>}

// The warps of the default region use barrier 0.
// CHECK-NEXT: default {
// CHECK: llvm.and %[[TID]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%{{.*}}, %{{.*}}) : (i32, i32) -> ()
// CHECK: ttg.warp_yield %[[C]] : f32

// Partition 0: uses barrier 2 and the threads from 128 on.
// CHECK: partition0(%[[PX:[a-z0-9]+]]: i32, %[[PS:[a-z0-9]+]]: i32) num_warps(2) {
// CHECK-NEXT: %[[ID:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i32)
// CHECK-DAG: %[[FIRST:.*]] = llvm.mlir.constant(4 : i32)
// CHECK: %[[THREADS:.*]] = llvm.mul %[[FIRST]]
// CHECK-NEXT: %[[OWN:.*]] = llvm.sub %[[ID]], %[[THREADS]]
// CHECK: llvm.mlir.addressof @global_smem
// CHECK: %[[ALL:.*]] = llvm.mlir.constant(64 : i32)
// CHECK: llvm.and %[[OWN]]
// CHECK: llvm.call_intrinsic "llvm.nvvm.barrier.cta.sync.aligned.count"(%[[TWO]], %[[ALL]])
// CHECK: llvm.sitofp %[[PS]]
// CHECK: llvm.call @callee(%[[PX]], %{{.*}}, %[[FIRST]], %[[TWO]]) : (i32, f32, i32, i32)
// CHECK: ttg.warp_return

// Partition 1 is one warp; partition 2 is empty.
// CHECK: partition1(%{{.*}}: i32, %{{.*}}: i32) num_warps(1) {
// CHECK: llvm.call_intrinsic "llvm.nvvm.bar.warp.sync"
// CHECK-NOT: aligned.count
// CHECK: ttg.warp_return
// CHECK: partition2(%{{.*}}: i32, %{{.*}}: i32) num_warps(1) {
// CHECK: } : (i32, i32) -> f32
// CHECK: llvm.fadd %[[RESULT]], %[[RESULT]]
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

// Captures that lowering adds: the CTA's part of global scratch, the buffer of prints; both need no shared memory.
#line1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [1], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90", ttg.global_scratch_memory_alignment = 16 : i32, ttg.global_scratch_memory_size = 128 : i32} {
// CHECK-LABEL: llvm.func @added(
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[SCRATCH:[a-z0-9]+]]: !llvm.ptr<1>
// CHECK: %[[PRINTED:.*]] = llvm.alloca
// CHECK: ttg.warp_specialize(%[[SCRATCH]], %[[PRINTED]]) attributes {warpGroupStartIds
// CHECK: partition0(%[[S:[a-z0-9]+]]: !llvm.ptr<1>, %[[P:[a-z0-9]+]]: !llvm.ptr) num_warps(1)
// CHECK: %[[OWN:.*]] = llvm.getelementptr %[[S]]
// CHECK: llvm.ptrtoint %[[OWN]]
// CHECK: llvm.call @vprintf(%{{.*}}, %[[P]])
tt.func public @added(%n: i32) {
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(1) {
    %g = ttg.global_scratch_alloc {alignment = 8 : i32, nbytes = 100 : i32, ttg.global_scratch_memory_offset = 0 : i32} : !tt.ptr<i8>
    %i = tt.ptr_to_int %g : !tt.ptr<i8> -> i64
    tt.print ": " {hex = false, isSigned = array<i32: 0>} : %i : i64
    ttg.warp_return
  } : () -> ()
  tt.return
}
}
