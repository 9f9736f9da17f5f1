// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-partition-scheduling --tritongpu-rewrite-partition-dependencies --tritongpu-partition-loops | FileCheck %s

// CHECK-LABEL: @persistent
// CHECK: ttg.warp_specialize(
// CHECK-NEXT: default {
// CHECK: scf.for
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #mma>, i32, i32)
// CHECK-NOT: async_tma_copy_global_to_local
// CHECK: ttng.warp_group_dot
// CHECK: tt.descriptor_store
// CHECK: ttg.warp_yield
// CHECK: partition0({{.*}}) num_warps(4) {
// CHECK: arith.constant 0 : i32
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK: arith.muli
// CHECK: scf.for {{.*}} -> (i32, i32)
// CHECK-NOT: warp_group_dot
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local
// CHECK: ttg.warp_return
// CHECK-NOT: ttg.partition

// The sum of the consumer's loop is a result of the op.
// CHECK-LABEL: @chain
// CHECK: %[[SUM:.*]] = ttg.warp_specialize(
// CHECK: ttg.warp_yield %{{.*}} : tensor<128x64xf32, #mma>
// CHECK: tt.store %{{.*}}, %[[SUM]]
