// Ops with related encodings: operands are converted to the encodings that the op requires.
// RUN: nereid-opt %s --convert-triton-to-tritongpu -o %t && FileCheck %s --input-file=%t
// RUN: nereid-opt %t --convert-triton-to-tritongpu | diff %t -

// CHECK-DAG: #[[LINE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
// CHECK-DAG: #[[SQUARE:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [1, 32], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[DOT:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2, 2], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[TWO:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [32, 1], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[PAIRS:blocked[0-9]*]] = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

// The layout of a reduction's result is a slice of its operand's layout.
// CHECK-LABEL: tt.func public @reduce
// CHECK: %[[R:.*]] = "tt.reduce"
// CHECK: }) : (tensor<32x32xf32, #[[SQUARE]]>) -> tensor<32xf32, #ttg.slice<{dim = 1, parent = #[[SQUARE]]}>>
// CHECK: ttg.convert_layout %[[R]] : {{.*}} -> tensor<32xf32, #[[LINE]]>
tt.func public @reduce(%x: tensor<32x32xf32>) -> tensor<32xf32> {
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32x32xf32>) -> tensor<32xf32>
  tt.return %0 : tensor<32xf32>
}

// A reduction to a scalar needs no conversion.
// CHECK-LABEL: tt.func public @reduce_all
// CHECK-NOT: convert_layout
// CHECK: tt.return
tt.func public @reduce_all(%x: tensor<32xf32>) -> f32 {
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tt.reduce.return %s : f32
  }) : (tensor<32xf32>) -> f32
  tt.return %0 : f32
}

// CHECK-LABEL: tt.func public @trans
// CHECK: %[[T:.*]] = tt.trans %{{.*}} {order = array<i32: 1, 0>} : tensor<16x64xf32, #[[WIDE:blocked[0-9]*]]> -> tensor<64x16xf32, #[[TURNED:blocked[0-9]*]]>
// CHECK: ttg.convert_layout %[[T]] : tensor<64x16xf32, #[[TURNED]]> ->
tt.func public @trans(%x: tensor<16x64xf32>) -> tensor<64x16xf32> {
  %0 = tt.trans %x {order = array<i32: 1, 0>} : tensor<16x64xf32> -> tensor<64x16xf32>
  tt.return %0 : tensor<64x16xf32>
}

// CHECK-LABEL: tt.func public @join_and_split
// CHECK: %[[J:.*]] = tt.join %{{.*}}, %{{.*}} : tensor<128xf32, #[[LINE]]> -> tensor<128x2xf32, #[[TWO]]>
// CHECK: %[[S:.*]] = ttg.convert_layout %{{.*}} : {{.*}} -> tensor<128x2xf32, #[[TWO]]>
// CHECK: tt.split %[[S]] : tensor<128x2xf32, #[[TWO]]> -> tensor<128xf32, #[[LINE]]>
tt.func public @join_and_split(%x: tensor<128xf32>) -> tensor<128xf32> {
  %0 = tt.join %x, %x : tensor<128xf32> -> tensor<128x2xf32>
  %1 = arith.addf %0, %0 : tensor<128x2xf32>
  %2, %3 = tt.split %1 : tensor<128x2xf32> -> tensor<128xf32>
  tt.return %2 : tensor<128xf32>
}

// Twice the elements per thread.
// CHECK-LABEL: tt.func public @cat
// CHECK: tt.cat %{{.*}} -> tensor<64xf32, #[[PAIRS]]>
tt.func public @cat(%x: tensor<32xf32>) -> tensor<64xf32> {
  %0 = tt.cat %x, %x : tensor<32xf32> -> tensor<64xf32>
  tt.return %0 : tensor<64xf32>
}

// CHECK-LABEL: tt.func public @dot
// CHECK-DAG: %[[A:.*]] = ttg.convert_layout %arg0 : {{.*}} -> tensor<32x16xf32, #ttg.dot_op<{opIdx = 0, parent = #[[DOT]]}>>
// CHECK-DAG: %[[B:.*]] = ttg.convert_layout %arg1 : {{.*}} -> tensor<16x32xf32, #ttg.dot_op<{opIdx = 1, parent = #[[DOT]]}>>
// CHECK-DAG: %[[C:.*]] = ttg.convert_layout %arg2 : {{.*}} -> tensor<32x32xf32, #[[DOT]]>
// CHECK: %[[D:.*]] = tt.dot %[[A]], %[[B]], %[[C]]
// CHECK: ttg.convert_layout %[[D]] : tensor<32x32xf32, #[[DOT]]> -> tensor<32x32xf32, #[[SQUARE]]>
tt.func public @dot(%a: tensor<32x16xf32>, %b: tensor<16x32xf32>, %c: tensor<32x32xf32>) -> tensor<32x32xf32> {
  %0 = tt.dot %a, %b, %c : tensor<32x16xf32> * tensor<16x32xf32> -> tensor<32x32xf32>
  tt.return %0 : tensor<32x32xf32>
}

// A row broadcast over columns: the default layout of shape 1x32 differs from that of 32x32.
// CHECK-LABEL: tt.func public @broadcast
// CHECK: tt.broadcast %{{.*}} : tensor<1x32xf32, #[[SAME:.*]]> -> tensor<32x32xf32, #[[SAME]]>
tt.func public @broadcast(%x: tensor<1x32xf32>) -> tensor<32x32xf32> {
  %0 = tt.broadcast %x : tensor<1x32xf32> -> tensor<32x32xf32>
  tt.return %0 : tensor<32x32xf32>
}

// Fewer elements than threads: the remaining warps replicate them. Non-splat constants keep their elements.
// CHECK-LABEL: tt.func public @constants
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #[[LINE]]>
// CHECK: arith.constant dense<true> : tensor<4xi1, #[[LINE]]>
tt.func public @constants() -> (tensor<4xi32>, tensor<4xi1>) {
  %0 = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %1 = arith.constant dense<true> : tensor<4xi1>
  tt.return %0, %1 : tensor<4xi32>, tensor<4xi1>
}

// Both elements of a byte are in its thread.
// CHECK-LABEL: tt.func public @fp4
// CHECK: %[[H:.*]] = ttg.fp4_to_fp %arg0 {axis = 1 : i32} : tensor<16x32xi8, #[[SQUARE]]> -> tensor<16x64xbf16, #[[WIDE:linear[0-9]*]]>
// CHECK: ttg.convert_layout %[[H]] : tensor<16x64xbf16, #[[WIDE]]> -> tensor<16x64xbf16, #{{blocked[0-9]*}}>
tt.func public @fp4(%x: tensor<16x32xi8>) -> tensor<16x64xbf16> {
  %0 = ttg.fp4_to_fp %x {axis = 1 : i32} : tensor<16x32xi8> -> tensor<16x64xbf16>
  tt.return %0 : tensor<16x64xbf16>
}
