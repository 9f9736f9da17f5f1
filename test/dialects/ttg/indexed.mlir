// Elements of buffers at indices, as Triton 3.7 (gather, scatter) and 3.9 (atomics) print them.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s

#b = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
#s = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 4 : i32} {
// CHECK-LABEL: @accesses
tt.func @accesses(%m: !ttg.memdesc<32x16xf32, #s, #smem, mutable>, %i: tensor<32x16xi16, #b>, %mask: tensor<32x16xi1, #b>,
                  %token: !ttg.async.token) {
  // CHECK: %[[Y:.*]] = ttg.local_gather %arg0[%arg1] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #shared, #smem, mutable>, tensor<32x16xi16, #blocked> -> tensor<32x16xf32, #blocked>
  %y = ttg.local_gather %m[%i] {axis = 0 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi16, #b> -> tensor<32x16xf32, #b>
  // CHECK: ttg.local_gather %arg0[%arg1] token %arg3 {axis = 1 : i32} :
  %z = ttg.local_gather %m[%i] token %token {axis = 1 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi16, #b> -> tensor<32x16xf32, #b>
  // CHECK: ttg.local_scatter %arg0[%arg1], %[[Y]] {axis = 1 : i32} : !ttg.memdesc<32x16xf32, #shared, #smem, mutable>, tensor<32x16xi16, #blocked>, tensor<32x16xf32, #blocked>
  ttg.local_scatter %m[%i], %y {axis = 1 : i32} : !ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xi16, #b>, tensor<32x16xf32, #b>
  // CHECK: ttg.local_atomic_scatter_rmw fadd, %arg0[%arg1], %[[Y]] {axis = 1 : i32} : (!ttg.memdesc<32x16xf32, #shared, #smem, mutable>, tensor<32x16xf32, #blocked>, tensor<32x16xi16, #blocked>) -> tensor<32x16xf32, #blocked>
  %u = ttg.local_atomic_scatter_rmw fadd, %m[%i], %y {axis = 1 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xf32, #b>, tensor<32x16xi16, #b>) -> tensor<32x16xf32, #b>
  // CHECK: ttg.local_atomic_scatter_rmw exch, %arg0[%arg1], %{{.*}}, %arg2 {axis = 0 : i32} : (!ttg.memdesc<32x16xf32, #shared, #smem, mutable>, tensor<32x16xf32, #blocked>, tensor<32x16xi16, #blocked>, tensor<32x16xi1, #blocked>) -> tensor<32x16xf32, #blocked>
  %v = ttg.local_atomic_scatter_rmw exch, %m[%i], %u, %mask {axis = 0 : i32} : (!ttg.memdesc<32x16xf32, #s, #smem, mutable>, tensor<32x16xf32, #b>, tensor<32x16xi16, #b>, tensor<32x16xi1, #b>) -> tensor<32x16xf32, #b>
  tt.return
}
}
