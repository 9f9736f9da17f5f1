// Round trips of memory operations, scalar and tensor: custom form, generic form, bytecode.
// RUN: nereid-opt %s | FileCheck %s
// RUN: nereid-opt %s --mlir-print-op-generic | nereid-opt | FileCheck %s
// RUN: nereid-opt %s --emit-bytecode | nereid-opt | FileCheck %s

// CHECK-LABEL: tt.func @scalars
tt.func @scalars(%p: !tt.ptr<f32>, %m: i1, %x: f32) {
  // CHECK: %{{.*}} = tt.load %{{.*}} : !tt.ptr<f32>
  %0 = tt.load %p : !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %1 = tt.load %p, %m : !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  %2 = tt.load %p, %m, %x : !tt.ptr<f32>
  // CHECK: %{{.*}} = tt.load %{{.*}} cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
  %3 = tt.load %p cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %x : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : !tt.ptr<f32>
  tt.store %p, %x, %m : !tt.ptr<f32>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cs evictionPolicy = evict_last : !tt.ptr<f32>
  tt.store %p, %x, %m cacheModifier = cs evictionPolicy = evict_last : !tt.ptr<f32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @tensors
tt.func @tensors(%p: tensor<16x!tt.ptr<f32>>, %m: tensor<16xi1>, %x: tensor<16xf32>) {
  // CHECK: %{{.*}} = tt.load %{{.*}} : tensor<16x!tt.ptr<f32>>
  %0 = tt.load %p : tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
  %1 = tt.load %p, %m : tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
  %2 = tt.load %p, %m, %x : tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.load %{{.*}}, %{{.*}}, %{{.*}} cacheModifier = cg : tensor<16x!tt.ptr<f32>>
  %3 = tt.load %p, %m, %x cacheModifier = cg : tensor<16x!tt.ptr<f32>>
  // CHECK: %{{.*}} = tt.load %{{.*}} evictionPolicy = evict_last {tt.latency = 2 : i32} : tensor<16x!tt.ptr<f32>>
  %4 = tt.load %p evictionPolicy = evict_last {tt.latency = 2 : i32} : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
  tt.store %p, %x : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x!tt.ptr<f32>>
  tt.store %p, %x, %m : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} cacheModifier = wt : tensor<16x!tt.ptr<f32>>
  tt.store %p, %x cacheModifier = wt : tensor<16x!tt.ptr<f32>>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @blocks
tt.func @blocks(%p: !tt.ptr<tensor<16x8xf32>>, %x: tensor<16x8xf32>) {
  // CHECK: %{{.*}} = tt.load %{{.*}} : !tt.ptr<tensor<16x8xf32>>
  %0 = tt.load %p : !tt.ptr<tensor<16x8xf32>>
  // CHECK: %{{.*}} = tt.load %{{.*}} {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x8xf32>>
  %1 = tt.load %p {boundaryCheck = array<i32: 0, 1>, padding = 2 : i32} : !tt.ptr<tensor<16x8xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} : !tt.ptr<tensor<16x8xf32>>
  tt.store %p, %x : !tt.ptr<tensor<16x8xf32>>
  // CHECK: tt.store %{{.*}}, %{{.*}} {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x8xf32>>
  tt.store %p, %x {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<16x8xf32>>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @atomics
tt.func @atomics(%p: !tt.ptr<i32>, %i: i32, %m: i1, %ps: tensor<16x!tt.ptr<f32>>, %xs: tensor<16xf32>, %ms: tensor<16xi1>) {
  // CHECK: %{{.*}} = tt.atomic_rmw add, acq_rel, gpu, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: %{{.*}} = tt.atomic_rmw max, relaxed, cta, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i1) -> i32
  %1 = tt.atomic_rmw max, relaxed, cta, %p, %i, %m : (!tt.ptr<i32>, i32, i1) -> i32
  // CHECK: %{{.*}} = tt.atomic_rmw exch, acquire, sys, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32) -> i32
  %2 = tt.atomic_rmw exch, acquire, sys, %p, %i : (!tt.ptr<i32>, i32) -> i32
  // CHECK: %{{.*}} = tt.atomic_rmw fadd, release, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  %3 = tt.atomic_rmw fadd, release, gpu, %ps, %xs, %ms : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xi1>) -> tensor<16xf32>
  // CHECK: %{{.*}} = tt.atomic_cas acq_rel, gpu, %{{.*}}, %{{.*}}, %{{.*}} : (!tt.ptr<i32>, i32, i32) -> i32
  %4 = tt.atomic_cas acq_rel, gpu, %p, %i, %i : (!tt.ptr<i32>, i32, i32) -> i32
  // CHECK: %{{.*}} = tt.atomic_cas relaxed, sys, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %5 = tt.atomic_cas relaxed, sys, %ps, %xs, %xs : (tensor<16x!tt.ptr<f32>>, tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  // CHECK: tt.return
  tt.return
}

// CHECK-LABEL: tt.func @host
tt.func @host(%i: i32, %xs: tensor<16xf32>, %ok: i1, %oks: tensor<16xi1>) {
  // CHECK: tt.print "no value" {hex = false, isSigned = array<i32>}
  tt.print "no value" {hex = false, isSigned = array<i32>}
  // CHECK: tt.print " i: " {hex = false, isSigned = array<i32: 1>} : %{{.*}} : i32
  tt.print " i: " {hex = false, isSigned = array<i32: 1>} : %i : i32
  // CHECK: tt.print " both: " {hex = true, isSigned = array<i32: 1, 0>} : %{{.*}}, %{{.*}} : i32, tensor<16xf32>
  tt.print " both: " {hex = true, isSigned = array<i32: 1, 0>} : %i, %xs : i32, tensor<16xf32>
  // CHECK: tt.assert %{{.*}}, "scalar" : i1
  tt.assert %ok, "scalar" : i1
  // CHECK: tt.assert %{{.*}}, "tensor" : tensor<16xi1>
  tt.assert %oks, "tensor" : tensor<16xi1>
  // CHECK: tt.return
  tt.return
}
