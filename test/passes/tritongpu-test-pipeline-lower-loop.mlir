// RUN: nereid-opt %s --tritongpu-test-pipeline-lower-loop | FileCheck %s
// RUN: nereid-opt %s --tritongpu-test-pipeline-lower-loop --tritongpu-pipeline | FileCheck %s --check-prefix=BOTH --implicit-check-not=loop.stage
// RUN: nereid-opt %s --tritongpu-test-pipeline-lower-loop --remarks-filter-passed=tritongpu-test-pipeline-lower-loop 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK: 3 stages; rings for 1 values, 1 of them filled by cp.async, with 3 slots: 6144 bytes of shared memory; peeled iterations: 0

// A load becomes a copy, a group and a wait. The loop keeps its schedule; the wait and the load from the slot precede the
// copies of a step. tritongpu-pipeline continues from here.
// CHECK-LABEL: @lowered
// CHECK: %[[RING:.*]] = ttg.local_alloc : () -> !ttg.memdesc<3x512xf32
// CHECK: scf.for {{.*}} iter_args(%{{[^ ]+}} = %{{[^ ]+}}, %[[WRITE:[^ ]+]] = %{{[^ ]+}}, %[[READ:[^ ]+]] = %{{[^ ]+}})
// CHECK: %[[INTO:.*]] = ttg.memdesc_index %[[RING]][%[[WRITE]]] {loop.cluster = 1 : i32, loop.stage = 0 : i32}
// CHECK: ttg.async_copy_global_to_local %{{.*}}, %[[INTO]] other %{{[^ ]+}} {loop.cluster = 1 : i32, loop.stage = 0 : i32}
// CHECK: ttg.async_commit_group {loop.cluster = 1 : i32, loop.stage = 0 : i32}
// CHECK: %[[WAIT:.*]] = ttg.async_wait {loop.cluster = 0 : i32, loop.stage = 2 : i32, num = 1 : i32}
// CHECK: %[[FROM:.*]] = ttg.memdesc_index %[[RING]][%[[READ]]] {loop.cluster = 0 : i32, loop.stage = 2 : i32}
// CHECK: ttg.local_load %[[FROM]] token %[[WAIT]] {loop.cluster = 0 : i32, loop.stage = 2 : i32}
// CHECK: ttg.convert_layout {{.*}} {loop.cluster = 3 : i32, loop.stage = 2 : i32}
// CHECK: arith.addi %[[WRITE]], %{{.*}} {loop.cluster = 4 : i32, loop.stage = 0 : i32}
// CHECK: arith.addi %[[READ]], %{{.*}} {loop.cluster = 4 : i32, loop.stage = 2 : i32}
// CHECK: tt.scheduled_max_stage = 2 : i32
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: ttg.local_dealloc %[[RING]]
// Copies of the prologue fill the slots of iterations that do not exist with zeros, those of the loop write nothing then.
// BOTH-COUNT-2: ttg.async_copy_global_to_local %{{[^ ]+}}, %{{[^ ]+}} mask %{{[^ ]+}} other %{{[^ ]+}} :
// BOTH: scf.for
// BOTH-NEXT: ttg.async_wait {num = 1 : i32}
// BOTH: ttg.async_copy_global_to_local %{{[^ ]+}}, %{{[^ ]+}} mask %{{[^ ]+}} :
#v1 = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @lowered(%p: tensor<512x!tt.ptr<f32>, #v4>, %none: tensor<512xf32, #v1>, %n: i32) -> tensor<512xf32, #v1> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%sum = %none) -> (tensor<512xf32, #v1>) : i32 {
    %x = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %y = ttg.convert_layout %x {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v4> -> tensor<512xf32, #v1>
    %t = arith.addf %sum, %y {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #v1>
    scf.yield %t : tensor<512xf32, #v1>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %r : tensor<512xf32, #v1>
}
}
