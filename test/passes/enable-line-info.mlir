// RUN: nereid-opt %s --enable-line-info --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s
// RUN: nereid-opt %s --enable-line-info | nereid-opt --mlir-print-debuginfo | FileCheck %s --check-prefix=PLAIN
// RUN: nereid-opt %s --enable-line-info --enable-line-info --mlir-print-debuginfo | FileCheck %s --check-prefix=TWICE
// Without --mlir-print-debuginfo nothing is printed. With it, a second run finds functions that have their scope.
// PLAIN-NOT: di_subprogram
// TWICE-COUNT-1: name = "k"
// TWICE-NOT: name = "k"

// CHECK-LABEL: llvm.func @k
llvm.func @k(%n: i32 loc("n"("k.py":10:0))) {
  // A line of the function itself needs no scope.
  // CHECK: llvm.add %{{.*}} loc("k.py":11:4)
  %0 = llvm.add %n, %n : i32 loc("k.py":11:4)
  // A line of another file is in the function's scope, with that file.
  // CHECK: llvm.add %{{.*}} loc(fused<#llvm.di_lexical_block_file<scope = {{.*}}name = "k"{{.*}}>, file = <"gen/other.py" in "">{{.*}}["gen/other.py":3:1])
  %1 = llvm.add %0, %n : i32 loc("gen/other.py":3:1)
  // Inlined code has its own scope, named after the callee, at every depth.
  // CHECK: llvm.add %{{.*}} loc(callsite(fused<#llvm.di_subprogram<{{.*}}name = "combine"{{.*}}file = <"lib.py" in "">{{.*}}>["lib.py":7:3] at callsite(fused<#llvm.di_subprogram<{{.*}}name = "sum"{{.*}}>["lib.py":20:5] at "s"(fused<#llvm.di_subprogram<{{.*}}name = "k"{{.*}}>["k.py":12:8]))))
  %2 = llvm.add %1, %n : i32 loc(callsite(fused<"combine">["lib.py":7:3] at callsite(fused<"sum">["lib.py":20:5] at "s"("k.py":12:8))))
  // The same when call sites nest the other way.
  // CHECK: llvm.add %{{.*}} loc(callsite(callsite(fused<#llvm.di_subprogram<{{.*}}name = "combine"{{.*}}>["lib.py":7:3] at fused<#llvm.di_subprogram<{{.*}}name = "lib"{{.*}}>["lib.py":20:5]) at fused<#llvm.di_subprogram<{{.*}}name = "k"{{.*}}>["k.py":13:8]))
  %3 = llvm.add %2, %n : i32 loc(callsite(callsite(fused<"combine">["lib.py":7:3] at "lib.py":20:5) at "k.py":13:8))
  // A constant of the callee has no line there: it gets the call's location, but does not name the scope.
  // CHECK: llvm.add %{{.*}} loc(fused<#llvm.di_subprogram<{{.*}}name = "k"{{.*}}>["k.py":14:8])
  %4 = llvm.add %3, %n : i32 loc(callsite(unknown at "s"("k.py":14:8)))
  // A fused location keeps its first line: merging would drop all of them.
  // CHECK: llvm.add %{{.*}} loc("x"("k.py":15:8))
  %5 = llvm.add %4, %n : i32 loc(fused[unknown, "x"("k.py":15:8), "k.py":16:8])
  // CHECK: llvm.add %{{.*}} loc(unknown)
  %6 = llvm.add %5, %n : i32 loc(unknown)
  // LLVM requires a line for a call that may be inlined.
  // CHECK: llvm.call @f() : () -> () loc("k.py":10:0)
  llvm.call @f() : () -> () loc(unknown)
  llvm.return loc("k.py":17:4)
// CHECK: } loc(fused<#llvm.di_subprogram<{{.*}}compileUnit = <{{.*}}emissionKind = DebugDirectivesOnly>{{.*}}name = "k"{{.*}}line = 10{{.*}}>["k.py":10:0])
} loc("k.py":10:0)

// A function that is called has its own scope; a declaration has none.
// CHECK-LABEL: llvm.func @f
// CHECK: loc(fused<#llvm.di_subprogram<{{.*}}name = "f"
llvm.func @f() {
  llvm.return
} loc("lib.py":1:0)

// CHECK-LABEL: llvm.func @declared
// CHECK-SAME: loc("lib.py":2:0)
llvm.func @declared() loc("lib.py":2:0)
