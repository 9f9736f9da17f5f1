// RUN: nereid-opt %s --split-input-file --verify-diagnostics --triton-nvidia-tma-lowering | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// CHECK-DAG: #[[ROWS:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
// CHECK-DAG: #[[NARROW:.*]] = #ttg.nvmma_shared<{swizzlingByteWidth = 32, transposed = false, elementBitWidth = 16}>
// The argument's attributes give the host the block and the swizzle.
// CHECK-LABEL: tt.func public @load_store(
// CHECK-SAME: {nereid.descriptor = #nereid.descriptor<element = f32, block = [16, 64], swizzle = 128>, tt.nv_tma_desc = 1 : i32}
// CHECK-SAME: {nereid.descriptor = #nereid.descriptor<element = f16, block = [64, 16], swizzle = 32>, tt.nv_tma_desc = 1 : i32}
// CHECK: %[[BUFFER:.*]] = ttg.local_alloc : () -> !ttg.memdesc<16x64xf32, #[[ROWS]], #smem, mutable>
// CHECK: %[[BAR:.*]] = ttg.local_alloc : () -> !ttg.memdesc<1xi64,
// CHECK: ttng.init_barrier %[[BAR]], 1
// CHECK: ttng.barrier_expect %[[BAR]], 4096, %true
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}}[%arg2, %arg3] %[[BUFFER]], %[[BAR]], %true
// CHECK: ttng.wait_barrier %[[BAR]], %c0_i32
// CHECK: ttng.inval_barrier %[[BAR]]
// CHECK: %[[X:.*]] = ttg.local_load %[[BUFFER]]
// CHECK: %[[OUT:.*]] = ttg.local_alloc %{{.*}} : (tensor<64x16xf16, {{.*}}>) -> !ttg.memdesc<64x16xf16, #[[NARROW]], #smem>
// CHECK: ttng.async_tma_copy_local_to_global %{{.*}}[%arg3, %arg2] %[[OUT]]
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
tt.func public @load_store(%p: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %q: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %i: i32, %j: i32) -> tensor<16x64xf32, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<16x64xf32>>
  %e = ttng.reinterpret_tensor_descriptor %q : !tt.ptr<i8> to !tt.tensordesc<tensor<64x16xf16>>
  %v = arith.constant dense<1.0> : tensor<64x16xf16, #b>
  %x = tt.descriptor_load %d[%i, %j] : !tt.tensordesc<tensor<16x64xf32>> -> tensor<16x64xf32, #b>
  tt.descriptor_store %e[%j, %i], %v : !tt.tensordesc<tensor<64x16xf16>>, tensor<64x16xf16, #b>
  tt.return %x : tensor<16x64xf32, #b>
}

// CHECK-LABEL: tt.func public @sum(
// CHECK: ttng.async_tma_reduce min, %{{.*}}[%arg1, %arg1]
// CHECK: ttng.async_tma_store_wait {pendings = 0 : i32, read_only}
tt.func public @sum(%p: !tt.ptr<i8>, %i: i32) {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<8x8xi32>>
  %v = arith.constant dense<1> : tensor<8x8xi32, #b>
  tt.descriptor_reduce min, %d[%i, %i], %v : !tt.tensordesc<tensor<8x8xi32>>, tensor<8x8xi32, #b>
  tt.return
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Buffers of a dot are filled by TMA without registers; the results of a wait follow the types of their operands.
// CHECK-LABEL: tt.func public @operands(
// CHECK: %[[A:.*]] = ttg.local_alloc : () -> !ttg.memdesc<64x64xf16, #[[S:.*]], #smem, mutable>
// CHECK: ttng.async_tma_copy_global_to_local %{{.*}} %[[A]],
// CHECK: ttng.wait_barrier
// CHECK-NOT: ttg.local_load
// CHECK: %[[V:.*]] = ttg.memdesc_trans %[[A]] {{.*}} mutable> -> {{.*}} mutable>
// CHECK: ttng.warp_group_dot %{{.*}}, %[[V]], %{{.*}} : !ttg.memdesc<64x64xf16, #[[S]], #smem> * {{.*}} mutable>
// CHECK: ttng.warp_group_dot_wait {{.*}} : tensor<{{.*}}>, !ttg.memdesc<64x64xf16, #[[S]], #smem>, !ttg.memdesc<64x64xf16, #{{.*}}, #smem, mutable>
tt.func public @operands(%d: !tt.tensordesc<tensor<64x64xf16, #shared>>, %x: tensor<64x64xf16, #b>, %i: i32) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %a = ttg.local_alloc %x : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %y = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #b>
  %s = ttg.local_alloc %y : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
  %b = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
  %r = ttng.warp_group_dot %a, %b, %zero {isAsync = true} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
  %w:3 = ttng.warp_group_dot_wait %r, %a, %b {pendings = 0 : i32} : tensor<64x64xf32, #mma>, !ttg.memdesc<64x64xf16, #shared, #smem>, !ttg.memdesc<64x64xf16, #turned, #smem>
  tt.return %w#0 : tensor<64x64xf32, #mma>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 32}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @few_rows(%p: !tt.ptr<i8>, %i: i32) -> tensor<4x64xf32, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<4x64xf32, #shared>>
  // expected-error @below {{accesses a block of 4 rows, expected at least 8: the tensor map swizzles groups of 8 rows}}
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<4x64xf32, #shared>> -> tensor<4x64xf32, #b>
  tt.return %x : tensor<4x64xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @two_blocks(%p: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %i: i32) -> (tensor<16x64xf32, #b>, tensor<16x32xf32, #b>) {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<16x64xf32>>
  %e = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<16x32xf32>>
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x64xf32>> -> tensor<16x64xf32, #b>
  // expected-error @below {{accesses #nereid.descriptor<element = f32, block = [16, 32], swizzle = 128> through a tensor map that describes #nereid.descriptor<element = f32, block = [16, 64], swizzle = 128>: expected one block and swizzle}}
  %y = tt.descriptor_load %e[%i, %i] : !tt.tensordesc<tensor<16x32xf32>> -> tensor<16x32xf32, #b>
  tt.return %x, %y : tensor<16x64xf32, #b>, tensor<16x32xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @rows(%p: !tt.ptr<i8>, %i: i32, %rows: tensor<32xi32, #line>) -> tensor<32x32xf32, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<1x32xf32>>
  // expected-error @below {{accesses rows by index through a tensor map, which needs sm_100}}
  %x = tt.descriptor_gather %d[%rows, %i] : (!tt.tensordesc<tensor<1x32xf32>>, tensor<32xi32, #line>, i32) -> tensor<32x32xf32, #b>
  tt.return %x : tensor<32x32xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func public @old(%p: !tt.ptr<i8>, %i: i32) -> tensor<16x64xf32, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<16x64xf32>>
  // expected-error @below {{accesses memory through a tensor map, which needs sm_90; the target is sm_80}}
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<16x64xf32>> -> tensor<16x64xf32, #b>
  tt.return %x : tensor<16x64xf32, #b>
}
}

// -----

#b = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @narrow(%p: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}, %i: i32) -> tensor<64x4xf16, #b> {
  %d = ttng.reinterpret_tensor_descriptor %p : !tt.ptr<i8> to !tt.tensordesc<tensor<64x4xf16>>
  // expected-error @below {{accesses a block of type tensor<64x4xf16>, whose rows have 8 bytes: TMA copies rows in multiples of 16 bytes; expected a wider block, or a !tt.tensordesc argument, which is rewritten to a pointer}}
  %x = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<64x4xf16>> -> tensor<64x4xf16, #b>
  tt.return %x : tensor<64x4xf16, #b>
}
}
