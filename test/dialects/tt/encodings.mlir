// Encodings of tt operations: inference, verification and folds of shape operations.
// RUN: nereid-opt %s --split-input-file | nereid-opt --split-input-file | FileCheck %s
// RUN: nereid-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=FOLD

#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>
#slice0 = #ttg.slice<{dim = 0, parent = #rows}>
#slice1 = #ttg.slice<{dim = 1, parent = #rows}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @reduce
  // CHECK: }) : (tensor<16x32xf32, #[[ROWS:blocked[0-9]*]]>) -> tensor<16xf32, #ttg.slice<{dim = 1, parent = #[[ROWS]]}>>
  tt.func @reduce(%x: tensor<16x32xf32, #rows>) -> tensor<16xf32, #slice1> {
    %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<16x32xf32, #rows>) -> tensor<16xf32, #slice1>
    tt.return %0 : tensor<16xf32, #slice1>
  }

  // Two transpositions cancel, including their effect on the encoding.
  // CHECK-LABEL: @trans
  // CHECK-COUNT-2: tt.trans
  // FOLD-LABEL: @trans
  // FOLD-SAME: %[[X:.*]]: tensor<16x32xf32
  // FOLD-NEXT: tt.return %[[X]]
  tt.func @trans(%x: tensor<16x32xf32, #rows>) -> tensor<16x32xf32, #rows> {
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x32xf32, #rows> -> tensor<32x16xf32, #columns>
    %1 = tt.trans %0 {order = array<i32: 1, 0>} : tensor<32x16xf32, #columns> -> tensor<16x32xf32, #rows>
    tt.return %1 : tensor<16x32xf32, #rows>
  }

  // FOLD-LABEL: @expand_dims
  // FOLD-NEXT: tt.expand_dims %{{.*}} {axis = 0 : i32} : tensor<1xi32, #ttg.slice<{dim = 0, parent = #[[ROWS:blocked[0-9]*]]}>> -> tensor<1x1xi32, #[[ROWS]]>
  // FOLD-NEXT: tt.broadcast %{{.*}} : tensor<1x1xi32, #[[ROWS]]> -> tensor<16x32xi32, #[[ROWS]]>
  tt.func @expand_dims(%x: tensor<1xi32, #slice0>) -> tensor<16x32xi32, #rows> {
    %0 = tt.broadcast %x : tensor<1xi32, #slice0> -> tensor<32xi32, #slice0>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xi32, #slice0> -> tensor<1x32xi32, #rows>
    %2 = tt.broadcast %1 : tensor<1x32xi32, #rows> -> tensor<16x32xi32, #rows>
    tt.return %2 : tensor<16x32xi32, #rows>
  }

  // FOLD-LABEL: @constants
  // FOLD-NEXT: %[[C:.*]] = arith.constant dense<4> : tensor<16x32xi32, #[[ROWS]]>
  // FOLD-NEXT: tt.return %[[C]]
  tt.func @constants() -> tensor<16x32xi32, #rows> {
    %c = arith.constant 4 : i32
    %0 = tt.splat %c : i32 -> tensor<32xi32, #slice0>
    %1 = tt.expand_dims %0 {axis = 0 : i32} : tensor<32xi32, #slice0> -> tensor<1x32xi32, #rows>
    %2 = tt.broadcast %1 : tensor<1x32xi32, #rows> -> tensor<16x32xi32, #rows>
    tt.return %2 : tensor<16x32xi32, #rows>
  }
}

// -----

#one = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#two = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: @join_split
  // CHECK: tt.join %{{.*}}, %{{.*}} : tensor<256xf32, #[[ONE:blocked[0-9]*]]> -> tensor<256x2xf32, #[[TWO:blocked[0-9]*]]>
  // CHECK: tt.split %{{.*}} : tensor<256x2xf32, #[[TWO]]> -> tensor<256xf32, #[[ONE]]>
  tt.func @join_split(%x: tensor<256xf32, #one>) -> tensor<256xf32, #one> {
    %0 = tt.join %x, %x : tensor<256xf32, #one> -> tensor<256x2xf32, #two>
    %1, %2 = tt.split %0 : tensor<256x2xf32, #two> -> tensor<256xf32, #one>
    tt.return %2 : tensor<256xf32, #one>
  }
}
