// RUN: nereid-opt %s --verify-diagnostics --convert-triton-gpu-to-llvm="compute-capability=80"

#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!bar = !ttg.memdesc<1xi64, #plain, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:80"} {
tt.func private @arrive(%b: !bar) {
  // expected-error @below {{'ttng.arrive_barrier' op arrives 2 times per warp, which needs sm_90: expected a count of 1}}
  ttng.arrive_barrier %b, 2 {perWarp} : !bar
  tt.return
}
}
