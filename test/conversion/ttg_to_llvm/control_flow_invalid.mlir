// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @outside(i32) -> i32
tt.func public @declaration(%i: i32) {
  // expected-error @below {{'tt.call' op calls 'outside', which has no body in this module}}
  %j = tt.call @outside(%i) : (i32) -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func public @kernel(%i: i32) {
  tt.return
}
tt.func public @launcher(%i: i32) {
  // expected-error @below {{'tt.call' op calls the kernel 'kernel': expected a private function, kernels are launched}}
  tt.call @kernel(%i) : (i32) -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @a() {
  // expected-note @below {{'a' calls 'b' here}}
  tt.call @b() : () -> ()
  tt.return
}
tt.func private @b() {
  // expected-error @below {{'tt.call' op makes 'a' call itself; recursion is not supported, expected calls without a cycle}}
  // expected-note @below {{'b' calls 'a' here}}
  tt.call @a() : () -> ()
  tt.return
}
tt.func public @entry() {
  tt.call @a() : () -> ()
  tt.return
}
}

// -----

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
