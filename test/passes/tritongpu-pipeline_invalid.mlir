// RUN: nereid-opt %s --tritongpu-pipeline --split-input-file --verify-diagnostics

// A value from the previous iteration that is computed two stages later than it is used.
#A = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @late_pointer(%p: tensor<512x!tt.ptr<f32>, #A>, %o: tensor<512xi32, #A>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %2 = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<512x!tt.ptr<f32>, #A>) : i32 {
    // expected-error @below {{is in stage 0, but uses the result of 'tt.addptr' in stage 2 of the previous iteration; expected a stage of at least 1 here, or of at most 1 there}}
    %a = tt.load %at {loop.cluster = 1 : i32, loop.stage = 0 : i32} : tensor<512x!tt.ptr<f32>, #A>
    tt.store %p, %a {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512x!tt.ptr<f32>, #A>
    %next = tt.addptr %at, %o {loop.cluster = 0 : i32, loop.stage = 2 : i32} : tensor<512x!tt.ptr<f32>, #A>, tensor<512xi32, #A>
    scf.yield %next : tensor<512x!tt.ptr<f32>, #A>
  } {tt.scheduled_max_stage = 2 : i32}
  tt.return
}
}

// -----

// A use in an earlier stage than the definition.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @early_use(%q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tt.load %q {loop.cluster = 0 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
    // expected-error @below {{is in stage 0, but uses the result of 'tt.load' in stage 1; expected a stage of at least 1 here, or of at most 0 there}}
    tt.store %q, %a {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}
}

// -----

// Clusters out of order: within an iteration, and with a value of the previous iteration.
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32} {
tt.func public @clusters(%q: !tt.ptr<f32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %q) -> (!tt.ptr<f32>) : i32 {
    // expected-error @below {{is in cluster 0, but uses the result of 'tt.addptr', which a step of the pipelined loop computes later, in cluster 1; expected a cluster of more than 1 here, or a later stage}}
    %a = tt.load %at {loop.cluster = 0 : i32, loop.stage = 0 : i32} : !tt.ptr<f32>
    %b = arith.addf %a, %a {loop.cluster = 2 : i32, loop.stage = 1 : i32} : f32
    // expected-error @below {{is in cluster 1, but uses the result of 'arith.addf', which a step of the pipelined loop computes later, in cluster 2; expected a cluster of at least 2 here, or a later stage}}
    tt.store %q, %b {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>
    %next = tt.addptr %at, %c1 {loop.cluster = 1 : i32, loop.stage = 1 : i32} : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  } {tt.scheduled_max_stage = 1 : i32}
  tt.return
}
}
