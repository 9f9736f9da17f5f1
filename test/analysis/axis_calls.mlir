// RUN: nereid-opt %s --test-print-alignment --split-input-file --verify-diagnostics=only-expected -o /dev/null
// RUN: nereid-opt %s --test-print-alignment --split-input-file -o /dev/null --remarks-filter-analyse=axis-info 2>&1 | FileCheck %s

// Axis information of an argument is the meet over the operands of all calls.
tt.func private @meet(%x: i32, %y: i32) {
  // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
  %0 = arith.addi %x, %x : i32
  // expected-remark @below {{constant_value = 14}}
  %1 = arith.addi %y, %y : i32
  tt.return
}
tt.func public @calls_twice(%a: i32 {tt.divisibility = 8 : i32}, %b: i32 {tt.divisibility = 32 : i32}) {
  %c = arith.constant 7 : i32
  tt.call @meet(%a, %c) : (i32, i32) -> ()
  tt.call @meet(%b, %c) : (i32, i32) -> ()
  tt.return
}

// -----

// Axis information of returned values reaches the results of calls, independent of function order and call depth.
tt.func private @offsets(%n: i32) -> tensor<128xi32> {
  %0 = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %1 = tt.splat %n : i32 -> tensor<128xi32>
  %2 = arith.addi %0, %1 : tensor<128xi32>
  tt.return %2 : tensor<128xi32>
}
tt.func private @through(%n: i32) -> (tensor<128xi32>, i32) {
  %c4 = arith.constant 4 : i32
  %0 = tt.call @offsets(%n) : (i32) -> tensor<128xi32>
  tt.return %0, %c4 : tensor<128xi32>, i32
}
tt.func public @uses_results(%a: i32 {tt.divisibility = 16 : i32}) {
  // expected-remark @+2 {{contiguity = [128], divisibility = [16], constancy = [1], constant_value = <none>}}
  // expected-remark @+1 {{contiguity = [1], divisibility = [4], constancy = [1], constant_value = 4}}
  %0:2 = tt.call @through(%a) : (i32) -> (tensor<128xi32>, i32)
  tt.return
}

// -----

// Two returns meet. A hint on a call raises the results of that call only.
tt.func private @either(%c: i1) -> i32 {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %0 = arith.constant 24 : i32
  tt.return %0 : i32
^bb2:
  %1 = arith.constant 4 : i32
  tt.return %1 : i32
}
tt.func public @two_returns(%c: i1) {
  // expected-remark @below {{divisibility = [4], constancy = [1], constant_value = <none>}}
  %0 = tt.call @either(%c) : (i1) -> i32
  // expected-remark @below {{divisibility = [64], constancy = [1], constant_value = <none>}}
  %1 = tt.call @either(%c) {tt.divisibility = 64 : i32} : (i1) -> i32
  tt.return
}

// -----

// A result that is passed back as an argument: the fixed point spans both functions.
tt.func private @next(%x: i32) -> i32 {
  %c8 = arith.constant 8 : i32
  // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
  %0 = arith.addi %x, %c8 : i32
  tt.return %0 : i32
}
tt.func public @in_a_loop(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %c0) -> i32 : i32 {
    // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
    %1 = tt.call @next(%x) : (i32) -> i32
    scf.yield %1 : i32
  }
  tt.return
}

// -----

// Attributes on the arguments of a called function are stale results: they are ignored with a warning.
// CHECK-COUNT-2: ignored on a called function: its calls determine its arguments
// CHECK-NOT: ignored
tt.func private @stale(%x: i32 {tt.divisibility = 1024 : i32}, %y: tensor<4xi32> {tt.contiguity = 4 : i32}) {
  // expected-remark @below {{divisibility = [2], constancy = [1], constant_value = <none>}}
  %0 = arith.addi %x, %x : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %1 = arith.addi %y, %y : tensor<4xi32>
  tt.return
}
tt.func public @hands_less(%a: i32 {tt.divisibility = 2 : i32}, %b: tensor<4xi32>) {
  tt.call @stale(%a, %b) : (i32, tensor<4xi32>) -> ()
  tt.return
}
