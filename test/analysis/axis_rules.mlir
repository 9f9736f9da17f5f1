// RUN: nereid-opt %s --test-print-alignment --split-input-file --verify-diagnostics=only-expected -o /dev/null

// Rare rules and control flow; the common rules are in test/passes/test-print-alignment.mlir.

tt.func @rounded_quotients(%n: i32 {tt.divisibility = 32 : i32}) {
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %x = arith.addi %s, %r : tensor<64xi32>
  %c8 = arith.constant dense<8> : tensor<64xi32>
  %m8 = arith.constant dense<-8> : tensor<64xi32>
  // Floor division keeps constant groups, also for negative n.
  // expected-remark @below {{divisibility = [1], constancy = [8], constant_value = <none>}}
  %0 = arith.floordivsi %x, %c8 : tensor<64xi32>
  // 0 / -8 is 0, 1 / -8 is -1.
  // expected-remark @below {{divisibility = [1], constancy = [1], constant_value = <none>}}
  %1 = arith.floordivsi %x, %m8 : tensor<64xi32>
  // 0 / 8 is 0, 1 / 8 is 1.
  // expected-remark @below {{divisibility = [1], constancy = [1], constant_value = <none>}}
  %2 = arith.ceildivsi %x, %c8 : tensor<64xi32>
  // expected-remark @below {{divisibility = [4], constancy = [64], constant_value = <none>}}
  %3 = arith.ceildivui %s, %c8 : tensor<64xi32>
  %c7 = arith.constant 7 : i32
  %c2 = arith.constant 2 : i32
  %m7 = arith.constant -7 : i32
  // expected-remark @below {{constant_value = 4}}
  %4 = arith.ceildivsi %c7, %c2 : i32
  // expected-remark @below {{constant_value = 4294967293}}
  %5 = arith.ceildivsi %m7, %c2 : i32
  // expected-remark @below {{constant_value = 4294967292}}
  %6 = arith.floordivsi %m7, %c2 : i32
  // expected-remark @below {{constant_value = 3}}
  %7 = arith.floordivsi %c7, %c2 : i32
  // expected-remark @below {{constant_value = 4}}
  %8 = arith.ceildivui %c7, %c2 : i32
  %c1 = arith.constant dense<1> : tensor<64xi32>
  // expected-remark @below {{contiguity = [64], divisibility = [32], constancy = [1]}}
  %9 = arith.ceildivsi %x, %c1 : tensor<64xi32>
  tt.return
}

// -----

// Constants are folded, with the signedness of the operation, and through casts.
tt.func @constants() {
  %m2 = arith.constant -2 : i32
  %c7 = arith.constant 7 : i32
  // expected-remark @below {{divisibility = [4], constancy = [1], constant_value = 613566756}}
  %0 = arith.divui %m2, %c7 : i32
  // expected-remark @below {{divisibility = [2], constancy = [1], constant_value = 2}}
  %1 = arith.remui %m2, %c7 : i32
  // expected-remark @below {{constant_value = 0}}
  %2 = arith.divsi %m2, %c7 : i32
  // expected-remark @below {{constant_value = 7}}
  %3 = arith.bitcast %c7 : i32 to i32
  tt.return
}

// -----

tt.func @two_results(%n: i32 {tt.divisibility = 16 : i32}) {
  %c8 = arith.constant 8 : i32
  // expected-remark @+2 {{divisibility = [8], constancy = [1], constant_value = <none>}}
  // expected-remark @+1 {{divisibility = [1], constancy = [1], constant_value = <none>}}
  %0:2 = arith.addui_extended %n, %c8 : i32, i1
  // expected-remark @+2 {{divisibility = [128], constancy = [1], constant_value = <none>}}
  // expected-remark @+1 {{divisibility = [1], constancy = [1], constant_value = <none>}}
  %1:2 = arith.mului_extended %n, %c8 : i32
  // expected-remark @+2 {{divisibility = [64], constancy = [1], constant_value = 64}}
  // expected-remark @+1 {{divisibility = [1], constancy = [1], constant_value = <none>}}
  %2:2 = arith.mulsi_extended %c8, %c8 : i32
  tt.return
}

