// Round trips of dots, reductions, scans and histograms: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @products
tt.func @products(%a: tensor<16x32xf16>, %b: tensor<32x8xf16>, %c: tensor<16x8xf32>, %ba: tensor<2x16x32xi8>, %bb: tensor<2x32x8xi8>, %bc: tensor<2x16x8xi32>) {
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %0 = tt.dot %a, %b, %c : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %1 = tt.dot %a, %b, %c, inputPrecision = tf32 : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}}, inputPrecision = tf32x3 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  %2 = tt.dot %a, %b, %c, inputPrecision = tf32x3 {maxNumImpreciseAcc = 32 : i32} : tensor<16x32xf16> * tensor<32x8xf16> -> tensor<16x8xf32>
  // CHECK: %{{.*}} = tt.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<2x16x32xi8> * tensor<2x32x8xi8> -> tensor<2x16x8xi32>
  %3 = tt.dot %ba, %bb, %bc : tensor<2x16x32xi8> * tensor<2x32x8xi8> -> tensor<2x16x8xi32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @scaled
tt.func @scaled(%a: tensor<128x32xi8>, %as: tensor<128x2xi8>, %b: tensor<64x128xf8E4M3FN>, %bs: tensor<128x2xi8>, %c: tensor<128x128xf32>) {
  // CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}} scale %{{.*}}, %{{.*}} lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
  %0 = tt.dot_scaled %a scale %as, %b scale %bs, %c lhs = e2m1 rhs = e4m3 {fastMath = false} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN>, tensor<128x2xi8> -> tensor<128x128xf32>
  // CHECK: %{{.*}} = tt.dot_scaled %{{.*}} scale %{{.*}}, %{{.*}}, %{{.*}} lhs = e2m1 rhs = e4m3 {fastMath = true} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  %1 = tt.dot_scaled %a scale %as, %b, %c lhs = e2m1 rhs = e4m3 {fastMath = true} : tensor<128x32xi8>, tensor<128x2xi8> * tensor<64x128xf8E4M3FN> -> tensor<128x128xf32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @combine
tt.func @combine(%xs: tensor<4x8xf32>, %is: tensor<4x8xi32>, %v: tensor<8xf32>, %ok: tensor<16xi1>, %data: tensor<16xi32>) {
  // CHECK: "tt.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}} : f32
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4xf32>
  %0 = "tt.reduce"(%xs) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tt.reduce.return"(%s) : (f32) -> ()
  }) : (tensor<4x8xf32>) -> tensor<4xf32>
  // CHECK: }) : (tensor<8xf32>) -> f32
  %1 = "tt.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.maxnumf %a, %b : f32
    "tt.reduce.return"(%s) : (f32) -> ()
  }) : (tensor<8xf32>) -> f32
  // CHECK: %{{.*}}:2 = "tt.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
  // CHECK: tt.reduce.return %{{.*}}, %{{.*}} : f32, i32
  // CHECK: }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  %2:2 = "tt.reduce"(%xs, %is) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %less = arith.cmpf olt, %a, %b : f32
    %x = arith.select %less, %a, %b : f32
    %i = arith.select %less, %ai, %bi : i32
    "tt.reduce.return"(%x, %i) : (f32, i32) -> ()
  }) : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<8xf32>, tensor<8xi32>)
  // CHECK: "tt.scan"(%{{.*}}) <{axis = 1 : i32, reverse = true}> ({
  // CHECK: tt.scan.return %{{.*}} : f32
  // CHECK: }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = "tt.scan"(%xs) <{axis = 1 : i32, reverse = true}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    "tt.scan.return"(%s) : (f32) -> ()
  }) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.histogram %{{.*}} : tensor<16xi32> -> tensor<4xi32>
  %4 = tt.histogram %data : tensor<16xi32> -> tensor<4xi32>
  // CHECK: %{{.*}} = tt.histogram %{{.*}}, %{{.*}} : tensor<16xi32> -> tensor<4xi32>
  %5 = tt.histogram %data, %ok : tensor<16xi32> -> tensor<4xi32>
  // CHECK: %{{.*}} = tt.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %6 = tt.gather %xs[%is] {axis = 0 : i32} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: %{{.*}} = tt.gather %{{.*}}[%{{.*}}] {axis = 1 : i32, efficient_layout} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  %7 = tt.gather %xs[%is] {axis = 1 : i32, efficient_layout} : (tensor<4x8xf32>, tensor<4x8xi32>) -> tensor<4x8xf32>
  // CHECK: tt.return
  tt.return
}
