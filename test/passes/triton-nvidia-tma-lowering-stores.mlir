// Buffers of stores in loops: one per store, or one per type where only that fits in shared memory.
// RUN: nereid-opt %s --triton-nvidia-tma-lowering | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#words = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
#smem = #ttg.shared_memory
!half = !tt.tensordesc<tensor<128x64xf16, #shared>>
!full = !tt.tensordesc<tensor<128x64xf32, #words>>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// All fit. The stores of a block are as frequent as each other, also under a condition: before one, the n - 1 others may
// be in flight.
// CHECK-LABEL: tt.func public @under_condition(
// CHECK: %[[FIRST:.*]] = ttg.local_alloc
// CHECK: %[[SECOND:.*]] = ttg.local_alloc
// CHECK: scf.for
// CHECK: scf.if
// CHECK: ttng.async_tma_store_wait {pendings = 1 : i32, read_only}
// CHECK: ttg.local_store %{{.*}}, %[[FIRST]]
// CHECK: ttng.async_tma_store_wait {pendings = 1 : i32, read_only}
// CHECK: ttg.local_store %{{.*}}, %[[SECOND]]
tt.func public @under_condition(%d: !half, %v: tensor<128x64xf16, #b>, %n: i32, %last: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %is_last = arith.cmpi eq, %i, %last : i32
    scf.if %is_last {
      tt.descriptor_store %d[%i, %c0], %v : !half, tensor<128x64xf16, #b>
      tt.descriptor_store %d[%i, %c1], %v : !half, tensor<128x64xf16, #b>
    }
  }
  tt.return
}

// Stores of different blocks have no known order: each waits for all.
// CHECK-LABEL: tt.func public @two_blocks(
// CHECK-COUNT-2: ttg.local_alloc
// CHECK: scf.for
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
// CHECK: scf.if
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
tt.func public @two_blocks(%d: !half, %v: tensor<128x64xf16, #b>, %n: i32, %last: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    tt.descriptor_store %d[%i, %c0], %v : !half, tensor<128x64xf16, #b>
    %is_last = arith.cmpi eq, %i, %last : i32
    scf.if %is_last {
      tt.descriptor_store %d[%i, %c1], %v : !half, tensor<128x64xf16, #b>
    }
  }
  tt.return
}

// A ring of 160 KiB leaves 67 of 227 KiB: one buffer of 16 KiB and one of 32 KiB fit, a second one of 32 KiB does not.
// Before a store, those after the last one of its buffer may be in flight.
// CHECK-LABEL: tt.func public @shared(
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<5x128x128xf16
// CHECK: %[[WORDS:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf32
// CHECK: %[[HALF:.*]] = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16
// CHECK-NOT: ttg.local_alloc
// CHECK: scf.for
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
// CHECK: ttg.local_store %{{.*}}, %[[WORDS]]
// CHECK: ttng.async_tma_store_wait {pendings = 2 : i32, read_only}
// CHECK: ttg.local_store %{{.*}}, %[[HALF]]
// CHECK: ttng.async_tma_store_wait {pendings = 1 : i32, read_only}
// CHECK: ttg.local_store %{{.*}}, %[[WORDS]]
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
// CHECK-NEXT: ttg.local_dealloc %[[WORDS]]
// CHECK-NEXT: ttg.local_dealloc %[[HALF]]
// CHECK-NOT: ttg.local_dealloc %[[WORDS]]
tt.func public @shared(%d: !half, %e: !full, %v: tensor<128x64xf16, #b>, %w: tensor<128x64xf32, #b>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = ttg.local_alloc : () -> !ttg.memdesc<5x128x128xf16, #shared, #smem, mutable>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %slot = ttg.memdesc_index %ring[%c0] : !ttg.memdesc<5x128x128xf16, #shared, #smem, mutable> -> !ttg.memdesc<128x128xf16, #shared, #smem, mutable>
    %x = ttg.local_load %slot : !ttg.memdesc<128x128xf16, #shared, #smem, mutable> -> tensor<128x128xf16, #b>
    tt.descriptor_store %e[%i, %c0], %w : !full, tensor<128x64xf32, #b>
    tt.descriptor_store %d[%i, %c0], %v : !half, tensor<128x64xf16, #b>
    tt.descriptor_store %e[%i, %c1], %w : !full, tensor<128x64xf32, #b>
  }
  ttg.local_dealloc %ring : !ttg.memdesc<5x128x128xf16, #shared, #smem, mutable>
  tt.return
}
}
