// RUN: nereid-opt %s --test-print-alignment --split-input-file --verify-diagnostics=only-expected -o /dev/null

// One function per rule of analysis/axis_rules_*.c. Expected values can be checked by hand.

tt.func @constants() {
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant_value = 12}}
  %0 = arith.constant 12 : i32
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [8, 32], constant_value = 48}}
  %1 = arith.constant dense<48> : tensor<8x32xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4611686018427387904], constancy = [1], constant_value = 0}}
  %2 = arith.constant 0 : i64
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4], constant_value = <none>}}
  %3 = arith.constant dense<2.0> : tensor<4xf32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %4 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  // expected-remark @below {{constancy = [4], constant_value = <none>}}
  %5 = ub.poison : tensor<4xi32>
  tt.return
}

// -----

tt.func @ranges() {
  // expected-remark @below {{contiguity = [64], divisibility = [32], constancy = [1], constant_value = <none>}}
  %0 = tt.make_range {end = 96 : i32, start = 32 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1], constant_value = <none>}}
  %1 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  tt.return
}

// -----

tt.func @sums(%n: i32 {tt.divisibility = 8 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [64], constant_value = <none>}}
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [8], constancy = [1], constant_value = <none>}}
  %0 = arith.addi %s, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [8], constancy = [1], constant_value = <none>}}
  %1 = arith.subi %r, %s : tensor<64xi32>
  // A descending range is not contiguous.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %2 = arith.subi %s, %r : tensor<64xi32>
  // 0, 2, 4, ...: the divisibility of a range is that of its first element.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %3 = arith.addi %r, %r : tensor<64xi32>
  tt.return
}

// -----

// Constants wrap at their width.
tt.func @overflow() {
  %big = arith.constant 2147483647 : i32
  %one = arith.constant 1 : i32
  // expected-remark @below {{constant_value = 2147483648}}
  %0 = arith.addi %big, %one : i32
  // expected-remark @below {{divisibility = [4611686018427387904], constancy = [1], constant_value = 0}}
  %1 = arith.addi %0, %0 : i32
  // expected-remark @below {{constant_value = 4294967295}}
  %2 = arith.subi %1, %one : i32
  // expected-remark @below {{constant_value = -1}}
  %3 = arith.extsi %2 : i32 to i64
  // expected-remark @below {{constant_value = 4294967295}}
  %4 = arith.extui %2 : i32 to i64
  tt.return
}

// -----

// Narrow integers wrap at their width; extensions and comparisons require ranges that do not wrap.
tt.func @casts(%p: tensor<64x!tt.ptr<f32>> {tt.constancy = 64 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %0 = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %1 = arith.trunci %0 : tensor<64xi64> to tensor<64xi4>
  // 0 .. 7, -8 .. -1, and again
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %2 = arith.extsi %1 : tensor<64xi4> to tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %3 = arith.extui %1 : tensor<64xi4> to tensor<64xi32>
  // expected-remark @below {{contiguity = [8], divisibility = [1], constancy = [1]}}
  %4 = tt.addptr %p, %1 : tensor<64x!tt.ptr<f32>>, tensor<64xi4>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %5 = arith.trunci %r : tensor<64xi32> to tensor<64xi1>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %6 = arith.extui %5 : tensor<64xi1> to tensor<64xi32>
  %c0 = arith.constant dense<false> : tensor<64xi1>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %7 = arith.cmpi sge, %5, %c0 : tensor<64xi1>
  // expected-remark @below {{contiguity = [8], divisibility = [8], constancy = [1]}}
  %8 = arith.maxsi %1, %1 : tensor<64xi4>
  tt.return
}

// -----

tt.func @products(%n: i32 {tt.divisibility = 8 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c1 = arith.constant dense<1> : tensor<64xi32>
  %c12 = arith.constant dense<12> : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %0 = arith.muli %r, %c1 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
  %1 = arith.muli %r, %c12 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [64]}}
  %2 = arith.muli %s, %c12 : tensor<64xi32>
  %c5 = arith.constant dense<5> : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [32], constancy = [1]}}
  %3 = arith.shli %r, %c5 : tensor<64xi32>
  tt.return
}

// -----

tt.func @quotients(%n: i32 {tt.divisibility = 8 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %c4 = arith.constant dense<4> : tensor<64xi32>
  %c2 = arith.constant dense<2> : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %0 = arith.divsi %r, %c4 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [2], constancy = [64]}}
  %1 = arith.divsi %s, %c4 : tensor<64xi32>
  // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
  %2 = arith.remui %r, %c4 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [64]}}
  %3 = arith.remsi %s, %c4 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %4 = arith.shrsi %r, %c2 : tensor<64xi32>
  // n may be negative, and division rounds toward zero: -4 .. -1 over 4 is -1, 0, 0, 0.
  %x = arith.addi %s, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %5 = arith.divsi %x, %c4 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %6 = arith.remsi %x, %c4 : tensor<64xi32>
  // Shifts and unsigned division have no such exception at zero.
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %7 = arith.shrsi %x, %c2 : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4]}}
  %8 = arith.divui %x, %c4 : tensor<64xi32>
  tt.return
}

