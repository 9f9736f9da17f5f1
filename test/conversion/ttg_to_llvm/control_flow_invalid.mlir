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