// -----

tt.func @magnitudes(%n: i32 {tt.divisibility = 16 : i32}) {
  %m5 = arith.constant -5 : i32
  %c2 = arith.constant dense<2> : tensor<8xi32>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  // expected-remark @below {{constant_value = 5}}
  %0 = math.absi %m5 : i32
  // expected-remark @below {{divisibility = [16], constancy = [1], constant_value = <none>}}
  %1 = math.absi %n : i32
  // The absolute value of a range from 0 is the range.
  // expected-remark @below {{contiguity = [8], divisibility = [1073741824], constancy = [1]}}
  %2 = math.absi %r : tensor<8xi32>
  // Non-negative, so that its quotients keep constant groups.
  %s = tt.splat %1 : i32 -> tensor<8xi32>
  %x = arith.addi %s, %r : tensor<8xi32>
  // expected-remark @below {{divisibility = [1], constancy = [2], constant_value = <none>}}
  %3 = arith.divsi %x, %c2 : tensor<8xi32>
  // Bit counts are non-negative, too; they have no other properties.
  %p = math.ctpop %n : i32
  %c8 = arith.constant 8 : i32
  // expected-remark @below {{divisibility = [8], constancy = [1]}}
  %p8 = arith.muli %p, %c8 : i32
  %t = tt.splat %p8 : i32 -> tensor<8xi32>
  %y = arith.addi %t, %r : tensor<8xi32>
  // expected-remark @below {{divisibility = [1], constancy = [2], constant_value = <none>}}
  %4 = arith.divsi %y, %c2 : tensor<8xi32>
  tt.return
}

// -----

tt.func @picked(%t: tensor<16x32xi32> {tt.divisibility = 8 : i32, tt.constancy = dense<[1, 4]> : tensor<2xi32>},
                %i: tensor<16x32xi32> {tt.constancy = dense<[2, 16]> : tensor<2xi32>}) {
  // Equal indices in a column select one element; in a row the source must be constant, too.
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [2, 4], constant_value = <none>}}
  %0 = tt.gather %t[%i] {axis = 0 : i32} : (tensor<16x32xi32>, tensor<16x32xi32>) -> tensor<16x32xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [1, 16], constant_value = <none>}}
  %1 = tt.gather %t[%i] {axis = 1 : i32} : (tensor<16x32xi32>, tensor<16x32xi32>) -> tensor<16x32xi32>
  tt.return
}

// -----

// The axis information of a reduction comes from its region; equal rows have equal results.
tt.func @combined(%t: tensor<16x32xi32> {tt.divisibility = 8 : i32, tt.constancy = dense<[4, 2]> : tensor<2xi32>}) {
  // expected-remark @below {{contiguity = [1], divisibility = [8], constancy = [4], constant_value = <none>}}
  %0 = "tt.reduce"(%t) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
    %m = arith.maxsi %a, %b : i32
    tt.reduce.return %m : i32
  }) : (tensor<16x32xi32>) -> tensor<16xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [8, 8], constancy = [4, 1], constant_value = <none>}}
  %1 = "tt.scan"(%t) <{axis = 1 : i32, reverse = false}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark @below {{divisibility = [8], constancy = [1], constant_value = <none>}}
    %s = arith.addi %a, %b : i32
    tt.scan.return %s : i32
  }) : (tensor<16x32xi32>) -> tensor<16x32xi32>
  // The sum of two elements is not a function of one: the fixed point includes the region.
  %c6 = arith.constant dense<6> : tensor<32xi32>
  // expected-remark @below {{divisibility = [2], constancy = [1], constant_value = <none>}}
  %2 = "tt.reduce"(%c6) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark @below {{divisibility = [2], constancy = [1], constant_value = <none>}}
    %s = arith.addi %a, %b : i32
    tt.reduce.return %s : i32
  }) : (tensor<32xi32>) -> i32
  // expected-remark @below {{contiguity = [1, 1], divisibility = [16, 16], constancy = [4, 2], constant_value = <none>}}
  %3 = "tt.map_elementwise"(%t) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    // expected-remark @below {{divisibility = [16], constancy = [1], constant_value = <none>}}
    %d = arith.addi %a, %a {tt.divisibility = 16 : i32} : i32
    tt.map_elementwise.return %d : i32
  }) : (tensor<16x32xi32>) -> tensor<16x32xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [2, 2], constancy = [1, 1], constant_value = <none>}}
  %4 = "tt.map_elementwise"(%t) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    // expected-remark @below {{divisibility = [2], constancy = [1], constant_value = 2}}
    %c2 = arith.constant 2 : i32
    tt.map_elementwise.return %a, %c2 : i32, i32
  }) : (tensor<16x32xi32>) -> tensor<16x32xi32>
  tt.return
}