// -----

tt.func @bits(%n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %mask = arith.constant dense<15> : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %0 = arith.andi %r, %mask : tensor<64xi32>
  // The low bits of %s are zero: `or` acts as an addition.
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %1 = arith.ori %s, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1]}}
  %2 = arith.xori %r, %s : tensor<64xi32>
  tt.return
}

// -----

tt.func @comparisons(%n: i32 {tt.divisibility = 16 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [16]}}
  %0 = arith.cmpi slt, %r, %s : tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %1 = arith.cmpi uge, %r, %s : tensor<64xi32>
  // expected-remark @below {{constancy = [1]}}
  %2 = arith.cmpi sle, %r, %s : tensor<64xi32>
  // expected-remark @below {{constancy = [16]}}
  %3 = arith.cmpi sle, %s, %r : tensor<64xi32>
  // expected-remark @below {{constancy = [1]}}
  %4 = arith.cmpi eq, %r, %s : tensor<64xi32>
  %c3 = arith.constant 3 : i32
  %c5 = arith.constant -5 : i32
  // expected-remark @below {{constant_value = 1}}
  %5 = arith.cmpi slt, %c5, %c3 : i32
  // expected-remark @below {{constant_value = 0}}
  %6 = arith.cmpi ult, %c5, %c3 : i32
  tt.return
}

// -----

tt.func @selections(%c: i1, %m: tensor<64xi1> {tt.constancy = 4 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %q = tt.make_range {end = 80 : i32, start = 16 : i32} : tensor<64xi32>
  %true = arith.constant true
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %0 = arith.select %c, %r, %q : tensor<64xi32>
  // Groups of four stay contiguous, and start at multiples of four.
  // expected-remark @below {{contiguity = [4], divisibility = [4], constancy = [1]}}
  %1 = arith.select %m, %r, %q : tensor<64xi1>, tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %2 = arith.select %true, %q, %r : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %3 = arith.maxsi %q, %r : tensor<64xi32>
  tt.return
}

// -----

tt.func @shapes(%n: i32 {tt.divisibility = 8 : i32}) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 1073741824], constancy = [1, 1]}}
  %0 = tt.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [1, 1073741824], constancy = [16, 1]}}
  %1 = tt.broadcast %0 : tensor<1x64xi32> -> tensor<16x64xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [1073741824, 1], constancy = [1, 16]}}
  %2 = tt.trans %1 {order = array<i32: 1, 0>} : tensor<16x64xi32> -> tensor<64x16xi32>
  // expected-remark @below {{contiguity = [1, 16], divisibility = [1, 16], constancy = [1, 1]}}
  %3 = tt.reshape %r : tensor<64xi32> -> tensor<4x16xi32>
  // expected-remark @below {{contiguity = [1, 1, 64], divisibility = [1, 1, 1073741824], constancy = [16, 1, 1]}}
  %4 = tt.reshape %1 : tensor<16x64xi32> -> tensor<16x1x64xi32>
  // Every row starts at 0.
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %5 = tt.reshape %1 : tensor<16x64xi32> -> tensor<1024xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1]}}
  %6 = tt.reshape %r allow_reorder : tensor<64xi32> -> tensor<4x16xi32>
  // Tensors of more than eight dimensions, and values derived from them, have no axis info.
  // expected-remark @below {{contiguity = [], divisibility = [], constancy = []}}
  %nine = tt.reshape %1 : tensor<16x64xi32> -> tensor<2x2x2x2x2x2x2x2x4xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1]}}
  %back = tt.reshape %nine : tensor<2x2x2x2x2x2x2x2x4xi32> -> tensor<16x64xi32>
  // expected-remark @below {{contiguity = [64, 1], divisibility = [1073741824, 1], constancy = [1, 1]}}
  %7 = tt.join %r, %r : tensor<64xi32> -> tensor<64x2xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %8, %9 = tt.split %7 : tensor<64x2xi32> -> tensor<64xi32>
  tt.return
}

// -----

