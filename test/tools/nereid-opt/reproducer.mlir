// A failure in a C pass writes a reproducer with the pass's options, which fails in the same way.

// RUN: rm -f %t.mlir
// RUN: not nereid-opt %s --pass-pipeline='builtin.module(cse,nereid-strip-hints{max-divisibility=-3 only=tt.constancy})' --mlir-pass-pipeline-crash-reproducer=%t.mlir 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: FileCheck %s --check-prefix=FILE < %t.mlir
// RUN: not nereid-opt %t.mlir --run-reproducer 2>&1 | FileCheck %s --check-prefix=AGAIN

// FIRST: error: max-divisibility must not be negative
// FIRST: reproducer generated at
// FILE: tt.func public @f
// FILE: pipeline: "builtin.module({{.*}}nereid-strip-hints{arguments-only=false max-divisibility=-3 only=tt.constancy})"
// AGAIN: error: max-divisibility must not be negative

tt.func public @f(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  tt.return
}
