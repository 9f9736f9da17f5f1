// RUN: nereid-opt %s --tritongpu-schedule-loops --tritongpu-pipeline --canonicalize --cse --triton-loop-aware-cse --canonicalize | FileCheck %s

#v4 = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// The select of the last stage recomputes the mask of the load from the counter. The loop carries the sum and the slot.
// CHECK-LABEL: @mask
// CHECK: scf.for %[[I:[^ ]+]] = {{.*}} -> (tensor<512xf32, #{{.*}}>, i32)
// CHECK: %[[LOADED:.*]] = ttg.local_load
// CHECK: %[[NOW:.*]] = tt.splat %[[I]]
// CHECK: %[[MASK:.*]] = arith.cmpi slt, %{{.*}}, %[[NOW]]
// CHECK: arith.select %[[MASK]], %[[LOADED]]
// CHECK: %[[AHEAD:.*]] = arith.addi %[[I]], %c3
// CHECK: tt.splat %[[AHEAD]]
// CHECK: ttg.async_copy_global_to_local
tt.func public @mask(%p: tensor<512x!tt.ptr<f32>, #v4>, %r: tensor<512xi32, #v4>, %n: i32) -> tensor<512xf32, #v4> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<512xf32, #v4>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %one) -> (tensor<512xf32, #v4>) : i32 {
    %s = tt.splat %i : i32 -> tensor<512xi32, #v4>
    %m = arith.cmpi slt, %r, %s : tensor<512xi32, #v4>
    %x = tt.load %p, %m, %one {tt.latency = 3 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %t = arith.addf %acc, %x : tensor<512xf32, #v4>
    scf.yield %t : tensor<512xf32, #v4>
  }
  tt.return %sum : tensor<512xf32, #v4>
}

// Offsets that the loop carries are carried twice, for the copy and for the mask of the last stage, and not once per stage.
// CHECK-LABEL: @offsets
// CHECK: scf.for {{.*}} -> (tensor<512xf32, #{{.*}}>, tensor<512xi32, #{{.*}}>, i32, tensor<512xi32, #{{.*}}>)
tt.func public @offsets(%p: tensor<512x!tt.ptr<f32>, #v4>, %r: tensor<512xi32, #v4>, %b: tensor<512xi32, #v4>, %n: i32) -> tensor<512xf32, #v4> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<512xf32, #v4>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %one, %o = %r) -> (tensor<512xf32, #v4>, tensor<512xi32, #v4>) : i32 {
    %m = arith.cmpi slt, %o, %b : tensor<512xi32, #v4>
    %x = tt.load %p, %m, %one {tt.latency = 3 : i32} : tensor<512x!tt.ptr<f32>, #v4>
    %t = arith.addf %acc, %x : tensor<512xf32, #v4>
    %next = arith.addi %o, %b : tensor<512xi32, #v4>
    scf.yield %t, %next : tensor<512xf32, #v4>, tensor<512xi32, #v4>
  }
  tt.return %sum#0 : tensor<512xf32, #v4>
}
}