// -----

// Counts are non-negative.
tt.func @counts(%t: tensor<32xi32>) {
  %h = tt.histogram %t : tensor<32xi32> -> tensor<1xi32>
  %u = tt.unsplat %h : tensor<1xi32>
  %c8 = arith.constant 8 : i32
  %u8 = arith.muli %u, %c8 : i32
  %s = tt.splat %u8 : i32 -> tensor<8xi32>
  %r = tt.make_range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %x = arith.addi %s, %r : tensor<8xi32>
  %c4 = arith.constant dense<4> : tensor<8xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [4], constant_value = <none>}}
  %0 = arith.divsi %x, %c4 : tensor<8xi32>
  tt.return
}

// -----

// A block pointer has the axis information of its tensor of pointers.
tt.func @blocks(%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %n: i64 {tt.divisibility = 16 : i32}, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i64
  %c64 = arith.constant 64 : i32
  %at = arith.muli %i, %c64 : i32
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]}}
  %0 = tt.make_tensor_ptr %p, [%n, %n], [%n, %c1], [%at, %c0] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 16], constancy = [1, 1]}}
  %1 = tt.advance %0, [%c64, %c64] : <tensor<32x64xf16>>
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 2], constancy = [1, 1]}}
  %2 = tt.advance %0, [%c0, %i] : <tensor<32x64xf16>>
  // An odd row length leaves no divisibility for the next row.
  %odd = arith.addi %n, %c1 : i64
  // expected-remark @below {{contiguity = [1, 64], divisibility = [2, 2], constancy = [1, 1]}}
  %3 = tt.make_tensor_ptr %p, [%n, %n], [%odd, %c1], [%c0, %c0] {order = array<i32: 1, 0>} : <tensor<32x64xf16>>
  tt.return
}

// -----

tt.func @scratch_and_bytes(%b: tensor<16x32xi8> {tt.constancy = dense<[4, 8]> : tensor<2xi32>}) {
  // expected-remark @below {{contiguity = [1], divisibility = [128], constancy = [1]}}
  %0 = ttg.global_scratch_alloc {nbytes = 256 : i32, alignment = 128 : i32} : !tt.ptr<i8>
  // A byte holds two fp4 values.
  // expected-remark @below {{constancy = [4, 1], constant_value = <none>}}
  %1 = ttg.fp4_to_fp %b {axis = 1 : i32} : tensor<16x32xi8> -> tensor<16x64xf16>
  tt.return
}

// -----

// Poison may have any value; the other operand may not.
tt.func @poison(%p: tensor<8x!tt.ptr<i32>> {tt.constancy = 8 : i32}, %m: tensor<8xi1>,
                %x: tensor<8xi32> {tt.divisibility = 4 : i32}, %q: !tt.ptr<i32>) {
  %0 = ub.poison : tensor<8xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %1 = tt.load %p, %m, %0 : tensor<8x!tt.ptr<i32>>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [4, 4], constancy = [1, 1], constant_value = <none>}}
  %2 = tt.join %0, %x : tensor<8xi32> -> tensor<8x2xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [4], constancy = [1], constant_value = <none>}}
  %3 = tt.cat %x, %0 : tensor<8xi32> -> tensor<16xi32>
  %4 = ub.poison : i32
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %5 = tt.atomic_rmw add, acq_rel, gpu, %q, %4 : (!tt.ptr<i32>, i32) -> i32
  tt.return
}

