// Locations, their call sites and argument names survive printing, the generic form and bytecode; argument names can be
// printed as SSA names.
// RUN: nereid-opt --mlir-print-debuginfo %s | nereid-opt --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nereid-opt --mlir-print-debuginfo --mlir-print-op-generic %s | nereid-opt --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt --mlir-print-debuginfo --mlir-use-nameloc-as-prefix | FileCheck %s
// RUN: nereid-opt --inline --mlir-print-debuginfo %s | FileCheck %s --check-prefix=INLINE

#file = loc("kernel.py":0:0)
#func = loc("kernel.py":3:0)
#inner = loc("kernel.py":9:0)
#call = loc("kernel.py":5:4)
#pid = loc("pid"("kernel.py":4:8))
#q = loc("q"("kernel.py":10:8))
module {
  // CHECK: tt.func public @scale(%x: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"({{.*}}#[[FUNC:.+]])), %n: i32 loc("n"({{.*}}#[[FUNC]]))) {
  tt.func public @scale(%arg0: !tt.ptr<f32> {tt.divisibility = 16 : i32} loc("x"(#func)), %arg1: i32 loc("n"(#func))) {
    // CHECK-NEXT: %pid = tt.get_program_id x : i32 loc(#[[PID:.+]])
    %0 = tt.get_program_id x : i32 loc(#pid)
    // CHECK-NEXT: tt.call @inner(%x, %pid)
    tt.call @inner(%arg0, %0) : (!tt.ptr<f32>, i32) -> () loc(#call)
    tt.return loc(#func)
  } loc(#func)
  // CHECK: tt.func private @inner(%p: !tt.ptr<f32> loc("p"(
  // INLINE: tt.addptr {{.*}} loc(#[[AT:.+]])
  tt.func private @inner(%arg0: !tt.ptr<f32> loc("p"(#inner)), %arg1: i32 loc("i"(#inner))) {
    // CHECK: %q = tt.addptr %p, %i : !tt.ptr<f32>, i32 loc(#[[Q:.+]])
    %0 = tt.addptr %arg0, %arg1 : !tt.ptr<f32>, i32 loc(#q)
    %c = arith.constant 1.0 : f32 loc(#inner)
    tt.store %0, %c : !tt.ptr<f32> loc(#inner)
    tt.return loc(#inner)
  } loc(#inner)
} loc(#file)
// CHECK-DAG: #[[PID]] = loc("pid"(#[[PIDFILE:.+]]))
// CHECK-DAG: #[[PIDFILE]] = loc("kernel.py":4:8)
// CHECK-DAG: #[[Q]] = loc("q"(#{{.+}}))
// INLINE-DAG: #[[AT]] = loc(callsite(#[[INNER:.+]] at #[[CALL:.+]]))
// INLINE-DAG: #[[CALL]] = loc("kernel.py":5:4)
// INLINE-DAG: #[[INNER]] = loc("q"(
