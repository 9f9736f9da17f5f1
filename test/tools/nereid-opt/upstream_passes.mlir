// Upstream MLIR passes on tt.func.

// RUN: nereid-opt %s --inline | FileCheck %s --check-prefix=INLINE
// RUN: nereid-opt %s --pass-pipeline='builtin.module(inline,symbol-dce,tt.func(canonicalize,cse))' | FileCheck %s --check-prefix=ALL
// RUN: nereid-opt %s --convert-scf-to-cf | FileCheck %s --check-prefix=CF
// RUN: nereid-opt %s --sccp --loop-invariant-code-motion --control-flow-sink --mem2reg --int-range-optimizations --strip-debuginfo --print-op-stats -o /dev/null 2>&1 | FileCheck %s --check-prefix=STATS

// STATS: tt.func , 5

// INLINE-LABEL: tt.func public @kernel
// INLINE: arith.muli
// INLINE: arith.muli
// INLINE: cf.cond_br
// INLINE: tt.call @kept
// INLINE: tt.return
// ALL-NOT: @square
// ALL-LABEL: tt.func public @kernel
// ALL-NOT: tt.call @square
// ALL-NOT: tt.call @early
// ALL: tt.call @kept
// ALL: tt.return
tt.func public @kernel(%n: i32, %c: i1) -> i32 {
  %0 = tt.call @square(%n) : (i32) -> i32
  %1 = tt.call @square(%0) : (i32) -> i32
  %2 = tt.call @early(%1, %c) : (i32, i1) -> i32
  %3 = tt.call @kept(%2) : (i32) -> i32
  tt.return %3 : i32
}

tt.func private @square(%n: i32) -> i32 {
  %0 = arith.muli %n, %n : i32
  tt.return %0 : i32
}

// A callee with several blocks: its returns become branches.
tt.func private @early(%n: i32, %c: i1) -> i32 {
  cf.cond_br %c, ^a, ^b
^a:
  tt.return %n : i32
^b:
  %0 = arith.addi %n, %n : i32
  tt.return %0 : i32
}

// ALL-LABEL: tt.func private @kept
tt.func private @kept(%n: i32) -> i32 attributes {noinline = true} {
  %0 = arith.subi %n, %n : i32
  tt.return %0 : i32
}

// CF-LABEL: tt.func public @loop
// CF: cf.cond_br
// CF-NOT: scf.for
tt.func public @loop(%n: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %sum = scf.for %i = %zero to %n step %one iter_args(%s = %zero) -> (i32) : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  }
  tt.return %sum : i32
}
