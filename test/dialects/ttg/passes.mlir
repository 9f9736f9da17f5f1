// Upstream passes merge loads, but not across a store or a barrier, and analyze through warp specialization.
// RUN: nereid-opt %s --allow-unregistered-dialect --cse --canonicalize | FileCheck %s
// RUN: nereid-opt %s --allow-unregistered-dialect --inline --sccp --canonicalize | FileCheck %s --check-prefix=INLINE

#blocked = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: tt.func @loads
  // CHECK-NEXT: %[[A:.*]] = ttg.local_load %arg0
  // CHECK-NEXT: ttg.local_store %[[A]], %arg0
  // CHECK-NEXT: %[[B:.*]] = ttg.local_load %arg0
  // CHECK-NEXT: ttg.local_barrier
  // CHECK-NEXT: %[[C:.*]] = ttg.local_load %arg0
  // CHECK-NEXT: tt.return %[[A]], %[[A]], %[[B]], %[[C]]
  tt.func @loads(%arg0: !ttg.memdesc<128xf32, #shared, #smem, mutable>)
      -> (tensor<128xf32, #blocked>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>) {
    %0 = ttg.local_load %arg0 : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128xf32, #blocked>
    %1 = ttg.local_load %arg0 : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128xf32, #blocked>
    ttg.local_store %0, %arg0 : tensor<128xf32, #blocked> -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    %2 = ttg.local_load %arg0 : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128xf32, #blocked>
    ttg.local_barrier
    %3 = ttg.local_load %arg0 : !ttg.memdesc<128xf32, #shared, #smem, mutable> -> tensor<128xf32, #blocked>
    tt.return %0, %1, %2, %3 : tensor<128xf32, #blocked>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>, tensor<128xf32, #blocked>
  }

  // Immutable buffers of the same value are merged; buffers with an offset are memory and are kept.
  // CHECK-LABEL: tt.func @buffers
  // CHECK-NEXT: %[[A:.*]] = ttg.local_alloc %arg0 : {{.*}} #smem>
  // CHECK-NEXT: %[[B:.*]] = ttg.local_alloc %arg0 : {{.*}} mutable>
  // CHECK-NEXT: %[[C:.*]] = ttg.local_alloc %arg0 : {{.*}} mutable>
  // CHECK-NEXT: %[[D:.*]] = ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK-NEXT: %[[E:.*]] = ttg.local_alloc %arg0 {allocation.offset = 0 : i32}
  // CHECK-NEXT: "test.use"(%[[A]], %[[A]], %[[B]], %[[C]], %[[D]], %[[E]])
  tt.func @buffers(%arg0: tensor<128xf32, #blocked>) {
    %0 = ttg.local_alloc %arg0 : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %1 = ttg.local_alloc %arg0 : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %2 = ttg.local_alloc %arg0 : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    %3 = ttg.local_alloc %arg0 : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem, mutable>
    %4 = ttg.local_alloc %arg0 {allocation.offset = 0 : i32} : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    %5 = ttg.local_alloc %arg0 {allocation.offset = 0 : i32} : (tensor<128xf32, #blocked>) -> !ttg.memdesc<128xf32, #shared, #smem>
    "test.use"(%0, %1, %2, %3, %4, %5) : (!ttg.memdesc<128xf32, #shared, #smem>, !ttg.memdesc<128xf32, #shared, #smem>,
        !ttg.memdesc<128xf32, #shared, #smem, mutable>, !ttg.memdesc<128xf32, #shared, #smem, mutable>,
        !ttg.memdesc<128xf32, #shared, #smem>, !ttg.memdesc<128xf32, #shared, #smem>) -> ()
    tt.return
  }

  tt.func private @add_three(%arg0: i32) -> i32 {
    %c3_i32 = arith.constant 3 : i32
    %0 = arith.addi %arg0, %c3_i32 : i32
    tt.return %0 : i32
  }

  // The result of the default region folds to a constant; constants are not propagated into a partition.
  // INLINE-LABEL: tt.func @specialized
  // INLINE-NEXT: %[[FOUR:.*]] = arith.constant 4 : i32
  // INLINE-NEXT: ttg.warp_specialize(%arg0)
  // INLINE-NEXT: default {
  // INLINE-NEXT: ttg.warp_yield
  // INLINE: partition0(%[[X:.*]]: i32) num_warps(4) {
  // INLINE-NEXT: %[[THREE:.*]] = arith.constant 3 : i32
  // INLINE-NEXT: %[[Y:.*]] = arith.addi %[[X]], %[[THREE]] : i32
  // INLINE-NEXT: "test.use"(%[[Y]])
  // INLINE: tt.return %[[FOUR]]
  tt.func @specialized(%arg0: i32) -> i32 {
    %c1_i32 = arith.constant 1 : i32
    %0 = ttg.warp_specialize(%arg0)
    default {
      %1 = tt.call @add_three(%c1_i32) : (i32) -> i32
      ttg.warp_yield %1 : i32
    }
    partition0(%arg1: i32) num_warps(4) {
      %1 = tt.call @add_three(%arg1) : (i32) -> i32
      "test.use"(%1) : (i32) -> ()
      ttg.warp_return
    } : (i32) -> i32
    tt.return %0 : i32
  }
}
