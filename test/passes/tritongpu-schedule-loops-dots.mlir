// RUN: nereid-opt %s --tritongpu-schedule-loops | FileCheck %s
// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-pipeline | FileCheck %s --check-prefix=PIPELINE

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// A dot with a latency is executed an iteration early: it is in flight during the exponentials of the iteration before, and
// complete at its end, as the loop cannot carry it in its own registers. It is executed once in vain, past the end.
// CHECK-LABEL: @ahead
// CHECK: ttng.warp_group_dot {{.*}}loop.stage = 0 : i32
// CHECK: math.exp2 {{.*}}loop.stage = 1 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.stage = 1 : i32
// CHECK: tt.scheduled_max_stage = 1 : i32
// PIPELINE-LABEL: @ahead
// PIPELINE: ttng.warp_group_dot
// PIPELINE: %[[FIRST:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait
// PIPELINE: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[S:.*]] = %[[FIRST]]#0)
// PIPELINE-NEXT: ttng.warp_group_dot_wait %[[ACC]] {pendings = 0 : i32}
// PIPELINE-NEXT: %[[NEXT:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {inputPrecision = 0 : i32, isAsync = true}
// PIPELINE-NEXT: math.exp2 %[[S]]
// PIPELINE: %[[D:.*]] = ttng.warp_group_dot %
// PIPELINE-NEXT: %[[W:.*]]:4 = ttng.warp_group_dot_wait %[[NEXT]], {{.*}} {pendings = 1 : i32}
// PIPELINE-NEXT: scf.yield %[[D]], %[[W]]#0
tt.func @ahead(%n: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32, tt.latency = 1 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %o = ttng.warp_group_dot %p, %v, %acc {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}
// Threads compute operand a of the second dot while the first one is executed. The copies follow, and the third
// dot, which is in flight while the next step begins.
// CHECK-LABEL: @computed_operand
// CHECK: tt.load {{.*}}loop.cluster = 3 : i32, loop.stage = 0 : i32
// CHECK: ttg.local_alloc {{.*}}loop.cluster = 0 : i32, loop.stage = 1 : i32
// CHECK: ttg.convert_layout {{.*}}loop.cluster = 1 : i32, loop.stage = 1 : i32
// CHECK: arith.addf {{.*}}loop.cluster = 1 : i32, loop.stage = 1 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 0 : i32, loop.stage = 1 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 1 : i32, loop.stage = 1 : i32
// CHECK: ttng.warp_group_dot {{.*}}loop.cluster = 4 : i32, loop.stage = 1 : i32
// PIPELINE-LABEL: @computed_operand
// PIPELINE: scf.for
// PIPELINE: ttg.async_wait
// PIPELINE: ttng.warp_group_dot {{.*}} : !ttg.memdesc
// PIPELINE: ttg.convert_layout
// PIPELINE: arith.addf
// PIPELINE: ttng.warp_group_dot {{.*}} : tensor
// PIPELINE: ttg.async_copy_global_to_local
// PIPELINE: ttng.warp_group_dot {{.*}} : !ttg.memdesc
// PIPELINE: scf.yield
tt.func public @computed_operand(%p: tensor<64x64x!tt.ptr<f16>, #blocked> {tt.contiguity = dense<[1, 64]> : tensor<2xi32>, tt.divisibility = dense<16> : tensor<2xi32>}, %n: i32, %b: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %c: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c, %sum = %c) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p {tt.latency = 1 : i32} : tensor<64x64x!tt.ptr<f16>, #blocked>
    %a = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %y = ttg.convert_layout %x : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #rows>
    %w = arith.addf %y, %y : tensor<64x64xf16, #rows>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %w, %b, %sum {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %f = ttng.warp_group_dot %a, %v, %e {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %f : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  %s = arith.addf %r#0, %r#1 : tensor<64x64xf32, #mma>
  tt.return %s : tensor<64x64xf32, #mma>
}
}
