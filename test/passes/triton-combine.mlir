// RUN: nereid-opt %s --triton-combine --canonicalize | FileCheck %s

// CHECK-LABEL: @products(
// CHECK: %[[D:.*]] = tt.dot %arg0, %arg1, %arg2
// CHECK-NOT: arith.addf
// CHECK: %[[I:.*]] = tt.dot %arg3, %arg3, %arg4
// CHECK-NOT: arith.addi
// CHECK: tt.return %[[D]], %[[I]]
tt.func public @products(%a: tensor<32x32xf16>, %b: tensor<32x32xf16>, %c: tensor<32x32xf32>, %e: tensor<32x32xi8>, %f: tensor<32x32xi32>) -> (tensor<32x32xf32>, tensor<32x32xi32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %none = arith.constant dense<0> : tensor<32x32xi32>
  %d = tt.dot %a, %b, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = arith.addf %c, %d : tensor<32x32xf32>
  %g = tt.dot %e, %e, %none : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xi32>
  %t = arith.addi %g, %f : tensor<32x32xi32>
  tt.return %s, %t : tensor<32x32xf32>, tensor<32x32xi32>
}

// Its sum is not for others, or is rounded now and then, or does not start at zero.
// CHECK-LABEL: @kept(
// CHECK-COUNT-3: arith.addf
tt.func public @kept(%a: tensor<32x32xf16>, %c: tensor<32x32xf32>) -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %d = tt.dot %a, %a, %zero : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %s = arith.addf %c, %d : tensor<32x32xf32>
  %e = tt.dot %a, %a, %zero {maxNumImpreciseAcc = 32 : i32} : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %t = arith.addf %c, %e : tensor<32x32xf32>
  %f = tt.dot %a, %a, %c : tensor<32x32xf16> * tensor<32x32xf16> -> tensor<32x32xf32>
  %u = arith.addf %c, %f : tensor<32x32xf32>
  tt.return %d, %s, %t, %u : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}

// CHECK-LABEL: @pointers(
// CHECK: %[[SUM:.*]] = arith.constant dense<14> : tensor<64xi32>
// CHECK: tt.addptr %arg0, %[[SUM]]
// CHECK-NOT: tt.addptr
tt.func public @pointers(%p: tensor<64x!tt.ptr<f32>>) -> tensor<64x!tt.ptr<f32>> {
  %a = arith.constant dense<2> : tensor<64xi32>
  %b = arith.constant dense<4> : tensor<64xi32>
  %c = arith.constant dense<8> : tensor<64xi32>
  %q = tt.addptr %p, %a : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %r = tt.addptr %q, %b : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %s = tt.addptr %r, %c : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  tt.return %s : tensor<64x!tt.ptr<f32>>
}

// CHECK-LABEL: @selection(
// CHECK: %[[X:.*]] = tt.load %arg0, %arg1, %arg2 cacheModifier = cg
// CHECK-NOT: arith.select
// CHECK: tt.return %[[X]]
tt.func public @selection(%p: tensor<64x!tt.ptr<f32>>, %m: tensor<64xi1>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %x = tt.load %p, %m cacheModifier = cg : tensor<64x!tt.ptr<f32>>
  %s = arith.select %m, %x, %y : tensor<64xi1>, tensor<64xf32>
  tt.return %s : tensor<64xf32>
}
