// RUN: nereid-opt %s --tritongpu-pipeline --canonicalize --cse | FileCheck %s --implicit-check-not=loop.stage

// Schedules that tritongpu-schedule-loops does not create are honoured.
#A = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// A stage between the first and the last: its result is carried for one iteration. One slot suffices, since a copy
// follows the read of its slot by the same warp.
// CHECK-LABEL: @middle
// CHECK: ttg.local_alloc : () -> !ttg.memdesc<1x512xf32
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: %[[X:.*]] = ttg.local_load
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[FIRST:.*]] = math.exp %[[X]]
// CHECK: scf.for %{{.*}} iter_args(%[[ACC:[^ ]+]] = %{{[^ ]+}}, %[[LAST:[^ ]+]] = %[[FIRST]]
// CHECK: ttg.async_wait {num = 0 : i32}
// CHECK: %[[Y:.*]] = ttg.local_load
// CHECK: ttg.async_copy_global_to_local
// CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[LAST]]
// CHECK: %[[NEXT:.*]] = math.exp %[[Y]]
// CHECK: scf.yield %[[SUM]], %[[NEXT]]
tt.func public @middle(%p: tensor<512x!tt.ptr<f32>, #A>, %x: tensor<512xf32, #A>, %n: i32) -> tensor<512xf32, #A> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<512xf32, #A>) : i32 {
    %a = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %b = math.exp %a {loop.cluster = 2 : i32, loop.stage = 1 : i32} : tensor<512xf32, #A>
    %c = arith.addf %acc, %b {loop.cluster = 1 : i32, loop.stage = 2 : i32} : tensor<512xf32, #A>
    scf.yield %c : tensor<512xf32, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %0 : tensor<512xf32, #A>
}

// A value of the first stage whose use is two stages later is carried twice.
// CHECK-LABEL: @carried_twice
// CHECK: scf.for %{{.*}} iter_args({{.*}} = {{.*}}, %[[AGO:[^ ]+]] = %{{[^ ]+}}, %{{[^ ]+}} = %{{[^ ]+}}) -> (tensor<512xf32, #{{.*}}>, i32, i32, tensor<512xf32, #{{.*}}>, tensor<512xf32, #{{.*}}>)
// CHECK: %[[NEW:.*]] = math.exp
// CHECK: scf.yield {{.*}}, %[[NEW]], %[[AGO]] :
tt.func public @carried_twice(%p: tensor<512x!tt.ptr<f32>, #A>, %x: tensor<512xf32, #A>, %n: i32, %f: f32) -> tensor<512xf32, #A> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> (tensor<512xf32, #A>) : i32 {
    %v = arith.sitofp %i {loop.cluster = 2 : i32, loop.stage = 0 : i32} : i32 to f32
    %s = tt.splat %v {loop.cluster = 2 : i32, loop.stage = 0 : i32} : f32 -> tensor<512xf32, #A>
    %e = math.exp %s {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512xf32, #A>
    %a = tt.load %p {loop.cluster = 2 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %b = arith.addf %a, %e {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512xf32, #A>
    %c = arith.addf %acc, %b {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512xf32, #A>
    scf.yield %c : tensor<512xf32, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return %0 : tensor<512xf32, #A>
}

// A scalar load stays a load, one iteration ahead, with a mask.
// CHECK-LABEL: @scalar
// CHECK: %[[EXISTS:.*]] = arith.cmpi sgt, %{{.*}}, %c0
// CHECK: %[[FIRST:.*]] = tt.load %{{.*}}, %[[EXISTS]]
// CHECK: %[[BOUND:.*]] = arith.subi %{{.*}}, %c1
// CHECK: scf.for %[[I:[^ ]+]] = {{.*}} iter_args(%[[NOW:[^ ]+]] = %[[FIRST]])
// CHECK: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %[[BOUND]]
// CHECK: %[[NEXT:.*]] = tt.load %{{.*}}, %[[MORE]]
// CHECK: tt.store %{{.*}}, %[[NOW]]
// CHECK: scf.yield %[[NEXT]]
tt.func public @scalar(%q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %p = tt.addptr %q, %i {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>, i32
    %a = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
    tt.store %q, %a {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}

// Unsigned bounds with a dynamic step: no comparison wraps around.
// CHECK-LABEL: @unsigned
// CHECK: %[[SOME:.*]] = arith.cmpi ult, %[[LOWER:.*]], %[[UPPER:.*]] : i64
// CHECK: tt.load %{{.*}}, %[[SOME]]
// CHECK: %[[BOUND:.*]] = arith.subi %[[UPPER]], %[[STEP:.*]] : i64
// CHECK: %[[SPAN:.*]] = arith.subi %[[UPPER]], %[[LOWER]] : i64
// CHECK: %[[EXACT:.*]] = arith.select %[[SOME]], %[[SPAN]], %{{.*}} : i64
// CHECK: %[[LONG:.*]] = arith.cmpi ugt, %[[EXACT]], %[[STEP]] : i64
// CHECK: %[[CLAMPED:.*]] = arith.select %[[LONG]], %[[BOUND]], %[[LOWER]] : i64
// CHECK: scf.for unsigned %[[I:[^ ]+]] =
// CHECK: arith.cmpi ult, %[[I]], %[[CLAMPED]] : i64
tt.func public @unsigned(%q: !tt.ptr<f32>, %a: i64, %b: i64, %s: i64) {
  scf.for unsigned %i = %a to %b step %s : i64 {
    %p = tt.addptr %q, %i {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>, i64
    %x = tt.load %p {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
    tt.store %q, %x {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}
}
