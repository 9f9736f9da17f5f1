// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-partition-scheduling --tritongpu-rewrite-partition-dependencies | FileCheck %s
// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-partition-scheduling --tritongpu-rewrite-partition-dependencies --remarks-filter-passed=tritongpu-rewrite-partition-dependencies 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// REMARK: ring of 4 slots of 8192 bytes: filled by TMA by a producer warp up to 3 iterations ahead; a full and an empty mbarrier per slot for 2 rings, whose phases change every 4 iterations; 4 consumer warps release a slot; read by ttng.warp_group_dot at
// REMARK: ring of 1 slot of 8192 bytes: filled by TMA by a producer warp up to 1 iteration ahead; a full and an empty mbarrier per slot, whose phases change in each iteration; 4 consumer warps release a slot; read by ttg.local_load at

// Both operands of the dot share the barriers of a slot. The dot stays in flight, so its iteration releases the slot of the
// one before; the counters go through both loops.
// CHECK-LABEL: @persistent
// CHECK: %[[A:.*]] = ttg.local_alloc {{.*}}4x64x64xf16
// CHECK: %[[B:.*]] = ttg.local_alloc {{.*}}4x64x64xf16
// CHECK: %[[FULL:.*]] = ttg.local_alloc {{.*}}4x1xi64
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 1 :
// CHECK: %[[EMPTY:.*]] = ttg.local_alloc {{.*}}4x1xi64
// CHECK-COUNT-4: ttng.init_barrier %{{.*}}, 4 :
// CHECK: scf.for {{.*}} iter_args(%[[I0:.*]] = %c0{{.*}}, %[[P0:.*]] = %c0
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[I:.*]] = %[[I0]], %[[P:.*]] = %[[P0]])
// CHECK: %[[E:.*]] = ttg.memdesc_index %[[EMPTY]][%[[I]]] {ttg.partition = array<i32: 1>}
// CHECK: %[[OTHER:.*]] = arith.xori %[[P]], %{{.*}} {ttg.partition = array<i32: 1>}
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[I]], %c3
// CHECK: %[[PARITY:.*]] = arith.select %[[LAST]], %[[P]], %[[OTHER]]
// CHECK: ttng.wait_barrier %[[E]], %[[PARITY]] {ttg.partition = array<i32: 1>}
// CHECK: ttng.barrier_expect %{{.*}}, 16384 {ttg.partition = array<i32: 1>}, %true
// CHECK-COUNT-2: ttng.async_tma_copy_global_to_local {{.*}} {ttg.partition = array<i32: 1>}
// CHECK: %[[X:.*]] = ttg.memdesc_index %[[A]][%[[I]]] {ttg.partition = array<i32: 0>}
// CHECK: %[[Y:.*]] = ttg.memdesc_index %[[B]][%[[I]]] {ttg.partition = array<i32: 0>}
// CHECK: ttng.wait_barrier %{{.*}}, %[[P]] deps %[[X]], %[[Y]] {ttg.partition = array<i32: 0>}
// CHECK: ttng.warp_group_dot %[[X]], %[[Y]]
// CHECK: %[[BEFORE:.*]] = arith.select %{{.*}}, %c3{{.*}}, %{{.*}} {ttg.partition = array<i32: 0>}
// CHECK: %[[RELEASED:.*]] = ttg.memdesc_index %[[EMPTY]][%[[BEFORE]]]
// CHECK: ttng.arrive_barrier %[[RELEASED]], 1 deps {{.*}} {perWarp, ttg.partition = array<i32: 0>}
// CHECK: arith.select {{.*}} {ttg.partition = array<i32: 0, 1>}
// CHECK-COUNT-8: ttng.inval_barrier

// A tile used in registers is released after it is read, in the same iteration.
// CHECK-LABEL: @bias
// CHECK: ttng.wait_barrier %{{.*}}, %{{.*}} deps %[[SLOT:.*]] {ttg.partition = array<i32: 0>}
// CHECK-NEXT: %[[BIAS:.*]] = ttg.local_load %[[SLOT]] {ttg.partition = array<i32: 0>}
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[BIAS]]
// CHECK: ttng.wait_barrier %{{.*}}, %{{.*}} deps %[[SLOT:.*]] {ttg.partition = array<i32: 0>}
// CHECK-NEXT: ttg.local_load %[[SLOT]]
// CHECK: arith.addf
// CHECK: ttng.arrive_barrier %{{.*}}, 1 deps %[[SLOT]] {perWarp, ttg.partition = array<i32: 0>}
