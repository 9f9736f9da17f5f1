// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @f() {
  // expected-error @+1 {{has 0 partitions, but partitionNumWarps has 1 numbers}}
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32: 1>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ttg.warp_specialize.partitions"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{second region must hold a ttg.warp_specialize.partitions operation}}
  "ttg.warp_specialize"() <{partitionNumWarps = array<i32>}> ({
    "ttg.warp_yield"() : () -> ()
  }, {
    "ub.unreachable"() : () -> ()
  }) : () -> ()
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{partition #0 has 3 warps, expected a power of two}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(3) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{warpGroupStartIds has 2 numbers, expected one per partition, 1}}
  ttg.warp_specialize() attributes {warpGroupStartIds = array<i32: 4, 8>}
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

module attributes {"ttg.num-warps" = 2 : i32} {
  tt.func @f() {
    // expected-error @+1 {{is executed by 2 warps, expected a multiple of 4}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    tt.return
  }
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{partition #0 has 0 arguments, expected one per capture, 1}}
  ttg.warp_specialize(%arg0)
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{partition #0 has argument #0 of type i64, but the capture has i32}}
  ttg.warp_specialize(%arg0)
  default {
    ttg.warp_yield
  }
  partition0(%arg1: i64) num_warps(4) {
    ttg.warp_return
  } : (i32) -> ()
  tt.return
}

// -----

tt.func @f() {
  ttg.warp_specialize()
  default {
    // expected-error @+1 {{cannot be inside another ttg.warp_specialize}}
    ttg.warp_specialize()
    default {
      ttg.warp_yield
    } : () -> ()
    ttg.warp_yield
  } : () -> ()
  tt.return
}

// -----

tt.func @f(%arg0: i32) -> i32 {
  %0 = ttg.warp_specialize()
  default {
    // expected-error @+1 {{has 0 operands, but ttg.warp_specialize has 1 results}}
    ttg.warp_yield
  } : () -> i32
  tt.return %0 : i32
}

// -----

tt.func @f(%arg0: i32) -> i64 {
  %0 = ttg.warp_specialize()
  default {
    // expected-error @+1 {{operand #0 has type i32, but the result of ttg.warp_specialize has i64}}
    ttg.warp_yield %arg0 : i32
  } : () -> i64
  tt.return %0 : i64
}

// -----

tt.func @f(%arg0: i32) {
  // expected-note @below {{required by region isolation constraints}}
  ttg.warp_specialize()
  default {
    ttg.warp_yield
  }
  partition0() num_warps(4) {
    // expected-error @+1 {{using value defined outside the region}}
    arith.addi %arg0, %arg0 : i32
    ttg.warp_return
  } : () -> ()
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{expects parent op 'ttg.warp_specialize.partitions'}}
  ttg.warp_return
}

// -----

tt.func @f() {
  // expected-error @+1 {{expects parent op 'ttg.warp_specialize'}}
  ttg.warp_yield
}

// -----

#four = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
module attributes {"ttg.num-warps" = 4 : i32} {
  tt.func @f(%arg0: i32) {
    ttg.warp_specialize(%arg0)
    default {
      ttg.warp_yield
    }
    partition0(%arg1: i32) num_warps(8) {
      // expected-error @+1 {{has an encoding for 4 warps, but 8 execute it}}
      %1 = tt.splat %arg1 : i32 -> tensor<128xi32, #four>
      ttg.warp_return
    } : (i32) -> ()
    tt.return
  }
}

// -----

tt.func @f() {
  // expected-error @+1 {{expects parent op 'ttg.warp_specialize'}}
  "ttg.warp_specialize.partitions"() : () -> ()
}
