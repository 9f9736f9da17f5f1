// RUN: nereid-opt %s --split-input-file --nereid-hoist-dots | FileCheck %s
// RUN: nereid-opt %s --split-input-file --nereid-hoist-dots --remarks-filter-passed=nereid-hoist-dots 2>&1 | FileCheck %s --check-prefix=REMARK

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#dot = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 8 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// The backward pass of attention: the second product needs neither the first one nor what is computed from it. It moves
// with its load above both, and the third dot, which depends on the first one, stays.
// CHECK-LABEL: @independent
// CHECK: scf.for
// CHECK: %[[S:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[T:.*]] = tt.descriptor_load
// CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %[[T]]
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %[[B]],
// CHECK-NEXT: %[[P:.*]] = math.exp2 %[[S]]
// CHECK: %[[SUM:.*]] = ttng.warp_group_dot
// CHECK-NEXT: arith.mulf %[[P]], %[[D]]
// REMARK: [[@LINE+15]]:{{.*}} remark: [Passed] hoisted
tt.func public @independent(%desc: !tt.tensordesc<tensor<64x64xf16, #shared>>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %v = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %r:2 = scf.for %i = %c0 to %n step %c64 iter_args(%acc = %zero, %sum = %zero) -> (tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %v, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
    %p = math.exp2 %s : tensor<128x64xf32, #mma>
    %h = arith.truncf %p : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %a = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #dot>
    %next = ttng.warp_group_dot %a, %v, %acc : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
    %t = tt.descriptor_load %desc[%i, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #blocked>
    %b = ttg.local_alloc %t : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %product = arith.mulf %p, %d : tensor<128x64xf32, #mma>
    %new = arith.addf %sum, %product : tensor<128x64xf32, #mma>
    scf.yield %next, %new : tensor<128x64xf32, #mma>, tensor<128x64xf32, #mma>
  }
  tt.store %out, %r#0 : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.store %out, %r#1 : tensor<128x64x!tt.ptr<f32>, #mma>
  tt.return
}

// Reads may not move above writes; nothing waits for a dot without a user in between; a chain stays.
// CHECK-LABEL: @stay
// CHECK: ttng.warp_group_dot
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NEXT: math.exp2
// CHECK-NEXT: tt.store
// CHECK-NEXT: tt.load
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: arith.truncf %[[D]]
// CHECK-NEXT: ttg.convert_layout
// CHECK-NEXT: ttng.warp_group_dot
tt.func public @stay(%in: tensor<64x64x!tt.ptr<f16>, #blocked>, %n: i32, %out: tensor<128x64x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<128x64xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<128x64xf16, #shared, #smem, mutable>
  %v = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %s = ttng.warp_group_dot %q, %v, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
    %s2 = ttng.warp_group_dot %q, %v, %zero : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
    %p = math.exp2 %s : tensor<128x64xf32, #mma>
    tt.store %out, %p : tensor<128x64x!tt.ptr<f32>, #mma>
    %t = tt.load %in : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %t : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %q, %b, %s2 : !ttg.memdesc<128x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<128x64xf32, #mma>
    %h = arith.truncf %d : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
    %a = ttg.convert_layout %h : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #dot>
    %e = ttng.warp_group_dot %a, %v, %zero : tensor<128x64xf16, #dot> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<128x64xf32, #mma>
    tt.store %out, %e : tensor<128x64x!tt.ptr<f32>, #mma>
  }
  tt.return
}
}

// -----

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 256, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {

// Two results of 128 registers per thread do not fit together.
// CHECK-LABEL: @registers
// CHECK: ttng.warp_group_dot
// CHECK-NEXT: math.exp2
// CHECK-NEXT: tt.store
// CHECK-NEXT: ttng.warp_group_dot
tt.func public @registers(%n: i32, %out: tensor<64x256x!tt.ptr<f32>, #mma>) {
  %zero = arith.constant dense<0.0> : tensor<64x256xf32, #mma>
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %q = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
  %v = ttg.local_alloc : () -> !ttg.memdesc<64x256xf16, #shared, #smem, mutable>
  scf.for %i = %c0 to %n step %c64 : i32 {
    %s = ttng.warp_group_dot %q, %v, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x256xf16, #shared, #smem, mutable> -> tensor<64x256xf32, #mma>
    %p = math.exp2 %s : tensor<64x256xf32, #mma>
    tt.store %out, %p : tensor<64x256x!tt.ptr<f32>, #mma>
    %d = ttng.warp_group_dot %q, %v, %zero : !ttg.memdesc<64x64xf16, #shared, #smem, mutable> * !ttg.memdesc<64x256xf16, #shared, #smem, mutable> -> tensor<64x256xf32, #mma>
    tt.store %out, %d : tensor<64x256x!tt.ptr<f32>, #mma>
  }
  tt.return
}
}