// -----

// A conversion cast and its inverse; not a cast back to a different type.
tt.func @conversions(%t: tensor<16x32xi32> {tt.contiguity = dense<[4, 8]> : tensor<2xi32>}) {
  // expected-remark @below {{contiguity = [4, 8], divisibility = [1, 1], constancy = [1, 1], constant_value = <none>}}
  %0 = builtin.unrealized_conversion_cast %t : tensor<16x32xi32> to !llvm.struct<(i32, i32)>
  // expected-remark @below {{contiguity = [4, 8], divisibility = [1, 1], constancy = [1, 1], constant_value = <none>}}
  %1 = builtin.unrealized_conversion_cast %0 : !llvm.struct<(i32, i32)> to tensor<16x32xi32>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1], constant_value = <none>}}
  %2 = builtin.unrealized_conversion_cast %0 : !llvm.struct<(i32, i32)> to tensor<32x16xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %3 = llvm.mlir.undef : !llvm.struct<(i32, i32)>
  // expected-remark @below {{contiguity = [1, 1], divisibility = [1, 1], constancy = [1, 1], constant_value = <none>}}
  %4 = builtin.unrealized_conversion_cast %3 : !llvm.struct<(i32, i32)> to tensor<16x32xi32>
  tt.return
}

// -----

tt.func @regions(%c: index, %a: i32 {tt.divisibility = 32 : i32}, %b: i32 {tt.divisibility = 4 : i32}) {
  // expected-remark @below {{divisibility = [4], constancy = [1], constant_value = <none>}}
  %0 = scf.index_switch %c -> i32
  case 0 {
    scf.yield %a : i32
  }
  default {
    scf.yield %b : i32
  }
  // expected-remark @below {{divisibility = [32], constancy = [1], constant_value = <none>}}
  %1 = scf.execute_region -> i32 {
    scf.yield %a : i32
  }
  // Block arguments, across a loop of blocks.
  // expected-remark @below {{divisibility = [16], constancy = [1], constant_value = <none>}}
  %2 = scf.execute_region -> i32 {
    %c16 = arith.constant 16 : i32
    %stop = arith.cmpi eq, %a, %b : i32
    cf.br ^head(%a : i32)
  ^head(%x: i32):
    // expected-remark @below {{divisibility = [16], constancy = [1], constant_value = <none>}}
    %y = arith.addi %x, %c16 : i32
    cf.cond_br %stop, ^head(%y : i32), ^end(%y : i32)
  ^end(%z: i32):
    scf.yield %z : i32
  }
  // expected-remark @below {{divisibility = [64], constancy = [1], constant_value = <none>}}
  %3 = scf.index_switch %c {tt.divisibility = 64 : i32} -> i32
  default {
    scf.yield %b : i32
  }
  tt.return
}

// -----

// Nested loops, iteration arguments that swap, a loop-invariant iteration argument.
tt.func @nested(%n: i32, %a: i32 {tt.divisibility = 64 : i32}, %b: i32 {tt.divisibility = 8 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  // expected-remark @+3 {{divisibility = [8], constancy = [1], constant_value = <none>}}
  // expected-remark @+2 {{divisibility = [4], constancy = [1], constant_value = <none>}}
  // expected-remark @+1 {{divisibility = [64], constancy = [1], constant_value = <none>}}
  %0:4 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %a, %y = %b, %z = %a, %w = %a) -> (i32, i32, i32, i32) : i32 {
    // expected-remark @below {{divisibility = [4], constancy = [1], constant_value = <none>}}
    %1 = scf.for %j = %c0 to %n step %c4 iter_args(%v = %z) -> (i32) : i32 {
      // expected-remark @below {{divisibility = [4], constancy = [1], constant_value = <none>}}
      %2 = arith.addi %v, %j : i32
      scf.yield %2 : i32
    }
    scf.yield %y, %x, %1, %w : i32, i32, i32, i32
  }
  tt.return
}

