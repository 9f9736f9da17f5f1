// #ttg.generic_linear (Triton 3.8): reading, printing by version, and the encodings of results.
// RUN: nereid-opt %s --split-input-file | FileCheck %s
// RUN: nereid-opt %s --split-input-file | nereid-opt --split-input-file | FileCheck %s
// RUN: nereid-opt %s --split-input-file --mlir-print-op-generic | nereid-opt --split-input-file | FileCheck %s

// Keys in any order; a permutation keeps its name, too.
// CHECK-DAG: #[[SWIZZLED:.*]] = #ttg.generic_linear<{register = {{\[\[}}1, 0], [0, 1]], lane = {{\[\[}}2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], warp = {{\[\[}}16, 8], [0, 8]], block = []}>
// CHECK-DAG: #[[STEPS:.*]] = #ttg.generic_linear<{register = {{\[\[}}3], [1]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}96], [0]], block = []}>
// CHECK-DAG: #[[PLAIN:.*]] = #ttg.generic_linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [64]], block = []}>
// CHECK-DAG: #[[TRANSPOSED:.*]] = #ttg.generic_linear<{register = {{\[\[}}0, 1], [1, 0]], lane = {{\[\[}}0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = {{\[\[}}8, 16], [8, 0]], block = []}>
// CHECK-DAG: #[[FLAT:.*]] = #ttg.generic_linear<{register = {{\[\[}}16], [1]], lane = {{\[\[}}32], [64], [128], [2], [4]], warp = {{\[\[}}264], [8]], block = []}>
// CHECK-DAG: #[[PAIRS:.*]] = #ttg.generic_linear<{register = {{\[\[}}0, 0, 1], [1, 0, 0], [0, 1, 0]], lane = {{\[\[}}2, 0, 0], [4, 0, 0], [8, 0, 0], [0, 2, 0], [0, 4, 0]], warp = {{\[\[}}16, 8, 0], [0, 8, 0]], block = []}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.generic_linear<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [0], [0]], warp = {{\[\[}}16], [0]], block = []}>
#swizzled = #ttg.generic_linear<{warp = [[16, 8], [0, 8]], block = [], lane = [[2, 0], [4, 0], [8, 0], [0, 2], [0, 4]], register = [[1, 0], [0, 1]]}>
#steps = #ttg.generic_linear<{register = [[3], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[96], [0]], block = []}>
#plain = #ttg.generic_linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>
#transposed = #ttg.generic_linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [0, 8], [2, 0], [4, 0]], warp = [[8, 16], [8, 0]], block = []}>
#flat = #ttg.generic_linear<{register = [[16], [1]], lane = [[32], [64], [128], [2], [4]], warp = [[264], [8]], block = []}>
#pairs = #ttg.generic_linear<{register = [[0, 0, 1], [1, 0, 0], [0, 1, 0]], lane = [[2, 0, 0], [4, 0, 0], [8, 0, 0], [0, 2, 0], [0, 4, 0]], warp = [[16, 8, 0], [0, 8, 0]], block = []}>
#rows = #ttg.generic_linear<{register = [[1]], lane = [[2], [4], [8], [0], [0]], warp = [[16], [0]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @printed
  // CHECK-SAME: tensor<128xi32, #[[STEPS]]>, %{{.*}}: tensor<128xi32, #[[PLAIN]]>
  tt.func @printed(%a: tensor<128xi32, #steps>, %b: tensor<128xi32, #plain>) {
    tt.return
  }

  // CHECK-LABEL: @results
  tt.func @results(%x: tensor<32x16xf32, #swizzled>) {
    // CHECK: tt.trans {{.*}} -> tensor<16x32xf32, #[[TRANSPOSED]]>
    %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<32x16xf32, #swizzled> -> tensor<16x32xf32, #transposed>
    // CHECK: tt.reshape {{.*}} -> tensor<512xf32, #[[FLAT]]>
    %1 = tt.reshape %x : tensor<32x16xf32, #swizzled> -> tensor<512xf32, #flat>
    // CHECK: tt.join {{.*}} -> tensor<32x16x2xf32, #[[PAIRS]]>
    %2 = tt.join %x, %x : tensor<32x16xf32, #swizzled> -> tensor<32x16x2xf32, #pairs>
    // CHECK: tt.split {{.*}} -> tensor<32x16xf32, #[[SWIZZLED]]>
    %3:2 = tt.split %2 : tensor<32x16x2xf32, #pairs> -> tensor<32x16xf32, #swizzled>
    // CHECK: "tt.reduce"
    // CHECK: -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[SWIZZLED]]}>>
    %4 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tt.reduce.return %s : f32
    }) : (tensor<32x16xf32, #swizzled>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #swizzled}>>
    // A slice of a generic layout gives a generic one.
    // CHECK: tt.reshape {{.*}} -> tensor<32xf32, #[[ROWS]]>
    %5 = tt.reshape %4 : tensor<32xf32, #ttg.slice<{dim = 1, parent = #swizzled}>> -> tensor<32xf32, #rows>
    tt.return
  }
}

// -----

// Triton 3.6 and 3.7 have no generic_linear: their linear need not be a permutation.
// CHECK: #linear = #ttg.linear<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}96], [64]], block = []}>
#linear = #ttg.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[96], [64]], block = []}>
module attributes {"ttg.num-warps" = 4 : i32} {
  // CHECK-LABEL: @before
  tt.func @before(%a: tensor<128xi32, #linear>) {
    tt.return
  }
}
