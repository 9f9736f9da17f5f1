// Atomic loads, stores and polls, as Triton 3.9 prints them.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: not nereid-opt %s --print-triton-version 3.8 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: 'tt.atomic_load' op has no form in Triton 3.8: print the version 3.9

// CHECK-LABEL: @all
tt.func @all(%p: !tt.ptr<i32>, %ps: tensor<128x!tt.ptr<f16>>, %m: tensor<128xi1>, %e: tensor<128xi64>, %q: tensor<128x!tt.ptr<i64>>, %t: i64) {
  // CHECK: %[[X:.*]] = tt.atomic_load acquire, gpu, %{{.*}}, %{{.*}} : (tensor<128x!tt.ptr<f16>>, tensor<128xi1>) -> tensor<128xf16>
  %x = tt.atomic_load acquire, gpu, %ps, %m : (tensor<128x!tt.ptr<f16>>, tensor<128xi1>) -> tensor<128xf16>
  // CHECK: tt.atomic_store release, gpu, %{{.*}}, %[[X]], %{{.*}} : tensor<128x!tt.ptr<f16>>
  tt.atomic_store release, gpu, %ps, %x, %m : tensor<128x!tt.ptr<f16>>
  // CHECK: %[[Y:.*]] = tt.atomic_load relaxed, sys, %{{.*}} : (!tt.ptr<i32>) -> i32
  %y = tt.atomic_load relaxed, sys, %p : (!tt.ptr<i32>) -> i32
  // CHECK: tt.atomic_store relaxed, cta, %{{.*}}, %[[Y]] : !tt.ptr<i32>
  tt.atomic_store relaxed, cta, %p, %y : !tt.ptr<i32>
  // CHECK: tt.atomic_poll acquire, gpu, %{{.*}}, %[[Y]] : !tt.ptr<i32>, i32 -> i1
  %b = tt.atomic_poll acquire, gpu, %p, %y : !tt.ptr<i32>, i32 -> i1
  // CHECK: tt.atomic_poll relaxed, sys, %{{.*}}, %{{.*}} timeout %{{.*}} : tensor<128x!tt.ptr<i64>>, tensor<128xi64> -> tensor<128xi1>
  %c = tt.atomic_poll relaxed, sys, %q, %e timeout %t : tensor<128x!tt.ptr<i64>>, tensor<128xi64> -> tensor<128xi1>
  tt.return
}
