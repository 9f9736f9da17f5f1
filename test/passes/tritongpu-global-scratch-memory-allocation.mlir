// RUN: nereid-opt %s --split-input-file --tritongpu-global-scratch-memory-allocation | FileCheck %s
// RUN: nereid-opt %s --split-input-file --convert-scf-to-cf --tritongpu-global-scratch-memory-allocation | FileCheck %s

// Allocations with overlapping live ranges are disjoint: %a is used after the others, through derived values. The size
// is a multiple of the largest alignment. Larger allocations come first.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 256 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-LABEL: @together
// CHECK-NOT: ttg.local_barrier
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 148 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK-NOT: ttg.local_barrier
tt.func public @together(%i: i32, %x: i8) {
  %a = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %c = ttg.global_scratch_alloc {nbytes = 20 : i32, alignment = 16 : i32} : !tt.ptr<i8>
  %d = tt.addptr %a, %i : !tt.ptr<i8>, i32
  tt.store %c, %x : !tt.ptr<i8>
  tt.store %b, %x : !tt.ptr<i8>
  tt.store %d, %x : !tt.ptr<i8>
  tt.return
}
}

// -----

// Consecutive allocations share bytes. A barrier orders all accesses of %a before those of %b; none is required before
// %a.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 128 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @one_after_another
// CHECK-NOT: ttg.local_barrier
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: tt.load
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
tt.func public @one_after_another(%x: i8) -> i8 {
  %a = ttg.global_scratch_alloc {nbytes = 64 : i32, alignment = 64 : i32} : !tt.ptr<i8>
  tt.store %a, %x : !tt.ptr<i8>
  %y = tt.load %a : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 64 : i32} : !tt.ptr<i8>
  tt.store %b, %y : !tt.ptr<i8>
  tt.return %y : i8
}
}

// -----

// In a loop the first also follows the second: a barrier before each. Loop-carried allocations are live in the whole loop.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 256 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @loop
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
tt.func public @loop(%x: i8, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %kept = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %end = scf.for %i = %c0 to %n step %c1 iter_args(%at = %kept) -> (!tt.ptr<i8>) : i32 {
    %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    tt.store %a, %x : !tt.ptr<i8>
    %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    tt.store %b, %x : !tt.ptr<i8>
    tt.store %at, %x : !tt.ptr<i8>
    %next = tt.addptr %at, %c1 : !tt.ptr<i8>, i32
    scf.yield %next : !tt.ptr<i8>
  }
  tt.return
}
}

// -----

// A bulk store reads its descriptor until its wait, so %a is live until the wait.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 256 : i32
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @bulk_store
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK: ttng.async_tma_store_wait
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
tt.func public @bulk_store(%x: i8, %i: i32, %p: !tt.ptr<f32>, %s: i64) {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  ttng.tensormap_create %a, %p, [%i, %i], [%i, %i], [%s], [%i, %i] {elem_type = 7 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f32>, i32, i32, i32, i32, i64, i32, i32) -> ()
  ttng.tensormap_fenceproxy_acquire %a : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %a : !tt.ptr<i8> to !tt.tensordesc<tensor<32x32xf32, #shared>>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<tensor<32x32xf32, #shared>>, !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %b = ttg.global_scratch_alloc {nbytes = 64 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %b, %x : !tt.ptr<i8>
  ttng.async_tma_store_wait {pendings = 0 : i32}
  %c = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %c, %x : !tt.ptr<i8>
  tt.return
}
}

// -----

// A bulk load reads its descriptor until the wait for its mbarrier.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 256 : i32
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @bulk_load
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK: ttng.wait_barrier
// CHECK-NEXT: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
tt.func public @bulk_load(%x: i8, %i: i32, %phase: i32, %yes: i1) {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>
  ttng.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %a : !tt.ptr<i8> to !tt.tensordesc<tensor<32x32xf32, #shared>>
  ttng.barrier_expect %barrier, 4096, %yes : !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>
  ttng.async_tma_copy_global_to_local %d[%i, %i] %buffer, %barrier, %yes : !tt.tensordesc<tensor<32x32xf32, #shared>>, !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %b = ttg.global_scratch_alloc {nbytes = 64 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %b, %x : !tt.ptr<i8>
  ttng.wait_barrier %barrier, %phase : !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>
  %c = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %c, %x : !tt.ptr<i8>
  tt.return
}
}

// -----

// Without a wait both descriptors stay live. The same for a pointer that is stored or passed to an impure op.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 640 : i32
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#flat = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @for_good
// CHECK-NOT: ttg.local_barrier
// CHECK: tt.return
tt.func public @for_good(%x: i8, %i: i32, %yes: i1, %pp: !tt.ptr<!tt.ptr<i8>>) {
  %buffer = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %barrier = ttg.local_alloc : () -> !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable>
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %d = ttng.reinterpret_tensor_descriptor %a : !tt.ptr<i8> to !tt.tensordesc<tensor<32x32xf32, #shared>>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %buffer : !tt.tensordesc<tensor<32x32xf32, #shared>>, !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %e = ttng.reinterpret_tensor_descriptor %b : !tt.ptr<i8> to !tt.tensordesc<tensor<32x32xf32, #shared>>
  ttng.async_tma_copy_global_to_local %e[%i, %i] %buffer, %barrier, %yes : !tt.tensordesc<tensor<32x32xf32, #shared>>, !ttg.memdesc<1xi64, #flat, #ttg.shared_memory, mutable> -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  %c = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %pp, %c : !tt.ptr<!tt.ptr<i8>>
  %f = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %g = tt.elementwise_inline_asm "mov.b64 $0, $1;" {constraints = "=l,l", packed_element = 1 : i32, pure = false} %f : !tt.ptr<i8> -> i64
  %h = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %h, %x : !tt.ptr<i8>
  tt.return
}
}

