// RUN: nereid-opt %s --tritongpu-pipeline | FileCheck %s

// Unsupported schedules of other passes are unchanged: an intermediate stage, ops other than loads in the first stage, a
// scalar load, an address defined in a later stage than its use.
// CHECK-LABEL: @other_schedules
// CHECK-NOT: ttg.async_copy_global_to_local
// CHECK: tt.return
#A = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @other_schedules(%p: tensor<512x!tt.ptr<f32>, #A>, %q: !tt.ptr<f32>, %o: tensor<512xi32, #A>, %x: tensor<512xf32, #A>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<512xf32, #A>) : i32 {
    %a = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %b = arith.addf %a, %a {loop.cluster = 1 : i32, loop.stage = 1 : i32} : tensor<512xf32, #A>
    %c = arith.addf %acc, %b {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512xf32, #A>
    scf.yield %c : tensor<512xf32, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<512xf32, #A>) : i32 {
    %c = arith.addf %acc, %x {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512xf32, #A>
    %a = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %b = arith.addf %a, %c {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512xf32, #A>
    scf.yield %b : tensor<512xf32, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tt.load %q {loop.cluster = 1 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
    tt.store %q, %a {loop.cluster = 0 : i32, loop.stage = 2 : i32} : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 2 : i32}
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<512x!tt.ptr<f32>, #A>) : i32 {
    %a = tt.load %at {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    tt.store %p, %a {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %next = tt.addptr %at, %o {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512x!tt.ptr<f32>, #A>, tensor<512xi32, #A>
    scf.yield %next : tensor<512x!tt.ptr<f32>, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return
}
}
