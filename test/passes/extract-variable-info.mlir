// RUN: nereid-opt %s --enable-line-info --extract-variable-info --mlir-print-debuginfo --mlir-use-nameloc-as-prefix --mlir-print-local-scope | FileCheck %s
// RUN: nereid-opt %s --extract-variable-info | FileCheck %s --check-prefix=NO-SCOPE
// Without scopes no variables are emitted.
// NO-SCOPE-NOT: dbg.value

// CHECK-LABEL: llvm.func @k
// CHECK-NEXT: dbg.value #llvm.di_local_variable<{{.*}}name = "n", {{.*}}arg = 1, {{.*}}di_basic_type<{{.*}}name = "i32", sizeInBits = 32, encoding = DW_ATE_signed>{{.*}} = %n :
// CHECK-NEXT: dbg.value #llvm.di_local_variable<{{.*}}name = "p", {{.*}}arg = 2, {{.*}}name = "!llvm.ptr<1>", sizeInBits = 64, encoding = DW_ATE_address>{{.*}} = %p :
llvm.func @k(%n: i32 loc("n"("k.py":10:0)), %p: !llvm.ptr<1> loc("p"("k.py":10:0)), %q: i32) -> f32 {
  %one = llvm.mlir.constant(1.0 : f32) : f32 loc("k.py":10:0)
  // A subexpression of an assignment is not the variable, although the front end gives it that name.
  // CHECK: %step = llvm.mul
  // CHECK-NEXT: %step_{{.*}} = llvm.add
  // CHECK-NEXT: dbg.value {{.*}}name = "step", {{.*}} = %step_{{.*}} :
  %0 = llvm.mul %n, %n : i32 loc("step"("k.py":11:4))
  %1 = llvm.add %0, %n : i32 loc("step"("k.py":11:8))
  // For a tensor, the first register.
  // CHECK: %x = llvm.sitofp
  // CHECK-NEXT: dbg.value {{.*}}name = "x", {{.*}}name = "f32", sizeInBits = 32, encoding = DW_ATE_float>{{.*}} = %x :
  // CHECK-NEXT: %x_{{.*}} = llvm.sitofp
  // CHECK-NOT: dbg.value
  // CHECK: %y = llvm.fadd
  // CHECK-NEXT: dbg.value {{.*}}name = "y"
  %x0 = llvm.sitofp %1 : i32 to f32 loc("x"("k.py":12:4))
  %x1 = llvm.sitofp %n : i32 to f32 loc("x"("k.py":12:4))
  %y = llvm.fadd %x0, %x1 : f32 loc("y"("k.py":13:4))
  // A variable of an inlined function is in that function.
  // CHECK: %acc = llvm.fadd
  // CHECK-NEXT: dbg.value #llvm.di_local_variable<scope = #llvm.di_subprogram<{{.*}}name = "sum"{{.*}}name = "acc"
  %acc = llvm.fadd %y, %one : f32 loc(callsite(fused<"sum">["acc"("lib.py":7:3)] at "z"("k.py":14:8)))
  // Values without a name, and pairs, get no variable.
  // CHECK-NEXT: llvm.fadd
  // CHECK-NEXT: llvm.mlir.undef
  // CHECK-NEXT: llvm.br
  %u = llvm.fadd %acc, %one : f32 loc("k.py":15:8)
  %s = llvm.mlir.undef : !llvm.struct<(f32, f32)> loc("pair"("k.py":16:8))
  llvm.br ^loop(%u : f32)
// Iteration arguments have names, too.
// CHECK: ^bb1(%carried: f32
// CHECK-NEXT: dbg.value {{.*}}name = "carried", {{.*}} = %carried :
^loop(%carried: f32 loc("carried"("k.py":17:4))):
  %mask = llvm.fcmp "olt" %carried, %one : f32 loc("mask"("k.py":18:4))
  // CHECK: dbg.value {{.*}}name = "mask", {{.*}}name = "i1", sizeInBits = 1, encoding = DW_ATE_boolean
  llvm.cond_br %mask, ^loop(%carried : f32), ^exit loc("k.py":19:4)
^exit:
  llvm.return %carried : f32 loc("k.py":20:4)
} loc("k.py":10:0)
