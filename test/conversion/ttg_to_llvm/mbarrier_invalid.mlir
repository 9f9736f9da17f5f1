// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm="compute-capability=80"

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @expect(%b: !bar, %p: i1) {
  // expected-error @below {{'ttng.barrier_expect' op announces bytes to an mbarrier, which needs sm_90: expected arrivals only}}
  ttng.barrier_expect %b, 4096, %p : !bar
  tt.return
}
}

// -----

// The instruction has a parity, not the number of the phase.
#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @parity(%b: !bar) {
  %c2 = arith.constant 2 : i32
  // expected-error @below {{'ttng.wait_barrier' op waits for phase 2: expected the parity of the phase, 0 or 1}}
  ttng.wait_barrier %b, %c2 : !bar
  tt.return
}
}
