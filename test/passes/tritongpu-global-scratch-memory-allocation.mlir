// RUN: nereid-opt %s --split-input-file --tritongpu-global-scratch-memory-allocation | FileCheck %s

// The size is a multiple of the largest alignment.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 128 : i32, ttg.global_scratch_memory_size = 384 : i32
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 128 : i32
// CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 256 : i32
tt.func public @three() {
  %a = ttg.global_scratch_alloc {nbytes = 4 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  %b = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  %c = ttg.global_scratch_alloc {nbytes = 20 : i32, alignment = 16 : i32} : !tt.ptr<i8>
  tt.return
}
}

// -----

// Calls hold the frames of what they call, above the function's own; those of calls one after another are the same
// bytes, with a barrier between one use and the next. Kernels do not run together: the module's size is the largest.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_alignment = 64 : i32, ttg.global_scratch_memory_size = 320 : i32
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func {{.*}} @diamond(
tt.func public @diamond() {
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @left() {ttg.global_scratch_memory_offset = 64 : i32}
  tt.call @left() : () -> ()
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
  %a = ttg.global_scratch_alloc {nbytes = 8 : i32, alignment = 8 : i32} : !tt.ptr<i8>
  // CHECK: ttg.local_barrier
  // CHECK-NEXT: tt.call @leaf() {ttg.global_scratch_memory_offset = 64 : i32}
  tt.call @leaf() : () -> ()
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @none() : () -> ()
  tt.call @none() : () -> ()
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @other(
tt.func public @other() {
  // CHECK: tt.call @leaf() {ttg.global_scratch_memory_offset = 0 : i32}
  tt.call @leaf() : () -> ()
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @left(
tt.func private @left() {
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
  %a = ttg.global_scratch_alloc {nbytes = 100 : i32, alignment = 4 : i32} : !tt.ptr<i8>
  // CHECK: tt.call @leaf() {ttg.global_scratch_memory_offset = 128 : i32}
  tt.call @leaf() : () -> ()
  tt.return
}
// CHECK-LABEL: tt.func {{.*}} @leaf(
tt.func private @leaf() {
  // CHECK: ttg.global_scratch_alloc {{.*}}ttg.global_scratch_memory_offset = 0 : i32
  %a = ttg.global_scratch_alloc {nbytes = 128 : i32, alignment = 64 : i32} : !tt.ptr<i8>
  tt.return
}
tt.func private @none() {
  tt.return
}
}

// -----

// What a callee left behind may still be read: a descriptor by a copy that runs on, or through a pointer that comes
// back. Such frames share with nobody; the others do.
// CHECK: module attributes {{.*}}ttg.global_scratch_memory_size = 512 : i32
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: tt.func {{.*}} @lasting(
tt.func public @lasting(%b: i32) {
  // CHECK: tt.call @plain() {ttg.global_scratch_memory_offset = 256 : i32}
  tt.call @plain() : () -> ()
  // CHECK-NOT: ttg.local_barrier
  // CHECK: tt.call @address() {ttg.global_scratch_memory_offset = 0 : i32}
  %p = tt.call @address() : () -> !tt.ptr<i8>
  // CHECK: tt.call @through() {ttg.global_scratch_memory_offset = 128 : i32}
  tt.call @through() : () -> ()
  // CHECK: tt.call @plain() {ttg.global_scratch_memory_offset = 256 : i32}
  tt.call @plain() : () -> ()
  tt.return
}
tt.func private @plain() {
  %a = ttg.global_scratch_alloc {nbytes = 256 : i32, alignment = 128 : i32} : !tt.ptr<i8>
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
}
