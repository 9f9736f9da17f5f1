// RUN: nereid-opt %S/tritongpu-partition-scheduling.mlir --split-input-file --tritongpu-automatic-warp-specialization --tritongpu-assign-latencies --tritongpu-schedule-loops | FileCheck %s

// The consumer of a chain of dots: the operand of the second dot is computed an iteration ahead. The first dot and the wait for
// its tile come first in a step, then the second dot of the iteration before, then the rest of the first stage. The tile of the
// first dot is released where its result is used.
// CHECK-LABEL: @chain
// CHECK: %[[K:.*]] = ttg.memdesc_index {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: ttng.wait_barrier {{.*}} deps %[[K]] {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: %[[T:.*]] = ttg.memdesc_trans %[[K]] {{.*}}loop.cluster = 0 : i32, loop.stage = 0 : i32
// CHECK: %[[SCORES:.*]] = ttng.warp_group_dot %{{.*}}, %[[T]], {{.*}} {loop.cluster = 0 : i32, loop.stage = 0 : i32}
// CHECK: ttng.arrive_barrier {{.*}} deps %[[K]] {loop.cluster = 2 : i32, loop.stage = 0 : i32, perWarp}
// CHECK: arith.truncf %[[SCORES]] {loop.cluster = 2 : i32, loop.stage = 0 : i32}
// CHECK: %[[P:.*]] = ttg.convert_layout {{.*}} {loop.cluster = 2 : i32, loop.stage = 0 : i32, tt.latency = 1 : i32}
// CHECK: %[[V:.*]] = ttg.memdesc_index {{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK: ttng.wait_barrier {{.*}} deps %[[V]] {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK: ttng.warp_group_dot %[[P]], %[[V]], {{.*}} {loop.cluster = 1 : i32, loop.stage = 1 : i32}
// CHECK: tt.scheduled_max_stage = 1
