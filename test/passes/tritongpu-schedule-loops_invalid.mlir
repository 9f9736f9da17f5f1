// RUN: nereid-opt %s --tritongpu-schedule-loops --verify-diagnostics

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
// A chain of loads whose edited latencies request a prologue of 200 steps.
tt.func public @deep(%p: !tt.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @below {{'scf.for' op has operations whose latencies add up to 200 stages: expected at most 128; lower tt.latency}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = tt.addptr %p, %i : !tt.ptr<i32>, i32
    %at = tt.load %q {tt.latency = 100 : i32} : !tt.ptr<i32>
    %r = tt.addptr %p, %at : !tt.ptr<i32>, i32
    %x = tt.load %r {tt.latency = 100 : i32} : !tt.ptr<i32>
    tt.store %p, %x : !tt.ptr<i32>
  }
  tt.return
}
}