tt.func @pointers(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i32 {tt.divisibility = 2 : i32}, %m: tensor<64xi1>) {
  %r = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1]}}
  %0 = tt.addptr %p, %n : !tt.ptr<f16>, i32
  %1 = tt.splat %p : !tt.ptr<f16> -> tensor<64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %2 = tt.addptr %1, %r : tensor<64x!tt.ptr<f16>>, tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [2], constancy = [1]}}
  %3 = tt.ptr_to_int %2 : tensor<64x!tt.ptr<f16>> -> tensor<64xi64>
  // expected-remark @below {{contiguity = [1], divisibility = [2], constancy = [1]}}
  %4 = tt.bitcast %2 : tensor<64x!tt.ptr<f16>> -> tensor<64x!tt.ptr<i32>>
  // expected-remark @below {{contiguity = [64], divisibility = [16], constancy = [1]}}
  %5 = tt.bitcast %2 : tensor<64x!tt.ptr<f16>> -> tensor<64x!tt.ptr<i16>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [64]}}
  %6 = tt.load %1 : tensor<64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %7 = tt.load %1, %m : tensor<64x!tt.ptr<f16>>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [64]}}
  %8 = math.exp %6 : tensor<64xf16>
  tt.return
}

// -----

// A contiguous group of eight that starts at a multiple of 4 contains groups of two at multiples of two.
tt.func @weakening(%a: tensor<8xi32> {tt.contiguity = 8 : i32, tt.divisibility = 4 : i32},
                   %b: tensor<8xi32> {tt.contiguity = 2 : i32, tt.divisibility = 8 : i32}) {
  // expected-remark @below {{contiguity = [2], divisibility = [2], constancy = [1]}}
  %0 = arith.maxsi %a, %b : tensor<8xi32>
  tt.return
}

// -----

tt.func @loops(%p: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %lb: i32 {tt.divisibility = 16 : i32},
               %ub: i32, %step: i32 {tt.divisibility = 8 : i32}) {
  %c4 = arith.constant 4 : i32
  // expected-remark @below {{contiguity = [1], divisibility = [16], constancy = [1]}}
  %0 = scf.for %i = %lb to %ub step %step iter_args(%q = %p) -> (!tt.ptr<f32>) : i32 {
    // expected-remark @below {{divisibility = [32]}}
    %x = arith.muli %i, %c4 : i32
    // expected-remark @below {{divisibility = [16]}}
    %y = tt.addptr %q, %x : !tt.ptr<f32>, i32
    scf.yield %y : !tt.ptr<f32>
  }
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
  %1 = scf.while (%j = %lb) : (i32) -> i32 {
    %c = arith.cmpi slt, %j, %ub : i32
    scf.condition(%c) %j : i32
  } do {
  ^bb0(%j: i32):
    // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [1]}}
    %k = arith.addi %j, %step : i32
    scf.yield %k : i32
  }
  tt.return
}

// -----

tt.func @branches(%c: i1, %a: i32 {tt.divisibility = 32 : i32}, %b: i32 {tt.divisibility = 4 : i32}) {
  // expected-remark @below {{divisibility = [4]}}
  %0 = scf.if %c -> i32 {
    scf.yield %a : i32
  } else {
    scf.yield %b : i32
  }
  cf.cond_br %c, ^left(%a : i32), ^right
^left(%x: i32):
  // expected-remark @below {{divisibility = [4]}}
  %1 = arith.addi %x, %x : i32
  cf.br ^left(%b : i32)
^right:
  tt.return
}

// -----

// Hints on operations are assertions: they raise axis info and never lower it.
tt.func @hints(%n: i32) {
  // expected-remark @below {{contiguity = [1], divisibility = [64], constancy = [1]}}
  %0 = arith.addi %n, %n {tt.divisibility = dense<64> : tensor<1xi32>} : i32
  // expected-remark @below {{contiguity = [64], divisibility = [1073741824], constancy = [1]}}
  %1 = tt.make_range {end = 64 : i32, start = 0 : i32, tt.divisibility = 2 : i32, tt.contiguity = 4 : i32} : tensor<64xi32>
  tt.return
}

// -----

// The axis info of a called function comes from its calls only: attributes on its arguments are stale results.
tt.func private @callee(%x: i32 {tt.divisibility = 1024 : i32}, %y: i32) {
  // expected-remark @below {{divisibility = [2]}}
  %0 = arith.addi %x, %x : i32
  // expected-remark @below {{constant_value = 14}}
  %1 = arith.addi %y, %y : i32
  tt.return
}
tt.func public @caller(%a: i32 {tt.divisibility = 2 : i32}, %b: i32 {tt.divisibility = 8 : i32}) {
  %c = arith.constant 7 : i32
  tt.call @callee(%a, %c) : (i32, i32) -> ()
  tt.call @callee(%b, %c) : (i32, i32) -> ()
  tt.return
}

// -----

tt.func @reductions(%r: tensor<16x64xi32>) {
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
  %0 = "tt.reduce"(%r) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1]}}
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<16x64xi32>) -> tensor<64xi32>
  tt.return
}
