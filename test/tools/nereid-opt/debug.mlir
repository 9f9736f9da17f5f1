// --debug and --debug-only are accepted at any position without effect; other options with that prefix are errors.
// RUN: nereid-opt --debug %s --debug-only=a,b -canonicalize -debug -debug-only=c | FileCheck %s
// RUN: not nereid-opt %s --debugging 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: --debugging

// CHECK: arith.constant 5 : i32
func.func @f() -> i32 {
  %a = arith.constant 2 : i32
  %b = arith.constant 3 : i32
  %c = arith.addi %a, %b : i32
  return %c : i32
}
