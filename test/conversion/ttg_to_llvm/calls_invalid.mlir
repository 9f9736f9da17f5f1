// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @caller() {
  // expected-error @below {{has a result type that cannot be lowered}}
  %x = tt.call @quadruple() : () -> f128
  tt.return
}
tt.func private @quadruple() -> f128 {
  %x = arith.constant 1.0 : f128
  tt.return %x : f128
}
}

// -----

// A buffer of this function, returned directly and through a branch.
#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
!buffer = !ttg.memdesc<64xf32, #shared, #ttg.shared_memory, mutable>
module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @made(%c: i1, %x: !buffer) -> (i32, !buffer) {
  %i = arith.constant 0 : i32
  // expected-note @below {{the buffer is allocated here}}
  %y = ttg.local_alloc {allocation.offset = 0 : i32} : () -> !buffer
  cf.cond_br %c, ^end(%y : !buffer), ^end(%x : !buffer)
^end(%z: !buffer):
  // expected-error @below {{'tt.return' op returns a buffer of its function's frame, which ends with the call; expected a buffer that is an argument}}
  tt.return %i, %z : i32, !buffer
}
}