// -----

// Captures have the axis information of their operands inside partitions.
module attributes {"ttg.num-warps" = 4 : i32} {
tt.func @partitions(%a: i32 {tt.divisibility = 16 : i32}) {
  ttg.warp_specialize(%a)
  default {
    ttg.warp_yield
  }
  partition0(%x: i32) num_warps(1) {
    // expected-remark @below {{divisibility = [16], constancy = [1], constant_value = <none>}}
    %0 = arith.addi %x, %x : i32
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}
}

// -----

// The upper bound of a loop from 0 is assumed to be non-negative, here %n: quotients have equal groups.
tt.func @bound_of_a_loop(%n: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %p = tt.get_program_id x : i32
  %pn = arith.muli %p, %n : i32
  %pn64 = arith.muli %pn, %c64 : i32
  %s = tt.splat %pn64 : i32 -> tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %x = arith.addi %s, %r : tensor<64xi32>
  %d = tt.splat %k : i32 -> tensor<64xi32>
  // expected-remark @below {{divisibility = [1], constancy = [16], constant_value = <none>}}
  %0 = arith.divsi %x, %d : tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant_value = <none>}}
  %1 = arith.remsi %x, %d : tensor<64xi32>
  scf.for %i = %c0 to %n step %c1 : i32 {
  }
  tt.return
}

// -----

// So is a result, and a value from which the bound is computed.
tt.func @source_of_a_bound(%m: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.muli %m, %c64 : i32
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %x = arith.addi %s, %r : tensor<64xi32>
  %d = tt.splat %k : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant_value = <none>}}
  %0 = arith.remsi %x, %d : tensor<64xi32>
  %sum = arith.addi %c63, %n : i32
  %chunks = arith.divsi %sum, %c64 : i32
  %index = arith.index_cast %chunks : i32 to index
  scf.for %i = %c2 to %index step %c1 {
  }
  tt.return
}

// -----

// Loops of blocks, which replace scf.for before lowering.
tt.func @bound_of_blocks(%m: i32, %k: i32 {tt.divisibility = 16 : i32}) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.muli %m, %c64 : i32
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %x = arith.addi %s, %r : tensor<64xi32>
  %d = tt.splat %k : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [16], divisibility = [16], constancy = [1], constant_value = <none>}}
  %0 = arith.remsi %x, %d : tensor<64xi32>
  cf.br ^header(%c0 : i32)
^header(%i: i32):
  %more = arith.cmpi slt, %i, %n : i32
  cf.cond_br %more, ^body, ^exit
^body:
  %next = arith.addi %i, %c1 : i32
  cf.br ^header(%next : i32)
^exit:
  tt.return
}

// -----

// The sign stays unknown: loops from a negative or unknown value, in steps of a comparison without sign, a lower
// bound, a step, a product, a comparison outside a loop.
tt.func @no_bound(%m: i32, %l: i32, %k: i32 {tt.divisibility = 16 : i32}, %t: i32) {
  %m1 = arith.constant -1 : i32
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %n = arith.muli %m, %c64 : i32
  %s = tt.splat %n : i32 -> tensor<64xi32>
  %r = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %x = arith.addi %s, %r : tensor<64xi32>
  %d = tt.splat %k : i32 -> tensor<64xi32>
  // expected-remark @below {{contiguity = [1], divisibility = [1], constancy = [1], constant_value = <none>}}
  %0 = arith.remsi %x, %d : tensor<64xi32>
  scf.for %i = %m1 to %n step %c1 : i32 {
  }
  scf.for %i = %l to %n step %c1 : i32 {
  }
  scf.for unsigned %i = %c0 to %n step %c1 : i32 {
  }
  scf.for %i = %n to %t step %n : i32 {
  }
  %product = arith.muli %n, %l : i32
  scf.for %i = %c0 to %product step %c1 : i32 {
  }
  %less = arith.cmpi slt, %l, %n : i32
  cf.cond_br %less, ^yes, ^no
^yes:
  tt.return
^no:
  tt.return
}