// -----

// An allocation used in two partitions of a ttg.warp_specialize, which run concurrently, is live for the whole op; one of
// a single partition shares bytes within that partition, with a barrier of the partition's warps.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 384 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @partitions
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = [[CAPTURED:[0-9]+]] : i32
// CHECK: partition0
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = [[OWN:[0-9]+]] : i32
// CHECK: tt.store
// CHECK: ttg.local_barrier
// CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = [[OWN]] : i32
// CHECK: partition1
// CHECK-NOT: ttg.local_barrier
// CHECK-NOT: offset = [[OWN]] : i32
// CHECK-NOT: offset = [[CAPTURED]] : i32
// CHECK: ttg.global_scratch_alloc
tt.func public @partitions(%x: i8) {
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  ttg.warp_specialize(%a, %x)
  default {
    ttg.warp_yield
  }
  partition0(%p: !tt.ptr<i8>, %y: i8) num_warps(4) {
    tt.store %p, %y : !tt.ptr<i8>
    %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    tt.store %b, %y : !tt.ptr<i8>
    %c = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    tt.store %c, %y : !tt.ptr<i8>
    ttg.warp_return
  }
  partition1(%p: !tt.ptr<i8>, %y: i8) num_warps(4) {
    %d = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
    tt.store %d, %y : !tt.ptr<i8>
    ttg.warp_return
  } : (!tt.ptr<i8>, i8) -> ()
  tt.return
}
}

// -----

// A call holds the frame of its callee; allocations that are not live across it, and frames of consecutive calls, share
// bytes, with a barrier between the uses. Kernels do not run concurrently: the module's size is the maximum over
// kernels.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 64 : i32, ttg.global_scratch_memory_size = 320 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func {{.*}} @diamond(
tt.func public @diamond(%x: i8) {
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @left(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @left(%x) : (i8) -> ()
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
  %a = ttg.global_scratch_alloc {nbytes = 8 : i32, alignment = 8 : i32} : !tt.ptr<i8>
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @leaf(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @leaf(%x) : (i8) -> ()
  tt.store %a, %x : !tt.ptr<i8>
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @none() : () -> ()
  tt.call @none() : () -> ()
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @other(
tt.func public @other(%x: i8, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @leaf(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.call @leaf(%x) : (i8) -> ()
  }
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @left(
tt.func private @left(%x: i8) {
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
  %a = ttg.global_scratch_alloc {nbytes = 100 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @leaf(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @leaf(%x) : (i8) -> ()
  tt.store %a, %x : !tt.ptr<i8>
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
  %b = ttg.global_scratch_alloc {nbytes = 300 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  tt.store %b, %x : !tt.ptr<i8>
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @leaf(
tt.func private @leaf(%x: i8) {
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 64 : i32} : !tt.ptr<i8>
  tt.store %a, %x : !tt.ptr<i8>
  tt.return
}
tt.func private @none() {
  tt.return
}
}

// -----

// A callee's allocation may be read after the call: a descriptor by a copy in flight, or through a returned pointer.
// Such frames share no bytes; others do. A call may capture its pointer arguments.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 768 : i32
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func {{.*}} @lasting(
tt.func public @lasting(%b: i32, %x: i8) {
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @plain(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @plain(%x) : (i8) -> ()
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @address() {ttg.global_scratch_memory_offset = 512 : i32}
  %p = tt.call @address() : () -> !tt.ptr<i8>
  // CHECK: tt.call @through() {ttg.global_scratch_memory_offset = 640 : i32}
  tt.call @through() : () -> ()
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @plain(%{{.*}}) {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @plain(%x) : (i8) -> ()
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 256 : i32
  %passed = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.call @takes(%passed) : (!tt.ptr<i8>) -> ()
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 384 : i32
  %passed2 = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.call @takes(%passed2) : (!tt.ptr<i8>) -> ()
  tt.return
}
tt.func private @plain(%x: i8) {
  %a = ttg.global_scratch_alloc {nbytes = 256 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.store %a, %x : !tt.ptr<i8>
  tt.return
}
tt.func private @address() -> !tt.ptr<i8> {
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  tt.return %a : !tt.ptr<i8>
}
tt.func private @through() {
  tt.call @copy() : () -> ()
  tt.return
}
tt.func private @copy() {
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %i = arith.constant 0 : i32
  %d = ttng.reinterpret_tensor_descriptor %a : !tt.ptr<i8> to !tt.tensordesc<tensor<32x32xf32, #shared>>
  %b = ttg.local_alloc : () -> !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  ttng.async_tma_copy_local_to_global %d[%i, %i] %b : !tt.tensordesc<tensor<32x32xf32, #shared>>, !ttg.memdesc<32x32xf32, #shared, #ttg.shared_memory, mutable>
  tt.return
}
tt.func private @takes(%p: !tt.ptr<i8>) {
  tt.return
}
}
