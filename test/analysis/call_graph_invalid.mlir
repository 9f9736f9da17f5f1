// Every analysis that visits functions in call order rejects a graph without such an order before it visits a function.
// The first analysis reports the error, once.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --test-print-alignment
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm
// RUN: nereid-opt %s --split-input-file --verify-diagnostics --allocate-shared-memory --convert-triton-gpu-to-llvm

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @outside(i32) -> i32
tt.func public @declaration(%i: i32) {
  // expected-error @below {{'tt.call' op calls 'outside', which has no body in this module}}
  %j = tt.call @outside(%i) : (i32) -> i32
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
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

// The error is at the call that closes the cycle; notes list the cycle without the path to it.
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @a() {
  // expected-note @below {{'a' calls 'b' here}}
  tt.call @b() : () -> ()
  tt.return
}
tt.func private @b() {
  %c = arith.constant true
  tt.call @leaf() : () -> ()
  scf.if %c {
    // expected-error @below {{'tt.call' op makes 'a' call itself; recursion is not supported, expected calls without a cycle}}
    // expected-note @below {{'b' calls 'a' here}}
    tt.call @a() : () -> ()
  }
  tt.return
}
tt.func private @leaf() {
  tt.return
}
tt.func public @entry() {
  tt.call @a() : () -> ()
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32} {
tt.func public @entry() {
  tt.call @middle() : () -> ()
  tt.return
}
tt.func private @middle() {
  tt.call @itself() : () -> ()
  tt.return
}
tt.func private @itself() {
  // expected-error @below {{'tt.call' op makes 'itself' call itself; recursion is not supported}}
  // expected-note @below {{'itself' calls 'itself' here}}
  tt.call @itself() : () -> ()
  tt.return
}
}

// -----

// Notes list the call path from a kernel to an invalid call.
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func private @outside(i32) -> i32
tt.func private @last(%i: i32) {
  // expected-error @below {{'tt.call' op calls 'outside', which has no body in this module}}
  %j = tt.call @outside(%i) : (i32) -> i32
  tt.return
}
tt.func private @middle(%i: i32) {
  // expected-note @below {{@last is called here, by @middle}}
  tt.call @last(%i) : (i32) -> ()
  tt.return
}
tt.func public @entry(%i: i32) {
  // expected-note @below {{@middle is called here, by @entry}}
  tt.call @middle(%i) : (i32) -> ()
  tt.call @last(%i) : (i32) -> ()
  tt.return
}
}
