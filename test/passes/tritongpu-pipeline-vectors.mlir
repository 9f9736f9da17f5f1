// RUN: nereid-opt %s --tritongpu-assign-latencies=num-stages=2 --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#operand = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#columns = #ttg.slice<{dim = 0, parent = #mma}>
#b = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#turned = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = true, elementBitWidth = 16}>
#smem = #ttg.shared_memory
// CHECK: #[[COPY:.*]] = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// Vectors along the columns of a dot's result are copied by sixteen threads, 16 bytes each, instead of by four threads,
// eight times 8 bytes each. The one that is used after a dot with an operand in registers is loaded from its slot directly
// before that dot, the other one at the begin of the step.
// CHECK-LABEL: @scaled
// CHECK: scf.for
// CHECK: ttg.async_wait
// CHECK: %[[F:.*]] = ttg.local_load
// CHECK-COUNT-2: ttg.async_copy_global_to_local %{{.*}} : tensor<64x!tt.ptr<f32>, #[[COPY]]>
// CHECK: ttng.warp_group_dot
// CHECK: ttng.warp_group_dot
// CHECK: tt.expand_dims %[[F]]
// CHECK-NOT: ttng.warp_group_dot %
// CHECK: %[[G:.*]] = ttg.local_load
// CHECK-NEXT: ttng.warp_group_dot %{{.*}} : tensor<64x64xf16
// CHECK: tt.expand_dims %[[G]]
tt.func public @scaled(%x: !ttg.memdesc<64x64xf16, #shared, #smem>, %e: !tt.tensordesc<tensor<64x64xf16, #shared>>, %p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %p2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %n: i32) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #columns>
  %base = tt.splat %p : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #columns>
  %base2 = tt.splat %p2 : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>, #columns>
  %r:2 = scf.for %t = %c0 to %n step %c1 iter_args(%sum = %zero, %other = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %j = arith.muli %t, %c64 : i32
    %k = tt.splat %j : i32 -> tensor<64xi32, #columns>
    %l = arith.addi %k, %range : tensor<64xi32, #columns>
    %q = tt.addptr %base, %l : tensor<64x!tt.ptr<f32>, #columns>, tensor<64xi32, #columns>
    %q2 = tt.addptr %base2, %l : tensor<64x!tt.ptr<f32>, #columns>, tensor<64xi32, #columns>
    %y = tt.descriptor_load %e[%j, %c0] : !tt.tensordesc<tensor<64x64xf16, #shared>> -> tensor<64x64xf16, #b>
    %s = ttg.local_alloc %y : (tensor<64x64xf16, #b>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %u = ttg.memdesc_trans %s {order = array<i32: 1, 0>} : !ttg.memdesc<64x64xf16, #shared, #smem> -> !ttg.memdesc<64x64xf16, #turned, #smem>
    %o = ttng.warp_group_dot %x, %u, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #turned, #smem> -> tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %x, %s, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %f = tt.load %q {tt.latency = 1 : i32} : tensor<64x!tt.ptr<f32>, #columns>
    %f1 = tt.expand_dims %f {axis = 0 : i32} : tensor<64xf32, #columns> -> tensor<1x64xf32, #mma>
    %f2 = tt.broadcast %f1 : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %m = arith.mulf %o, %f2 : tensor<64x64xf32, #mma>
    %h = arith.truncf %m : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %a = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #operand>
    %w = ttng.warp_group_dot %a, %s, %sum {inputPrecision = 0 : i32} : tensor<64x64xf16, #operand> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %g = tt.load %q2 {tt.latency = 1 : i32} : tensor<64x!tt.ptr<f32>, #columns>
    %g1 = tt.expand_dims %g {axis = 0 : i32} : tensor<64xf32, #columns> -> tensor<1x64xf32, #mma>
    %g2 = tt.broadcast %g1 : tensor<1x64xf32, #mma> -> tensor<64x64xf32, #mma>
    %v = arith.mulf %d, %g2 : tensor<64x64xf32, #mma>
    %z = arith.addf %v, %other : tensor<64x64xf32, #mma>
    scf.yield %w, %z : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
}
